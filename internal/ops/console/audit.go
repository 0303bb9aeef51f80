package console

import (
	"strconv"

	"causeway/internal/store"
	"causeway/internal/web/room"
)

// audit lists the acts of operators, newest first.
func audit(v *visit) (*page, error) {
	below, _ := strconv.ParseInt(v.Below(), 10, 64) // unreadable: from the newest
	found, err := v.Audit(v.Context(), v.Ask("subject"), below, v.Limit())
	if err != nil {
		return nil, err
	}
	found, rest := fitting(v, found, func(r *store.AuditRow) string { return strconv.FormatInt(r.ID, 10) })
	rows := make([][]cell, len(found))
	for i, r := range found {
		change := string(r.Before) + " → " + string(r.After)
		if r.Before == nil {
			change = string(r.After)
		}
		if r.After == nil {
			change = string(r.Before)
		}
		rows[i] = []cell{{Text: when(r.At).Text, Sub: "row " + number(r.ID)}, text(r.Actor), text(r.Action),
			{Text: short(r.Subject), Full: r.Subject, Href: query(Prefix+"audit", "subject", r.Subject)},
			{Text: cut(change), Full: change, Mono: true, Copy: true}}
	}
	t := v.Paged([]column{{Name: "Time"}, {Name: "Who"}, {Name: "Action"}, {Name: "Subject"}, {Name: "Before and after"}}, rows, rest)
	t.File = room.SheetOf(found, "id at_utc actor action subject before after hash", func(r *store.AuditRow) []string {
		return []string{strconv.FormatInt(r.ID, 10), moment(r.At), r.Actor, r.Action, r.Subject, string(r.Before), string(r.After), r.Hash}
	})
	t.Filter = []field{{Name: "subject", Label: "Subject", Kind: "text", Value: v.Ask("subject"), Hint: "like merchant:ID"}}
	t.Empty = "No entries match. Every operator action and every login is recorded here."
	return &page{Title: "Audit", Section: "Audit", List: t, Parts: []part{
		{Note: "The audit log only grows, and its rows form a chain of hashes. Verifying it finds any row that was changed, removed or inserted.",
			Forms: []form{{Action: Prefix + "audit/verify", Verb: "Verify audit log", Quiet: true}}}, {Table: t}}}, nil
}
