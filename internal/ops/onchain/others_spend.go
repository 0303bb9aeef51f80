package onchain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
	"causeway/workers/desk"
	"causeway/workers/settlement"
)

// undecided is a final transaction with spends of the hot wallet left to no other act of an operator, or of a cold address.
type undecided struct {
	txid  string
	cost  decimal.Decimal  // in the native coin; zero when somebody else sent it
	top   store.ChainBlock // followed last when its network was asked
	final int64            // blocks up to this height were final then
}

// undecidedOf asks the network about a transaction with undecided spends; nil when it has none. It leaves a transaction of the hot
// wallet to ResumeWallet while our books have not given out its nonce, and to BookSpend while a payout signed for its nonce is open.
func (o *Operator) undecidedOf(ctx context.Context, n *chains.Network, txid string) (*undecided, error) {
	spends, err := o.Store.SpendsOf(ctx, n.Name, txid)
	if err != nil || firstOpen(spends) == nil {
		return nil, err
	}
	top, err := o.followedLast(ctx, n)
	if err != nil {
		return nil, err
	}
	from, err := o.originOf(ctx, n, txid)
	if err != nil {
		return nil, fmt.Errorf("look up %s on %s: %w", txid, n.Name, err)
	}
	if from.Txid == "" {
		return nil, fmt.Errorf("%s knows no transaction %s", n.Name, txid)
	}
	final, why, err := o.finalOf(ctx, n)
	if err != nil {
		return nil, err
	}
	if why = cmp.Or(why, notFinal(spends, final)); why != "" {
		return nil, errors.New(why)
	}
	u := &undecided{txid: txid, top: top, final: final}
	cold := slices.ContainsFunc(spends, func(u store.UnknownSpend) bool { return u.Sender != "" && u.Sender == from.From })
	if from.From != n.Hot && !cold {
		return u, nil
	}
	if !cold {
		if err := o.decidedByNoOther(ctx, n, from); err != nil {
			return nil, err
		}
	}
	fees, err := o.feesOf(ctx, n, []string{txid})
	u.cost = fees[txid]
	return u, err
}

// decidedByNoOther fails if another command decides on a transaction of the hot wallet. The error names the command.
func (o *Operator) decidedByNoOther(ctx context.Context, n *chains.Network, own chains.Origin) error {
	if err := o.stopsWallet(ctx, n, own.Txid); err != nil {
		return err
	}
	next, err := o.Store.NextNonce(ctx, n.Name, n.Hot)
	if err != nil && !errors.Is(err, pay.ErrNotFound) {
		return err
	}
	if own.Nonce >= next {
		return fmt.Errorf("%s has nonce %d, which our books have not given out: that stops the wallet, and wallet resume books it", own.Txid, own.Nonce)
	}
	ids, _, err := o.openAt(ctx, n, own.Txid, own.Nonce)
	if err == nil && len(ids) > 0 {
		err = fmt.Errorf("%s has the nonce of payout %s: wallet book decides on both", own.Txid, ids[0])
	}
	return err
}

// ignore books a spend as the treasury's cost and as nobody's payout.
func (o *Operator) ignore(ctx context.Context, tx *store.Store, n *chains.Network, its *undecided) (*store.UnknownSpend, error) {
	if err := holds(ctx, tx, its.top); err != nil {
		return nil, err
	}
	spends, err := tx.SpendsOf(ctx, n.Name, its.txid)
	if err != nil {
		return nil, err
	}
	if why := notFinal(spends, its.final); why != "" {
		return nil, errors.New(why)
	}
	u := firstOpen(spends)
	if u == nil {
		return nil, fmt.Errorf("someone else has decided on %s meanwhile", its.txid)
	}
	cat, err := o.Catalogue.Now(ctx, tx)
	if err != nil {
		return nil, err
	}
	entries, err := its.costs(ctx, tx, n)
	if err != nil {
		return nil, err
	}
	entries = append(entries, ledger.TreasuryLost(n.Name, cat.Asset(u.Token, n.Name), settlement.PlaceInChain(u), u.Amount))
	if err := explained(ctx, tx, n, entries...); err != nil {
		return nil, err
	}
	u.Decision = new(store.SpendIgnored)
	return u, desk.Fenced(tx.DecideSpend(ctx, u, nil))
}

// costs returns the entries of the transaction's own fee. It is booked once, with the first of its spends.
func (u *undecided) costs(ctx context.Context, tx *store.Store, n *chains.Network) ([]ledger.Entry, error) {
	if u.cost.IsZero() {
		return nil, nil
	}
	booked, err := tx.GasBooked(ctx, settlement.GasOf(n, []string{u.txid}))
	if err != nil {
		return nil, err
	}
	return settlement.CostOf(n, u.txid, u.cost, nil, booked), nil
}

// firstOpen returns the first undecided spend, or nil.
func firstOpen(spends []store.UnknownSpend) *store.UnknownSpend {
	for i := range spends {
		if spends[i].Open() {
			return &spends[i]
		}
	}
	return nil
}
