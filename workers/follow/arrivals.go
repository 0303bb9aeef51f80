package follow

import (
	"context"
	"time"

	"github.com/google/uuid"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// arrival is a transfer on a chain to an address of ours.
type arrival struct {
	chains.Transfer
	height  *int64       // nil in the mempool
	mined   *time.Time   // of its block; nil in the mempool
	address *pay.Address // nil for the hot wallet, for a cold address, and at a shared address without a known memo
}

// match picks transfers to our addresses out of blocks and mempool, with one reading of the addresses.
func (w *Worker) match(ctx context.Context, r *reading) ([]arrival, error) {
	n := r.network
	if err := w.takePlain(ctx, r); err != nil {
		return nil, err
	}
	places := r.places()
	known, err := w.addressesAt(ctx, n, places)
	if err != nil {
		return nil, err
	}
	if err := w.readSpent(ctx, r, known); err != nil {
		return nil, err
	}
	all := r.arriving()
	if len(places) == 0 {
		return nil, nil
	}
	shared, err := w.sharedAmong(ctx, n, places)
	if err != nil {
		return nil, err
	}
	r.noteCosts(func(address string) bool { return shared[address] || known[store.Place{Match: address}] != nil })
	var ours []arrival
	for i, a := range all {
		a.address = known[places[i]]
		if a.address == nil {
			a.address = known[store.Place{Match: a.To}]
		}
		if a.address != nil || shared[a.To] || r.funds(&a) {
			ours = append(ours, a)
		}
	}
	return w.withoutInside(ctx, r, r.noteAsides(ours))
}

// addressesAt returns our addresses among places. Without a place it asks nothing.
func (w *Worker) addressesAt(ctx context.Context, n *chains.Network, places []store.Place) (map[store.Place]*pay.Address, error) {
	if len(places) == 0 {
		return nil, nil
	}
	return w.Store.AddressesAt(ctx, n.Family, places)
}

// arriving returns all transfers of the step, those of blocks first.
func (r *reading) arriving() (all []arrival) {
	for i := range r.blocks {
		for _, t := range r.blocks[i].Transfers {
			all = append(all, arrival{Transfer: t, height: &r.blocks[i].Height, mined: &r.blocks[i].Time})
		}
	}
	for _, t := range r.pending.Transfers {
		all = append(all, arrival{Transfer: t})
	}
	return all
}

// places are where the transfers of the step went, in the order of arriving, and then the addresses of costs.
func (r *reading) places() (places []store.Place) {
	for i := range r.blocks {
		for _, t := range r.blocks[i].Transfers {
			places = append(places, placeOf(r.network, t))
		}
	}
	for _, t := range r.pending.Transfers {
		places = append(places, placeOf(r.network, t))
	}
	for i := range r.blocks {
		for _, c := range r.blocks[i].Costs {
			places = append(places, store.Place{Match: c.Address})
		}
	}
	return places
}

// sharedAmong returns the places that are addresses shared by payins with memos. A transfer there with no memo, or with an unknown
// one, is ours as well, and waits for the operator (addendum §8).
func (w *Worker) sharedAmong(ctx context.Context, n *chains.Network, places []store.Place) (map[string]bool, error) {
	if !n.Memo {
		return nil, nil
	}
	matches := make([]string, len(places))
	for i := range places {
		matches[i] = places[i].Match
	}
	return w.Store.SharedAddresses(ctx, n.Family, matches)
}

// placeOf is where a transfer went: on networks with memos the memo is part of it.
func placeOf(n *chains.Network, t chains.Transfer) store.Place {
	if n.Memo {
		return store.Place{Match: t.To, Memo: t.Memo}
	}
	return store.Place{Match: t.To}
}

// see records arrivals as seen, also known ones mined meanwhile or back again, and drops transfers gone from the mempool. It returns
// its transfers to payins, as they are now. Those credited at once are left to crediting.
func (w *Worker) see(ctx context.Context, tx *store.Store, r *reading, out *writing) (ofPayins []*pay.Transfer, err error) {
	known, err := knownTransfers(ctx, tx, r)
	if err != nil {
		return nil, err
	}
	var changed []newcomer
	for _, a := range r.found {
		t, isNew := w.transferOf(r.network, a, known)
		if !isNew && !updateKnown(t, a) {
			continue
		}
		if a.address == nil && !r.isOwn(a.To) {
			setReason(t, "no payin has this memo")
		}
		changed = append(changed, newcomer{a, t, isNew})
	}
	if err := assign(ctx, tx, r.network, out.tokens, changed); err != nil {
		return nil, err
	}
	transfers := make([]pay.Transfer, 0, len(changed))
	for _, n := range changed {
		if n.transfer.PayinID != nil {
			ofPayins = append(ofPayins, n.transfer)
		}
		if r.creditedAtOnce(&n) && len(out.atOnce) < transfersAtOnce {
			out.atOnce = append(out.atOnce, store.DueTransfer{Transfer: *n.transfer})
			continue
		}
		transfers = append(transfers, *n.transfer)
	}
	vanished, err := vanishedTransfers(ctx, tx, r)
	if err != nil {
		return nil, err
	}
	return ofPayins, tx.SaveTransfers(ctx, append(transfers, vanished...))
}

// key identifies a transfer on its network: its place, and its movement there. A transaction mined again may do something else in the
// same place.
type key struct {
	txid, token           string
	position              int
	address, memo, amount string
}

func keyOf(t *chains.Transfer) key {
	return key{t.Txid, t.Token, t.Position, t.To, t.Memo, t.Amount.String()}
}

func keyOfKnown(t *pay.Transfer) key {
	return key{t.Txid, t.Token, t.Position, t.Address, t.Memo, t.Amount.String()}
}

func knownTransfers(ctx context.Context, tx *store.Store, r *reading) (map[key]*pay.Transfer, error) {
	txids := make([]string, len(r.found))
	for i, a := range r.found {
		txids[i] = a.Txid
	}
	rows, err := tx.TransfersByTxid(ctx, r.network.Name, txids)
	if err != nil {
		return nil, err
	}
	known := make(map[key]*pay.Transfer, len(rows))
	for i := range rows {
		known[keyOfKnown(&rows[i])] = &rows[i]
	}
	return known, nil
}

// transferOf returns the known transfer of an arrival, or a new one.
func (w *Worker) transferOf(n *chains.Network, a arrival, known map[key]*pay.Transfer) (t *pay.Transfer, isNew bool) {
	k := keyOf(&a.Transfer)
	if t := known[k]; t != nil {
		return t, false
	}
	t = &pay.Transfer{ID: uuid.Must(uuid.NewV7()), Network: n.Name, Txid: a.Txid, Token: a.Token, Position: a.Position, Sender: a.From,
		Address: a.To, Memo: a.Memo, Amount: a.Amount, Status: pay.TransferSeen, Height: a.height, MinedAt: a.mined}
	known[k] = t
	return t, true
}

// updateKnown updates a known transfer by its arrival; false when nothing is new.
func updateKnown(t *pay.Transfer, a arrival) bool {
	switch {
	case t.Status == pay.TransferDropped:
		t.Status, t.Height = pay.TransferSeen, a.height
	case t.Status == pay.TransferSeen && t.Height == nil && a.height != nil:
		t.Height = a.height
	default:
		return false
	}
	if t.MinedAt == nil {
		t.MinedAt = a.mined
	}
	return true
}

// vanishedTransfers returns transfers once in the mempool and now neither there nor in a block.
func vanishedTransfers(ctx context.Context, tx *store.Store, r *reading) ([]pay.Transfer, error) {
	if !r.mempool || !r.caughtUp() {
		return nil, nil
	}
	waiting, err := tx.MempoolTransfers(ctx, r.network.Name)
	if err != nil {
		return nil, err
	}
	present := map[key]bool{}
	for i := range r.found {
		present[keyOf(&r.found[i].Transfer)] = true
	}
	var gone []pay.Transfer
	for _, t := range waiting {
		if !present[keyOfKnown(&t)] {
			t.Status = pay.TransferDropped
			gone = append(gone, t)
		}
	}
	return gone, nil
}
