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
		{Name: "Money", Entries: []room.Entry{at("Balances", "")}},
		{Name: "Merchant", Entries: []room.Entry{at("People", "people"), at("Audit", "audit")}},
	}
}

// pageAt has the function to make each page, by its path below Prefix.
var pageAt = map[string]pageFunc{
	"{$}":     home,
	"people":  peoplePage,
	"audit":   audit,
	"account": account,
}

// acts has every act by its path below Prefix, with the kind of right it takes.
var acts = map[string]act{
	"people":                      {right: people.People, do: invite, proof: always},
	"people/role":                 {right: people.People, do: setRole, proof: always},
	"people/remove":               {right: people.People, do: removePerson, proof: always},
	"people/invitations/{id}/end": {right: people.People, do: revokeInvitation},
	"merchant":                    {right: people.Look, do: chooseMerchant},
	"account/code":                {right: people.Look, do: confirmCode},
	"account/password":            {right: people.Look, do: changePassword},
	"account/sessions/{id}/end":   {right: people.Look, do: endSession},
}
