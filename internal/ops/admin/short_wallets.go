package admin

import "fmt"

// short is about hot wallets with too little for the queued payouts. It is told at once, before a payout fails to be signed.
func (h *Health) short() (out []Trouble) {
	for i := range h.Holdings {
		w := &h.Holdings[i]
		if !w.Missing.IsPositive() {
			continue
		}
		beside := ""
		if w.Mixed.IsPositive() {
			beside = fmt.Sprintf(" Beside that, %s %s are in coins with other tokens, which are never spent.", w.Mixed, w.Asset)
		}
		out = append(out, Trouble{
			What: fmt.Sprintf("Queued payouts on %s ask for %s %s, and the hot wallet has %s for them: send %s %s or more to %s.",
				w.Network, w.Awaited, w.Asset, w.Left(), w.Missing, w.Asset, w.Address) + beside,
			Do:   "causeway admin wallet list",
			Page: "networks",
		})
	}
	return out
}
