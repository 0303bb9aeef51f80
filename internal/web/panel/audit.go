package panel

import (
	"strconv"

	"causeway/internal/people"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

// audit lists what the merchant's people did for it, and where operators looked, newest first.
func audit(v *visit) (*room.Page, error) {
	below, _ := strconv.ParseInt(v.Below(), 10, 64) // unreadable: from the newest
	found, err := v.panel.Store.AuditOfMerchant(v.Context(), v.Merchant, below, v.Limit())
	if err != nil {
		return nil, err
	}
	found, rest := room.Fitting(v.Asked, found, func(r *store.AuditRow) string { return strconv.FormatInt(r.ID, 10) })
	rows := make([][]room.Cell, len(found))
	for i, r := range found {
		change := string(r.After)
		if r.After == nil {
			change = string(r.Before)
		}
		rows[i] = []room.Cell{room.When(r.At), room.Text(who(r.Actor)), room.Text(r.Action), {Text: room.Cut(change), Full: change, Mono: true, Copy: true}}
	}
	t := v.Paged([]room.Column{{Name: "Time"}, {Name: "Who"}, {Name: "Action"}, {Name: "Details"}}, rows, rest)
	t.File = room.SheetOf(found, "at_utc who action before after", func(r *store.AuditRow) []string {
		return []string{room.Moment(r.At), who(r.Actor), r.Action, string(r.Before), string(r.After)}
	})
	t.Empty = "Nothing yet. Every login and every change by your people is recorded here, and every page that the operator looks at."
	return &room.Page{Title: "Audit", Section: "Audit", List: t, Parts: []room.Part{{Table: t}}}, nil
}

// who is the e-mail address behind an actor of the audit. An operator has no name here.
func who(actor string) string {
	if email, person := people.ActorEmail(actor); person {
		return email
	}
	return "the operator of this service"
}
