package panel

import (
	"causeway/internal/people"
	"causeway/internal/web/room"
)

// menu lists the sections.
func menu(v *visit, here string) []room.Group {
	if v.Role == "" {
		return nil
	}
	at := func(name, path string) room.Entry {
		return room.Entry{Text: name, Href: Prefix + path, Here: here == name}
	}
	return []room.Group{
		{Name: "Money", Entries: []room.Entry{at("Balances", ""), at("Payins", "payins"), at("Payment requests", "payment-requests"), at("Payment links", "links"),
			at("Payouts", "payouts"), at("Fixed wallets", "wallets"),
			at("Statement", "statement"), at("Deposit", "deposit"), at("Withdraw", "withdraw"), at("To confirm", "confirm"), at("Address book", "book")}},
		{Name: "API", Entries: []room.Entry{at("Developers", "developers"), at("Requests", "requests"), at("Webhooks", "webhooks")}},
		{Name: "Merchant", Entries: []room.Entry{at("People", "people"), at("Payers' pages", "look"), at("Chats", "chats"), at("Audit", "audit")}},
	}
}

// pageAt has the function to make each page, by its path below Prefix.
var pageAt = map[string]pageFunc{
	"links":                 links,
	"look":                  lookPage,
	"chats":                 chatsPage,
	"links/new":             newLink,
	"links/{id}":            linkPage,
	"{$}":                   home,
	"payins":                payins,
	"payins/{id}":           payin,
	"payment-requests":      paymentRequests,
	"payment-requests/new":  newRequest,
	"payment-requests/{id}": requestPage,
	"payouts":               payouts,
	"payouts/{id}":          payout,
	"wallets":               wallets,
	"statement":             statement,
	"book":                  book,
	"wallets/{id}":          wallet,
	"deposit":               depositPage,
	"confirm":               seconds,
	"confirm/{form}":        second,
	"withdraw/sheet":        sheetPage,
	"withdraw":              withdrawPage,
	"developers":            developers,
	"requests":              requests,
	"webhooks":              webhooks,
	"webhooks/{id}":         webhook,
	"people":                peoplePage,
	"audit":                 audit,
	"account":               account,
}

// acts has every act by its path below Prefix, with the kind of right it takes.
var acts = map[string]act{
	"links":                       {right: people.Deposit, do: makeLink},
	"links/{id}/end":              {right: people.Deposit, do: endLink},
	"people":                      {right: people.People, do: invite, proof: always},
	"people/role":                 {right: people.People, do: setRole, proof: always},
	"people/remove":               {right: people.People, do: removePerson, proof: always},
	"people/trust":                {right: people.People, do: trustPerson, proof: always, code: always},
	"people/reset":                {right: people.People, do: resetPerson, proof: always},
	"people/invitations/{id}/end": {right: people.People, do: revokeInvitation},
	"deposit":                     {right: people.Deposit, do: deposit},
	"deposit/wallet":              {right: people.Deposit, do: depositWallet},
	"withdraw/check":              {right: people.Withdraw, do: checkWithdrawal, code: always},
	"withdraw":                    {right: people.Withdraw, do: withdraw, code: always},
	"withdraw/sheet/check":        {right: people.Withdraw, do: checkSheet, code: always, large: true},
	"withdraw/sheet":              {right: people.Withdraw, do: withdrawSheet, code: always, large: true},
	"book":                        {right: people.Withdraw, do: addToBook, proof: always, code: always},
	"book/{id}/remove":            {right: people.Withdraw, do: removeFromBook},
	"book/rule":                   {right: people.People, do: setBookRule, proof: always, code: always},
	"confirm/{form}":              {right: people.Withdraw, do: confirmSecond, code: always, large: true},
	"confirm/{form}/decline":      {right: people.Withdraw, do: declineSecond, proof: always, large: true},
	"confirm/rule":                {right: people.People, do: setSecondRule, proof: always, code: always},
	"payins/{id}/refund/check":    {right: people.Withdraw, do: checkRefund, code: always},
	"payins/{id}/refund":          {right: people.Withdraw, do: refund, code: always},
	"refunds/{id}/link":           {right: people.Withdraw, do: showRefundLink, proof: always, code: always},
	"refunds/{id}/revoke":         {right: people.Withdraw, do: revokeRefund},
	"payment-requests":            {right: people.Deposit, do: makeRequest},
	"payment-requests/{id}/end":   {right: people.Deposit, do: endRequest},
	"payouts/{id}/cancel":         {right: people.Withdraw, do: cancelWithdrawal, proof: always},
	"keys":                        {right: people.Keys, do: createKey, proof: always, code: paysOut},
	"keys/{key}/revoke":           {right: people.Keys, do: revokeKey},
	"secret/rotate":               {right: people.Webhooks, do: rotate(false), proof: always},
	"secret/again":                {right: people.Webhooks, do: rotate(true), proof: always},
	"secret/finish":               {right: people.Webhooks, do: finishSecret, proof: always},
	"wallets/webhook":             {right: people.Webhooks, do: setWalletsWebhook, proof: always},
	"webhooks/{id}/redeliver":     {right: people.Webhooks, do: redeliver},
	"look":                        {right: people.Shop, do: setLook, proof: always},
	"look/logo":                   {right: people.Shop, do: addLogo, large: true},
	"look/logo/{hash}/remove":     {right: people.Shop, do: dropLogo},
	"look/receipts":               {right: people.Shop, do: setReceipts, proof: always},
	"look/sites":                  {right: people.Embed, do: addSite, proof: always},
	"look/sites/remove":           {right: people.Embed, do: dropSite},
	"chats/{kind}":                {right: people.Chats, do: setChat, proof: always},
	"chats/{kind}/topics":         {right: people.Chats, do: setChatTopics},
	"chats/{kind}/test":           {right: people.Chats, do: testChat},
	"chats/{kind}/remove":         {right: people.Chats, do: dropChat},
	"merchant":                    {right: people.Look, do: chooseMerchant},
	"account/code":                {right: people.Look, do: confirmCode, proof: byPasskey},
	"account/passkeys":            {right: people.Look, do: newPasskey, proof: always, anew: true},
	"account/passkeys/add":        {right: people.Look, do: addPasskey},
	"account/passkeys/{id}/name":  {right: people.Look, do: namePasskey},
	"account/passkeys/{id}/end":   {right: people.Look, do: removePasskey, proof: always, anew: true},
	"account/password":            {right: people.Look, do: changePassword},
	"account/messages":            {right: people.Look, do: setMessages},
	"account/sessions/{id}/end":   {right: people.Look, do: endSession},
}
