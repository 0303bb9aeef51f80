package console

import (
	"strconv"

	"github.com/google/uuid"

	"causeway/internal/lists"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

// webhooks lists deliveries of all merchants, newest first.
func webhooks(v *visit) (*page, error) {
	f := lists.AcrossDeliveryFilter{Status: v.Ask("status"), Event: pay.Event(v.Ask("event")), Before: id(v.Below()), Limit: v.Limit()}
	var err error
	if f.From, f.Until, f.Merchants, err = v.asked(); err != nil {
		return nil, err
	}
	found, err := v.Deliveries(v.Context(), f)
	if err != nil {
		return nil, err
	}
	found, rest := fitting(v, found, func(d *admin.Delivery) string { return d.ID.String() })
	called, err := names(v, found, func(d *admin.Delivery) uuid.UUID { return d.MerchantID })
	if err != nil {
		return nil, err
	}
	rows := make([][]cell, len(found))
	for i := range found {
		d := &found[i]
		rows[i] = append(deliveryRow(d), to(called[d.MerchantID], "merchants/"+d.MerchantID.String()), redeliver(v, d))
	}
	t := v.Paged([]column{{Name: "Created"}, {Name: "Event"}, {Name: "Status"}, {Name: "Attempts", Right: true}, {Name: "Last answer"}, {Name: "Receiver", Wide: true},
		{Name: "Merchant"}, {Name: ""}},
		rows, rest)
	t.File = room.SheetOf(found, `id created_at_utc event status attempts last_attempt_at_utc last_status last_error url internal_reference merchant_id merchant
		redelivery_of finished_at_utc`, func(d *admin.Delivery) []string {
		last, again := [3]string{"", "", or(d.LastError, "")}, ""
		if a := d.LastAttempt; a != nil {
			last = [3]string{moment(a.At), strconv.Itoa(a.Status), a.Error}
		}
		if d.RedeliveryOf != nil {
			again = d.RedeliveryOf.String()
		}
		return []string{d.ID.String(), moment(d.CreatedAt), string(d.Event), d.Status, strconv.Itoa(d.Attempts), last[0], last[1], last[2], d.URL,
			d.Subject.String(), d.MerchantID.String(), called[d.MerchantID], again, momentOr(d.FinishedAt)}
	})
	events := make([]string, len(pay.Events))
	for i, e := range pay.Events {
		events[i] = string(e)
	}
	t.Filter = append(append([]field{v.Choice("status", "Status", pay.DeliveryStatuses...), v.Spelt("event", "Event", events)}, v.Days()...), v.ofMerchant())
	t.Empty = "No webhooks match. A webhook is created when a payin or payout changes."
	return &page{Title: "Webhooks", Section: "Webhooks", List: t, Parts: []part{v.ListPart(t)}}, nil
}

// webhook shows one delivery with every try and its body.
func webhook(v *visit) (*page, error) {
	d, err := v.Store.Delivery(v.Context(), id(v.PathValue("id")))
	if err != nil {
		return nil, err
	}
	m, err := v.Store.Merchant(v.Context(), d.MerchantID)
	if err != nil {
		return nil, err
	}
	tries, err := v.Store.AttemptsOf(v.Context(), d.ID)
	if err != nil {
		return nil, err
	}
	next, ahead, err := v.NextTry(v.Context(), d)
	if err != nil {
		return nil, err
	}
	subject := to("its payin", "payins/"+d.Subject.String())
	if _, err := v.Store.Payout(v.Context(), d.Subject); err == nil {
		subject = to("its payout", "payouts/"+d.Subject.String())
	}
	acts := part{Heading: "Actions", Half: true}
	if v.May(admin.RoleOperator) {
		acts.Forms = []form{{Action: Prefix + "webhooks/" + d.ID.String() + "/redeliver", Verb: "Send again",
			Note: "Creates a new delivery whose body says that it is a duplicate. Earlier webhooks that still wait go first."}}
	} else {
		acts.Note = "Your role can view this page but not change anything."
	}
	return &page{Title: string(d.Event), Section: "Webhooks", Up: &link{Text: "Webhooks", Href: Prefix + "webhooks"}, Tags: []cell{status(d.Status)},
		Parts: []part{
			{Half: true, Facts: []fact{{Name: "Merchant", Cell: to(m.Name, "merchants/"+m.ID.String())}, {Name: "About", Cell: subject}, {Name: "Receiver", Cell: whole(d.URL)},
				{Name: "Delivery ID", Cell: whole(d.ID.String())},
				{Name: "Created", Cell: when(d.CreatedAt)}, {Name: "Ended", Cell: whenOr(d.FinishedAt, "not yet")}, {Name: "Next attempt", Cell: nextTry(next, ahead)}}},
			acts, {Heading: "Attempts", Table: room.TriesTable(tries, ahead != nil)}, room.AnswersPart(tries), {Heading: "Body", Items: []string{room.Pretty(d.Body)}},
		}}, nil
}

// nextTry is the time of a delivery's next try, or the delivery ahead of it.
func nextTry(next *store.JobRow, ahead *pay.Delivery) cell {
	switch {
	case ahead != nil:
		behind := to("after "+string(ahead.Event), "webhooks/"+ahead.ID.String())
		behind.Sub = "An earlier webhook of the same payin or payout goes first."
		return behind
	case next == nil:
		return text("none")
	default:
		at := when(next.RunAt)
		at.Sub = or(next.LastError, "")
		return at
	}
}
