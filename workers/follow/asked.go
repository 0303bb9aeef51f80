package follow

import (
	"context"
	"time"
)

// awaitedDays is for how long after a payin was made money is looked for at its address, where nodes are asked for addresses. Fixed wallets
// are looked at for good.
const awaitedDays = 30

// NameAddresses tells the networks that do not read whole blocks which addresses to ask for, and those that recognise addresses by their
// number how far these go.
func (w *Worker) NameAddresses() {
	if w.Networks == nil { // only the tables of work are read
		return
	}
	for _, n := range w.Networks.All() {
		if n.AskFor != nil {
			n.AskFor(func(ctx context.Context) ([]string, error) {
				return w.Store.AskedAddresses(ctx, n.Family, time.Now().AddDate(0, 0, -awaitedDays))
			})
		}
		if n.Reach != nil {
			n.Reach(func(ctx context.Context) ([]string, error) { return w.Store.NewestAddresses(ctx, n.Family) })
		}
	}
}
