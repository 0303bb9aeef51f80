package panel

import (
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"causeway/internal/store"
	"causeway/internal/web/room"
	"causeway/ledger"
)

// statement lists the movements of the merchant's balances, newest first: of the API and of the panel.
func statement(v *visit) (*room.Page, error) {
	f := ledger.StatementFilter{Merchant: v.Merchant, Panel: true, Movement: ledger.Movement(v.Ask("type")), Direction: v.Ask("direction"), Asset: v.Ask("asset"),
		Network: v.Ask("network"), Reference: v.Ask("reference")}
	var err error
	if f.From, f.Until, err = store.Days(v.Ask("from"), v.Ask("until")); err != nil {
		v.Wrong, f.Merchant = err.Error()+".", uuid.Max
	}
	var found []ledger.StatementLine
	if f.Direction == "" || len(f.Kinds()) > 0 {
		if found, err = ledger.MovementsBelow(v.Context(), v.panel.Store.Q, f, lineBelow(v.Below()), v.Limit()); err != nil {
			return nil, err
		}
	}
	found, rest := room.Fitting(v.Asked, found, lineKey)
	rows := make([][]room.Cell, len(found))
	for i := range found {
		rows[i] = statementRow(&found[i])
	}
	t := v.Paged([]room.Column{{Name: "Time"}, {Name: "Type"}, {Name: "Amount", Right: true}, {Name: "Balance after", Right: true},
		{Name: "Network", Wide: true}, {Name: "Reference"}, {Name: "Transaction", Wide: true}}, rows, rest)
	t.File = room.SheetOf(found, "id created_at_utc type direction asset amount balance_after network reference_id internal_reference txid",
		func(l *ledger.StatementLine) []string {
			internal := ""
			if l.InternalReference != nil {
				internal = l.InternalReference.String()
			}
			return []string{strconv.FormatInt(l.ID, 10), room.Moment(l.CreatedAt), string(l.Movement), l.Movement.Direction(), l.Asset, l.Amount.String(),
				l.BalanceAfter.String(), room.Or(l.Network, ""), room.Or(l.ReferenceID, ""), internal, room.Or(l.Txid, "")}
		})
	if t.Filter, err = statementFilter(v); err != nil {
		return nil, err
	}
	t.Empty = "No movements match."
	return &room.Page{Title: "Statement", Section: "Statement", List: t, Parts: []room.Part{v.ListPart(t)}}, nil
}

func statementRow(l *ledger.StatementLine) []room.Cell {
	amount := room.Money(l.Amount, l.Asset)
	if l.Movement.Direction() == "out" {
		amount.Text, amount.Full = "\u2212"+amount.Text, "-"+amount.Full
	}
	return []room.Cell{room.When(l.CreatedAt), room.Text(strings.ToLower(strings.ReplaceAll(string(l.Movement), "_", " "))), amount,
		room.Text(room.Grouped(l.BalanceAfter)), room.Text(room.Or(l.Network, "–")), room.Text(room.Or(l.ReferenceID, "–")), room.Copied(room.Or(l.Txid, ""))}
}

func statementFilter(v *visit) ([]room.Field, error) {
	held, err := ledger.Balances(v.Context(), v.panel.Store.Q, v.Merchant)
	if err != nil {
		return nil, err
	}
	kinds := make([]string, len(ledger.Movements))
	for i, m := range ledger.Movements {
		kinds[i] = string(m)
	}
	out := []room.Field{v.Choice("type", "Type", kinds...), v.Choice("direction", "Direction", "in", "out"), v.Spelt("asset", "Asset", sorted(held)), v.OnNetwork()}
	return append(append(out, v.Days()...), v.Written("reference", "Reference")), nil
}

// lineKey names a movement as the last one before the next page: its time to the microsecond, and its id.
func lineKey(l *ledger.StatementLine) string {
	return strconv.FormatInt(l.CreatedAt.UnixMicro(), 10) + "-" + strconv.FormatInt(l.ID, 10)
}

// lineBelow reads a lineKey; nil is the beginning, and so is what cannot be read.
func lineBelow(key string) *ledger.StatementLine {
	at, number, _ := strings.Cut(key, "-")
	micro, wrongTime := strconv.ParseInt(at, 10, 64)
	id, wrongID := strconv.ParseInt(number, 10, 64)
	if wrongTime != nil || wrongID != nil {
		return nil
	}
	return &ledger.StatementLine{ID: id, CreatedAt: time.UnixMicro(micro)}
}

// orMax is an id that nobody has in place of none, which asks for something else.
func orMax(id uuid.UUID) uuid.UUID {
	if id == uuid.Nil {
		return uuid.Max
	}
	return id
}
