package console

import (
	"slices"
	"time"

	"causeway/internal/ops/admin"
	"causeway/internal/store"
)

// mostDays is the longest time said of a hot wallet: a mean of seven days tells nothing of more.
const mostDays = 3650

// coldAt is the place of the column of cold addresses.
const coldAt = 4

// hotWallets shows what there is to pay with on each network, by asset: an asset held and awaited nowhere is left out.
func hotWallets(h *admin.Health) part {
	t := &table{Columns: []column{{Name: "Network"}, {Name: "Asset"}, {Name: "Hot wallet", Right: true}, {Name: "Deposit addresses", Right: true},
		{Name: "Awaited", Right: true}, {Name: "Lasts", Right: true}},
		Empty: "No network has been compared with the books yet."}
	hasCold := slices.ContainsFunc(h.Holdings, func(w store.WalletVitals) bool { return !w.Cold.IsZero() })
	if hasCold { // a narrow page has no room for a column without need
		t.Columns = slices.Insert(t.Columns, coldAt, column{Name: "Cold", Right: true})
	}
	for i := range h.Holdings {
		w := &h.Holdings[i]
		if w.Hot.IsZero() && w.Deposits.IsZero() && w.Cold.IsZero() && w.Awaited.IsZero() {
			continue
		}
		hot, deposits, cold := text("–"), text("–"), text("–")
		if w.Seen {
			hot, deposits, cold = cell{Text: grouped(w.Hot), Sub: admin.Span(w.AgeMS) + " ago"}, text(grouped(w.Deposits)), text(grouped(w.Cold))
		}
		if w.Moving.IsPositive() {
			deposits.Sub = grouped(w.Moving) + " in flight"
		}
		awaited := text(grouped(w.Awaited))
		if w.Missing.IsPositive() {
			awaited.Sub = grouped(w.Missing) + " missing"
		}
		t.Rows = append(t.Rows, []cell{text(w.Network), text(w.Asset), hot, deposits, awaited, lasts(w)})
		if hasCold {
			last := len(t.Rows) - 1
			t.Rows[last] = slices.Insert(t.Rows[last], coldAt, cold)
		}
	}
	return part{Heading: "Holdings", Table: t,
		Note: "In flight is what moves between our addresses; one end has it in its figure. Awaited is what queued payouts ask the hot wallet for. Lasts is for how long it can pay at the rate of the last seven days."}
}

// lasts says for how long a hot wallet lasts, in colour when it is less than a day.
func lasts(w *store.WalletVitals) cell {
	days, known := w.LastsDays()
	span := ""
	switch {
	case w.Missing.IsPositive():
		return pill("too small", "bad")
	case !known:
		return text("–")
	case days > mostDays:
		return text("over 10 years")
	default:
		span = admin.Span(int64(days * float64(24*time.Hour/time.Millisecond)))
	}
	if days < 1 {
		return pill(span, "warn")
	}
	return text(span)
}
