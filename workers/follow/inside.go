package follow

import (
	"cmp"
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/store"
)

// isOwn reports whether an address is the operator's own: the hot wallet, or a cold address. Deposit addresses are in the table of
// addresses.
func (r *reading) isOwn(address string) bool { return address == r.network.Hot || r.isCold(address) }

// isCold reports whether an address is a cold one, of now or of before.
func (r *reading) isCold(address string) bool { return slices.Contains(r.state.Cold, address) }

// funds reports whether something in a block came to the hot wallet, or to a cold address, from elsewhere.
func (r *reading) funds(a *arrival) bool {
	return a.height != nil && r.isOwn(a.To) && r.network.Addresser.Match(a.From) != a.To
}

// withoutInside leaves out transfers from one address of ours to another: no money has arrived. A payout to an address of ours has, since
// its merchant has paid for it. Those of transactions not signed by us are kept as moves by hand.
func (w *Worker) withoutInside(ctx context.Context, r *reading, ours []arrival) ([]arrival, error) {
	if len(ours) == 0 {
		return nil, nil
	}
	senders, err := w.ownSenders(ctx, r, ours)
	if err != nil || len(senders) == 0 && !r.state.Signed {
		return ours, err
	}
	var txids []string
	for i := range ours {
		if r.state.Signed || senders[r.network.Addresser.Match(ours[i].From)] { // a former hot wallet is no sender of ours any more
			txids = append(txids, r.original(ours[i].Txid))
		}
	}
	signed, err := w.Store.MovesAmong(ctx, r.network.Name, txids)
	if err != nil {
		return nil, err
	}
	var outside []arrival
	for _, a := range ours {
		move, known := signed[r.original(a.Txid)]
		switch {
		case known && move:
		case !senders[r.network.Addresser.Match(a.From)] || known:
			outside = append(outside, a)
		case a.height != nil:
			r.inside = append(r.inside, a)
		}
	}
	return outside, nil
}

// ownSenders returns the senders of arrivals that are addresses of ours.
func (w *Worker) ownSenders(ctx context.Context, r *reading, ours []arrival) (map[string]bool, error) {
	n, own := r.network, map[string]bool{}
	var places []store.Place
	var matches []string
	for i := range ours {
		from := n.Addresser.Match(ours[i].From)
		if r.isOwn(from) {
			own[from] = true
			continue
		}
		places, matches = append(places, store.Place{Match: from}), append(matches, from)
	}
	if len(places) == 0 {
		return own, nil
	}
	known, err := w.Store.AddressesAt(ctx, n.Family, places)
	if err != nil {
		return nil, err
	}
	for place := range known {
		own[place.Match] = true
	}
	if !n.Memo {
		return own, nil
	}
	shared, err := w.Store.SharedAddresses(ctx, n.Family, matches)
	for match := range shared {
		own[match] = true
	}
	return own, err
}

// isInside reports whether a transfer of the step's blocks is a move by hand between addresses of ours.
func (r *reading) isInside(t *chains.Transfer) bool {
	return slices.ContainsFunc(r.inside, func(a arrival) bool { return keyOf(&a.Transfer) == keyOf(t) })
}

// movesByHand are the transactions of the step's blocks that moved money between addresses of ours, or out of a cold one, and are not
// signed by us.
func (r *reading) movesByHand() []store.MoveByHand {
	all := moves{reading: r, at: map[string]int{}}
	for i := range r.inside {
		a := &r.inside[i]
		m := all.of(a.Txid, *a.height)
		if m.Senders = append(m.Senders, r.network.Addresser.Match(a.From)); !r.isOwn(a.To) {
			m.Recipients = append(m.Recipients, a.To)
		}
	}
	for i := range r.spends {
		if u := &r.spends[i]; u.Sender != "" {
			m := all.of(u.Txid, u.Height)
			m.Senders = append(m.Senders, u.Sender)
		}
	}
	all.paidByOthers()
	return all.rows
}

// moves are moves by hand, by their transactions.
type moves struct {
	*reading
	at   map[string]int
	rows []store.MoveByHand
}

// of returns the row of a transaction.
func (m *moves) of(txid string, height int64) *store.MoveByHand {
	place, known := m.at[txid]
	if !known {
		place, m.at[txid] = len(m.rows), len(m.rows)
		row := store.MoveByHand{Network: m.network.Name, Txid: txid, Height: &height, Recipients: []string{}}
		if m.network.Exclusion == chains.ByCoins && !m.whole(txid) { // nobody says who has paid
			row.Cost = &decimal.Zero
		}
		m.rows = append(m.rows, row)
	}
	return &m.rows[place]
}

// paidByOthers sets the costs of moves that an address of ours has not sent, where the blocks name all senders.
func (m *moves) paidByOthers() {
	if m.network.Exclusion != chains.ByExpiry {
		return
	}
	sender := map[string]string{}
	for i := range m.blocks {
		for _, s := range m.blocks[i].Sent {
			sender[s.Txid] = cmp.Or(sender[s.Txid], s.From) // the first signer pays
		}
	}
	for i := range m.rows {
		row := &m.rows[i]
		if from := sender[row.Txid]; !m.isOwn(from) && !slices.Contains(row.Senders, from) {
			row.Cost = &decimal.Zero
		}
	}
}
