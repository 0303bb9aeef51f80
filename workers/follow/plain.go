package follow

import (
	"context"

	"causeway/chains"
	"causeway/internal/store"
)

// takePlain has transfers to other forms of our addresses go to these addresses: their money is that of our keys, whatever somebody has put
// beside the key.
func (w *Worker) takePlain(ctx context.Context, r *reading) error {
	n := r.network
	var places []store.Place
	r.eachTransfer(func(t *chains.Transfer) {
		if t.Plain != "" {
			places = append(places, store.Place{Match: t.Plain})
		}
	})
	known, err := w.addressesAt(ctx, n, places)
	if err != nil {
		return err
	}
	r.eachTransfer(func(t *chains.Transfer) {
		if t.Plain != "" && (t.Plain == n.Hot || known[store.Place{Match: t.Plain}] != nil) {
			t.To = t.Plain
		}
	})
	return nil
}
