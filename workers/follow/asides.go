package follow

import (
	"context"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
)

// noteAsides splits arrivals at addresses of ours: payments are returned, and the others are kept as asides. Only blocks have asides.
func (r *reading) noteAsides(ours []arrival) (payments []arrival) {
	for _, a := range ours {
		switch {
		case !a.Beside:
			payments = append(payments, a)
		case a.height != nil:
			r.asides = append(r.asides, r.aside(a.Txid, a.Position, a.To, a.Amount, *a.height))
		}
	}
	return payments
}

// noteCosts keeps what transactions of others have taken from addresses of ours in the step's blocks.
func (r *reading) noteCosts(isOurs func(address string) bool) {
	for i := range r.blocks {
		b := &r.blocks[i]
		for _, c := range b.Costs {
			if c.Amount.IsPositive() && (r.isOwn(c.Address) || isOurs(c.Address)) {
				r.asides = append(r.asides, r.aside(c.Txid, 0, c.Address, c.Amount.Neg(), b.Height))
			}
		}
	}
}

func (r *reading) aside(txid string, position int, address string, amount decimal.Decimal, height int64) store.Aside {
	return store.Aside{Subject: ledger.Aside(r.network.Name, txid, position, address, amount), Txid: txid, Address: address,
		Amount: amount, Height: height}
}

// bookAsides books the step's asides, each once, however often its block is read.
func bookAsides(ctx context.Context, tx *store.Store, r *reading, out *writing) error {
	fresh, err := tx.AddAsides(ctx, r.network.Name, r.asides)
	for i := range fresh {
		a := &fresh[i]
		if a.Amount.IsPositive() {
			out.entries = append(out.entries, ledger.BesideReceived(r.network.Name, r.network.Coin, a.Subject, a.Turn(), a.Amount))
		} else {
			out.entries = append(out.entries, ledger.CostTaken(r.network.Name, r.network.Coin, a.Subject, a.Turn(), a.Amount.Neg()))
		}
	}
	return err
}

// undoAsides takes back asides above a height: a reorganisation has undone them.
func undoAsides(ctx context.Context, tx *store.Store, network string, to int64) error {
	undone, err := tx.UndoAsides(ctx, network, to)
	if err != nil || len(undone) == 0 {
		return err
	}
	n, _ := pay.NetworkNamed(network)
	entries := make([]ledger.Entry, len(undone))
	for i := range undone {
		a := &undone[i]
		if a.Amount.IsPositive() {
			entries[i] = ledger.BesideUndone(network, n.Coin, a.Subject, a.Turn(), a.Amount)
		} else {
			entries[i] = ledger.CostUndone(network, n.Coin, a.Subject, a.Turn(), a.Amount.Neg())
		}
	}
	_, err = ledger.Post(ctx, tx.Q, entries...)
	return err
}
