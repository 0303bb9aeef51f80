package console

import (
	"time"

	"causeway/internal/ops/admin"
	"causeway/internal/store"
)

// mostDays is the longest time said of a hot wallet: a mean of seven days tells nothing of more.
const mostDays = 3650

// hotWallets shows what there is to pay with on each network, by asset: an asset held and awaited nowhere is left out.
func hotWallets(h *admin.Health) part {
	t := &table{Columns: []column{{Name: "Network"}, {Name: "Asset"}, {Name: "Hot wallet", Right: true}, {Name: "Deposit addresses", Right: true},
		{Name: "Awaited", Right: true}, {Name: "Lasts", Right: true}},
		Empty: "No network has been compared with the books yet."}
	for i := range h.Holdings {
		w := &h.Holdings[i]
		if w.Hot.IsZero() && w.Deposits.IsZero() && w.Awaited.IsZero() {
			continue
		}
		hot, deposits := text("–"), text("–")
		if w.Seen {
			hot, deposits = cell{Text: grouped(w.Hot), Sub: admin.Span(w.AgeMS) + " ago"}, text(grouped(w.Deposits))
		}
		awaited := text(grouped(w.Awaited))
		if w.Missing.IsPositive() {
			awaited.Sub = grouped(w.Missing) + " missing"
		}
		t.Rows = append(t.Rows, []cell{text(w.Network), text(w.Asset), hot, deposits, awaited, lasts(w)})
	}
	return part{Heading: "Holdings", Table: t,
		Note: "Awaited is what queued payouts ask the hot wallet for. Lasts is for how long it can pay at the rate of the last seven days."}
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
