package panel

import (
	"strconv"

	"causeway/internal/store"
	"causeway/internal/web/room"
)

// requests lists the last requests of the merchant's keys, newest first.
func requests(v *visit) (*room.Page, error) {
	f := store.RequestFilter{Merchant: v.Merchant, Key: v.Ask("key"), Code: v.Ask("code")}
	if status := v.Ask("status"); status != "" {
		n, err := strconv.Atoi(status)
		if err != nil || n < 1 || n > 999 {
			v.Wrong, n = "A status is a number like 400, or 4 for all of 4xx.", 999
		}
		f.Status = n
	}
	found, err := v.panel.Store.LoggedRequests(v.Context(), f, mostRequests)
	if err != nil {
		return nil, err
	}
	keys, err := v.panel.Store.KeysOf(v.Context(), v.Merchant)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(keys))
	for i := range keys {
		names[i] = keys[i].ID
	}
	t := &room.Table{Here: Prefix + "requests", Columns: []room.Column{{Name: "Arrived"}, {Name: "Request"}, {Name: "Status"}, {Name: "Error"}, {Name: "Took", Right: true},
		{Name: "Request id"}, {Name: "Key"}, {Name: "From", Wide: true}}, Empty: "No requests match. They are shown a second after they were answered.",
		Filter: []room.Field{v.Written("status", "Status"), v.Written("code", "Error code"), v.Spelt("key", "Key", names)}}
	for i := range found {
		r := &found[i]
		t.Rows = append(t.Rows, []room.Cell{room.When(r.At), room.Text(r.Method + " " + r.Path), answered(r.Status), room.Text(r.Code),
			room.Text(strconv.FormatInt(r.TookMS, 10) + " ms"), room.Copied(r.RequestID), room.Text(r.KeyID), room.Text(r.Address)})
	}
	return &room.Page{Title: "Requests", Section: "Requests", Parts: []room.Part{v.ListPart(t), {
		Note: "The last 500 requests of each key are kept for seven days, without bodies, queries and values in paths. A restart of the service loses some."}}}, nil
}

// mostRequests is how many requests the page shows.
const mostRequests = 500

// answered shows a status.
func answered(status int) room.Cell {
	mood := "good"
	switch {
	case status >= 500:
		mood = "bad"
	case status >= 400:
		mood = "warn"
	}
	return room.Pill(strconv.Itoa(status), mood)
}
