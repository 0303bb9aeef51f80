package panel

import (
	"strconv"
	"time"

	"github.com/google/uuid"

	"causeway/internal/lists"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

var deliveryColumns = []room.Column{{Name: "Created"}, {Name: "Event"}, {Name: "Status"}, {Name: "Attempts", Right: true}, {Name: "Last answer"},
	{Name: "Receiver", Wide: true}, {Name: ""}}

// webhooks lists the deliveries of the merchant, newest first.
func webhooks(v *visit) (*room.Page, error) {
	f := lists.AcrossDeliveryFilter{Merchants: []uuid.UUID{v.Merchant}, Status: v.Ask("status"), Event: pay.Event(v.Ask("event")),
		Before: room.ID(v.Below()), Limit: v.Limit()}
	var err error
	if f.From, f.Until, err = store.Days(v.Ask("from"), v.Ask("until")); err != nil {
		v.Wrong, f.Merchants = err.Error()+".", nobody
	}
	found, err := v.admin().Deliveries(v.Context(), f)
	if why, refused := refusal(err); refused {
		v.Wrong, err = why+".", nil
	}
	if err != nil {
		return nil, err
	}
	found, rest := room.Fitting(v.Asked, found, func(d *admin.Delivery) string { return d.ID.String() })
	rows := make([][]room.Cell, len(found))
	for i := range found {
		rows[i] = deliveryRow(v, &found[i])
	}
	t := v.Paged(deliveryColumns, rows, rest)
	t.File = room.SheetOf(found, "id created_at_utc event status attempts last_attempt_at_utc last_status last_error url internal_reference finished_at_utc",
		func(d *admin.Delivery) []string {
			last := [3]string{"", "", room.Or(d.LastError, "")}
			if a := d.LastAttempt; a != nil {
				last = [3]string{room.Moment(a.At), strconv.Itoa(a.Status), a.Error}
			}
			return []string{d.ID.String(), room.Moment(d.CreatedAt), string(d.Event), d.Status, strconv.Itoa(d.Attempts), last[0], last[1], last[2], d.URL,
				d.Subject.String(), room.MomentOr(d.FinishedAt)}
		})
	events := make([]string, len(pay.Events))
	for i, e := range pay.Events {
		events[i] = string(e)
	}
	t.Filter = append([]room.Field{v.Choice("status", "Status", pay.DeliveryStatuses...), v.Spelt("event", "Event", events)}, v.Days()...)
	t.Empty = "No webhooks match. A webhook is created when a payin or payout changes."
	return &room.Page{Title: "Webhooks", Section: "Webhooks", List: t, Parts: []room.Part{v.ListPart(t)}}, nil
}

// deliveriesPart shows the webhooks of a payin or payout made at a time. Key recorded it.
func deliveriesPart(v *visit, key string, found []admin.Delivery, made time.Time) room.Part {
	t := &room.Table{Columns: deliveryColumns}
	note := room.Forgotten(v.panel.WebhooksKept, made, t)
	if _, panel := pay.OfPanel(key); panel {
		note, t.Empty = "", "It was made in the panel, and sends no webhooks."
	}
	for i := range found {
		t.Rows = append(t.Rows, deliveryRow(v, &found[i]))
	}
	return room.Part{Heading: "Webhooks", Note: note, Table: t}
}

func deliveryRow(v *visit, d *admin.Delivery) []room.Cell {
	last := room.Or(d.LastError, "not sent yet")
	if a := d.LastAttempt; a != nil {
		last = "HTTP " + strconv.Itoa(a.Status)
		if a.Status == 0 {
			last = a.Error
		}
	}
	made, event := room.When(d.CreatedAt), room.Text(string(d.Event))
	made.Href = Prefix + "webhooks/" + d.ID.String()
	if d.RedeliveryOf != nil {
		event.Sub = "sent again on request"
	}
	row := []room.Cell{made, event, room.Status(d.Status), room.Text(strconv.Itoa(d.Attempts)), room.Text(last), {Text: room.Cut(d.URL), Full: d.URL}, {}}
	if v.May(people.Webhooks) {
		row[6] = room.Cell{Forms: []room.Form{{Action: Prefix + "webhooks/" + d.ID.String() + "/redeliver", Verb: "Send again", Quiet: true}}}
	}
	return row
}

// webhook shows one delivery of the merchant with every try and its body.
func webhook(v *visit) (*room.Page, error) {
	d, err := v.panel.Store.MerchantDelivery(v.Context(), v.Merchant, room.ID(v.PathValue("id")))
	if err != nil {
		return nil, err
	}
	tries, err := v.panel.Store.AttemptsOf(v.Context(), d.ID)
	if err != nil {
		return nil, err
	}
	next, ahead, err := v.admin().NextTry(v.Context(), d)
	if err != nil {
		return nil, err
	}
	following := room.Text("none")
	switch {
	case ahead != nil:
		following = room.Cell{Text: "after " + string(ahead.Event), Href: Prefix + "webhooks/" + ahead.ID.String(),
			Sub: "An earlier webhook of the same payin or payout goes first."}
	case next != nil:
		following = room.When(next.RunAt)
	}
	acts := room.Part{Heading: "Actions", Half: true}
	if v.May(people.Webhooks) {
		acts.Forms = []room.Form{{Action: Prefix + "webhooks/" + d.ID.String() + "/redeliver", Verb: "Send again",
			Note: "Creates a new delivery whose body says that it is a duplicate. Earlier webhooks that still wait go first."}}
	} else {
		acts.Note = "Your role can view this page but not change anything."
	}
	return &room.Page{Title: string(d.Event), Section: "Webhooks", Up: &room.Link{Text: "Webhooks", Href: Prefix + "webhooks"},
		Tags: []room.Cell{room.Status(d.Status)}, Parts: []room.Part{
			{Half: true, Facts: []room.Fact{{Name: "Receiver", Cell: room.Whole(d.URL)}, {Name: "Delivery ID", Cell: room.Whole(d.ID.String())},
				{Name: "Created", Cell: room.When(d.CreatedAt)}, {Name: "Ended", Cell: room.WhenOr(d.FinishedAt, "not yet")},
				{Name: "Next attempt", Cell: following}}},
			acts, {Heading: "Attempts", Table: room.TriesTable(tries, ahead != nil)}, room.AnswersPart(tries), {Heading: "Body", Items: []string{room.Pretty(d.Body)}},
		}}, nil
}

// redeliver sends a webhook of the merchant again, as often an hour as the API does.
func redeliver(v *visit) (outcome, error) {
	again, err := v.panel.Redeliver(v.Context(), v.Merchant, room.ID(v.PathValue("id")), people.Actor(v.Person.Email))
	switch {
	case err != nil:
		return outcome{}, err
	case again.Wait > 0:
		return outcome{}, people.Refusal("too many webhooks were sent again within the hour: try again in " +
			strconv.Itoa(int(again.Wait/time.Minute)+1) + " minutes")
	case again.Already:
		return outcome{said: "It is to be sent again already, as this delivery.", to: "webhooks/" + again.ID.String()}, nil
	}
	return outcome{said: "The webhook will be sent again as this new delivery.", to: "webhooks/" + again.ID.String()}, nil
}
