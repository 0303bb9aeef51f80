package follow

import (
	"context"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/store"
	"causeway/ledger"
	"causeway/workers/catalogue"
)

// coldOpening is what a cold address held at the block after which the follower watches it, by asset.
type coldOpening struct {
	address string
	height  int64
	held    map[string]decimal.Decimal
}

// openCold reads the holdings of cold addresses that are not in the books yet, at the block before the step's. The step books them, and
// watches these addresses from its blocks on. A node may have no old state: behind its head by much the step opens nothing.
func (w *Worker) openCold(ctx context.Context, r *reading, before int64) error {
	n := r.network
	missing := slices.Clone(r.state.Undone)
	if n.Cold != "" && n.Cold != n.Hot && !slices.Contains(r.state.Cold, n.Cold) && !slices.Contains(missing, n.Cold) {
		missing = append(missing, n.Cold)
	}
	if len(missing) == 0 || r.head.Height-before > blocksAtOnce {
		return nil
	}
	for _, address := range missing {
		held, err := w.heldAt(ctx, n, address, before)
		if err != nil {
			return err
		}
		r.cold = append(r.cold, coldOpening{address, before, held})
	}
	if hash, err := n.Scanner.Hash(ctx, before); err != nil || r.state.Height >= 0 && hash != r.state.Hash {
		r.cold = nil // of another chain than was followed: the next step asks again
		return err
	}
	r.state.Cold = append(r.state.Cold, missing...)
	return nil
}

// heldAt returns the holdings of an address at a height, by asset; nothing before the first block.
func (w *Worker) heldAt(ctx context.Context, n *chains.Network, address string, height int64) (map[string]decimal.Decimal, error) {
	cat, err := w.Catalogue.On(ctx, w.Store, n)
	if err != nil || height < 0 {
		return nil, err
	}
	out := map[string]decimal.Decimal{}
	for _, token := range cat.On(n.Name) {
		held, err := n.Holder.Holdings(ctx, token.Symbol, []string{address}, height)
		if err != nil {
			return nil, fmt.Errorf("cold address of %s: %w", n.Name, err)
		}
		out[token.BalanceKey] = out[token.BalanceKey].Add(held[0])
	}
	return out, nil
}

// bookCold books the holdings of cold addresses as the operator's money, so the ledger equals the chain.
func bookCold(ctx context.Context, tx *store.Store, r *reading, out *writing) error {
	for _, c := range r.cold {
		booked, err := openings(ctx, tx, out.tokens, r.network.Name, c.address)
		if err != nil {
			return err
		}
		fresh, err := tx.OpenCold(ctx, r.network.Name, c.address, c.height)
		if err != nil || !fresh {
			return err
		}
		for asset, was := range booked {
			if held := c.held[asset]; held.IsPositive() {
				out.entries = append(out.entries, ledger.ColdOpened(r.network.Name, c.address, asset, was.Times, held))
			}
		}
	}
	return nil
}

// undoCold takes back the openings of cold addresses at blocks that the chain has left. The next step opens them again.
func undoCold(ctx context.Context, tx *store.Store, c *catalogue.Catalogue, network string, to int64) error {
	undone, err := tx.UndoCold(ctx, network, to)
	if err != nil || len(undone) == 0 {
		return err
	}
	cat, err := c.Now(ctx, tx)
	if err != nil {
		return err
	}
	var entries []ledger.Entry
	for _, address := range undone {
		booked, err := openings(ctx, tx, cat, network, address)
		if err != nil {
			return err
		}
		for asset, was := range booked {
			if was.Amount.IsPositive() {
				entries = append(entries, ledger.ColdUndone(network, address, asset, was.Times, was.Amount))
			}
		}
	}
	_, err = ledger.Post(ctx, tx.Q, entries...)
	return err
}

// openings returns what is booked of the opening of a cold address, for each asset of its network.
func openings(ctx context.Context, tx *store.Store, cat *catalogue.Table, network, address string) (map[string]store.Booked, error) {
	out := map[string]store.Booked{}
	for _, token := range cat.On(network) {
		if _, read := out[token.BalanceKey]; read {
			continue
		}
		booked, err := tx.OpeningBooked(ctx, ledger.Cold(network, address, token.BalanceKey))
		if err != nil {
			return nil, err
		}
		out[token.BalanceKey] = booked
	}
	return out, nil
}
