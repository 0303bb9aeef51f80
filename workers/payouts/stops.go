package payouts

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/workers/desk"
	"causeway/workers/guard"
	"causeway/workers/settlement"
)

// StopsAge is how old a process's knowledge of stops may be. The signing transaction asks the database once more.
const StopsAge = time.Second

// stops are the reasons to sign nothing, as this process last saw them.
type stops struct {
	mu       sync.Mutex
	at       time.Time
	assets   map[[2]string]string // asset and network, empty for every one -> why
	wallets  map[[2]string]bool   // network and address
	followed map[string]bool      // networks, and whether each is halted: its true state is unknown then
	doubtful []store.UnknownSpend
	limited  map[uuid.UUID]bool // merchants with payouts that may wait for approval; uuid.Nil = all
}

// maySign returns why nothing of a purpose may be signed for a payout now: it stays pending, and is tried again.
func (w *Worker) maySign(ctx context.Context, n *chains.Network, p *pay.Payout, purpose string) error {
	if err := w.Guard.Watch(ctx, n); err != nil {
		return err
	}
	limited, err := w.stopped(ctx, n, p, purpose)
	if err != nil || !limited || p.Status != pay.PayoutQueued {
		return err
	}
	return approved(ctx, w.Store, n, p)
}

// stopped returns why nothing may be signed, or whether the merchant has limits. A stopped asset is not paid out. A cancellation is
// signed all the same, also where the stopped asset is the native coin: it moves gas alone.
func (w *Worker) stopped(ctx context.Context, n *chains.Network, p *pay.Payout, purpose string) (limited bool, err error) {
	w.stops.mu.Lock()
	defer w.stops.mu.Unlock()
	if time.Since(w.stops.at) > StopsAge {
		if err := w.stops.read(ctx, w.Store); err != nil {
			return false, err
		}
	}
	if w.stops.wallets[[2]string{n.Name, n.Hot}] {
		return false, guard.ErrWalletStopped
	}
	switch halted, followed := w.stops.followed[n.Name]; {
	case !followed:
		return false, fmt.Errorf("%s is not followed yet: its payouts wait for the first step along it", n.Name)
	case halted:
		return false, fmt.Errorf("payouts on %s are stopped: %w", n.Name, desk.ErrHalted)
	}
	if err := w.stops.asset(p.Asset, n.Name); err != nil && purpose != pay.PurposeCancel {
		return false, err
	}
	for i := range w.stops.doubtful {
		if u := &w.stops.doubtful[i]; p.Status == pay.PayoutQueued && settlement.GoesTo(n, u, p) {
			return false, mayHavePaid(u)
		}
	}
	return w.stops.limited[p.MerchantID] || w.stops.limited[uuid.Nil], nil
}

// mayHavePaid names a spend that may have paid a payout, and how an operator decides whether it has.
func mayHavePaid(u *store.UnknownSpend) error {
	how := fmt.Sprintf("causeway admin wallet assign %s %s --payout ID, or --nobody", u.Network, u.Txid)
	switch {
	case u.Decision == nil && u.UndoneAt != nil:
		how = fmt.Sprintf("it is in no block any more; once it can never be mined again, causeway admin wallet dismiss %s %s", u.Network, u.Txid)
	case u.Decision == nil:
		how = "wallet resume (if the wallet is stopped), wallet book or wallet assign decides on it"
	}
	return fmt.Errorf("%s, which our books do not know, moved %s %s from the hot wallet to the same recipient: %s",
		u.Txid, u.Amount, u.Token, how)
}

// asset returns why nothing is paid of an asset on a network, or nil.
func (c *stops) asset(asset, network string) error {
	for _, on := range []string{"", network} {
		if why, stopped := c.assets[[2]string{asset, on}]; stopped {
			return fmt.Errorf("payouts of %s are stopped: %s", store.StoppedAsset{Asset: asset, Network: on}.Place(), why)
		}
	}
	return nil
}

func (c *stops) read(ctx context.Context, s *store.Store) error {
	assets, err := s.StoppedAssets(ctx)
	if err != nil {
		return err
	}
	wallets, err := s.AllStops(ctx)
	if err != nil {
		return err
	}
	if c.followed, err = s.FollowedNetworks(ctx); err != nil {
		return err
	}
	if c.doubtful, err = s.DoubtfulSpends(ctx); err != nil {
		return err
	}
	if c.limited, err = s.LimitedMerchants(ctx); err != nil {
		return err
	}
	c.assets, c.wallets = map[[2]string]string{}, map[[2]string]bool{}
	for _, a := range assets {
		c.assets[[2]string{a.Asset, a.Network}] = a.Reason
	}
	for _, w := range wallets {
		c.wallets[[2]string{w.Network, w.Address}] = true
	}
	c.at = time.Now()
	return nil
}
