package console

import (
	"strconv"
	"strings"
	"time"

	"causeway/internal/ops/admin"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

// jobPart shows the work still to be done.
func jobPart(j *store.JobRow) part {
	if j == nil {
		return part{Heading: "Job", Note: "No job is waiting. Either everything is done, or following the network does the rest."}
	}
	return part{Heading: "Job", Facts: []fact{
		{Name: "Kind", Cell: text(j.Kind)}, {Name: "Due", Cell: when(j.RunAt)}, {Name: "Attempt", Cell: text(strconv.Itoa(j.Attempt))}, {Name: "Last error", Cell: text(or(j.LastError, "none"))},
	}}
}

// postingsPart shows the ledger's postings.
func postingsPart(rows []store.PostingRow) part {
	t := &table{Columns: []column{{Name: "Time"}, {Name: "Event"}, {Name: "From"}, {Name: "To"}, {Name: "Amount", Right: true},
		{Name: "Balance after", Right: true, Wide: true}},
		Empty: "No ledger entries yet."}
	for _, p := range rows {
		after := "–"
		if p.BalanceAfter.Valid {
			after = grouped(p.BalanceAfter.Decimal)
		}
		t.Rows = append(t.Rows, []cell{when(p.CreatedAt), text(p.Kind), ledgerAccount(p.From), ledgerAccount(p.To),
			money(p.Amount, p.Asset), text(after)})
	}
	return part{Heading: "Ledger", Table: t}
}

// deliveriesPart shows the webhooks of a payin or payout made at a time.
func deliveriesPart(v *visit, rows []admin.Delivery, made time.Time) part {
	t := &table{Columns: []column{{Name: "Created"}, {Name: "Event"}, {Name: "Status"}, {Name: "Attempts", Right: true}, {Name: "Last answer"},
		{Name: "Receiver", Wide: true}, {Name: ""}}}
	note := room.Forgotten(v.console.WebhooksKept, made, t)
	for i := range rows {
		t.Rows = append(t.Rows, append(deliveryRow(&rows[i]), redeliver(v, &rows[i])))
	}
	return part{Heading: "Webhooks", Note: note, Table: t}
}

func deliveryRow(d *admin.Delivery) []cell {
	last := or(d.LastError, "not sent yet")
	if a := d.LastAttempt; a != nil {
		last = "HTTP " + strconv.Itoa(a.Status)
		if a.Status == 0 {
			last = a.Error
		}
	}
	made := when(d.CreatedAt)
	made.Href = Prefix + "webhooks/" + d.ID.String()
	event := text(string(d.Event))
	if d.RedeliveryOf != nil {
		event.Sub = "sent again on request"
	}
	return []cell{made, event, status(d.Status), text(strconv.Itoa(d.Attempts)), text(last), receiver(d.URL)}
}

// shownURL is how much of a receiver's address a list shows.
const shownURL = 22

// receiver shows a webhook's address, without its scheme.
func receiver(address string) cell {
	_, rest, found := strings.Cut(address, "://")
	if !found {
		rest = address
	}
	return cell{Text: cutTo(rest, shownURL), Full: address}
}

// redeliver is a button in a row to send a webhook once more.
func redeliver(v *visit, d *admin.Delivery) cell {
	if !v.May(admin.RoleOperator) {
		return cell{}
	}
	return cell{Forms: []form{{Action: Prefix + "webhooks/" + d.ID.String() + "/redeliver", Verb: "Send again", Quiet: true}}}
}

// ledgerAccount names an account of the ledger, without the merchant's id: the page says it anyhow.
func ledgerAccount(name string) cell {
	if pocket, ok := merchantPocket(name); ok {
		return cell{Text: "merchant, " + pocket, Full: name}
	}
	return text(name)
}
