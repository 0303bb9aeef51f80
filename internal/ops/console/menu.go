package console

import (
	"causeway/internal/store"
)

// menu lists the sections, with the number waiting in each.
func (c *Console) menu(here string, waits store.WaitingCounts) []group {
	at := func(name, path string, count int64) entry {
		return entry{Text: name, Href: Prefix + path, Here: here == name, Count: count}
	}
	installation := []entry{at("Audit", "audit", 0), at("Operators", "operators", 0), at("Chats", "chats", 0), {Text: "Health", Href: "/health"},
		{Text: "Queues", Href: "/queues/"}}
	if c.Inbox {
		installation = append(installation, entry{Text: "Inbox", Href: "/inbox/"})
	}
	return []group{
		{Name: "Money", Entries: []entry{at("Overview", "", 0), at("Payouts", "payouts", 0), at("Approvals", "approvals", waits.Approvals),
			at("Payins", "payins", 0), at("Unclaimed", "unclaimed", waits.Unclaimed)}},
		{Name: "Merchants", Entries: []entry{at("Merchants", "merchants", 0), at("Rates", "rates", 0), at("Fixed wallets", "wallets", 0),
			at("Webhooks", "webhooks", 0)}},
		{Name: "Catalogue", Entries: []entry{at("Tokens", "tokens", 0), at("Prices", "prices", 0)}},
		{Name: "Networks", Entries: []entry{at("Networks", "networks", 0), at("Treasury", "treasury", 0), at("Reconcile", "reconcile", 0)}},
		{Name: "Installation", Entries: installation},
	}
}

// pageAt has the function to make each page, by its path below Prefix.
var pageAt = map[string]pageFunc{
	"{$}":                       overview,
	"search":                    search,
	"payouts":                   payouts,
	"payouts/{id}":              payout,
	"approvals":                 approvals,
	"payins":                    payins,
	"payins/{id}":               payin,
	"unclaimed":                 unclaimed,
	"unclaimed/{id}":            unclaimedTransfer,
	"merchants":                 merchants,
	"merchants/new":             newMerchant,
	"merchants/{id}":            merchant,
	"merchants/{id}/keys":       newKey,
	"rates":                     rates,
	"wallets":                   wallets,
	"webhooks":                  webhooks,
	"webhooks/{id}":             webhook,
	"tokens":                    tokens,
	"tokens/{symbol}/{network}": token,
	"prices":                    prices,
	"networks":                  networks,
	"treasury":                  treasury,
	"reconcile":                 reconcile,
	"audit":                     audit,
	"operators":                 operators,
	"chats":                     chats,
	"account":                   account,
}
