package guard

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
)

// sealsAtOnce is how many open payouts are read at a time when their seals are compared.
const sealsAtOnce = 5000

// errNoSeals says that a signing process was not given the key of seals.
var errNoSeals = errors.New("no key of seals here: SEAL_KEY is for those who sign")

// AsSealed fails unless a payout is as it was sealed when it was recorded. A broken seal stops the hot wallet of the payout's
// network: somebody writes to the database without the right to. A seal by a key not held here keeps only its payout from being
// signed.
func (g *Guard) AsSealed(ctx context.Context, n *chains.Network, p *pay.Payout) error {
	if g.Seals == nil {
		return errNoSeals
	}
	err := g.Seals.Check(p.Seal, p.Sealed()...)
	if errors.Is(err, vault.ErrUnknownKey) {
		return fmt.Errorf("payout %s is sealed under a key that SEAL_KEY does not name here", p.ID)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("payout %s is not what was asked for: its seal is broken", p.ID), g.stopForSeal(ctx, n, p.ID))
	}
	return nil
}

// stopForSeal keeps the hot wallet of a network from signing, since a payout there is not as it was sealed.
func (g *Guard) stopForSeal(ctx context.Context, n *chains.Network, payout uuid.UUID) error {
	return g.Store.InTx(ctx, func(tx *store.Store) error {
		next, err := tx.NextNonce(ctx, n.Name, n.Hot)
		if err != nil && !errors.Is(err, pay.ErrNotFound) {
			return err
		}
		fresh, err := tx.StopWallet(ctx, store.StoppedWallet{Network: n.Name, Address: n.Hot, Ours: next, Chain: next, BrokenSeal: &payout})
		if err != nil || !fresh {
			return err
		}
		g.LogFor(n).WithField("payout", payout).Error("a payout is not as it was sealed: nothing is signed on its network")
		return tx.AddAudit(ctx, "signer", "wallet.stop", "wallet:"+n.Name, nil, map[string]any{"broken_seal": payout})
	})
}

// brokenSeals returns the open payouts unlike their seals. Payouts sealed under a key not held here are left out: nothing can be said
// of them.
func (g *Guard) brokenSeals(ctx context.Context) (broken []pay.Payout, err error) {
	for after := uuid.Nil; ; {
		open, err := g.Store.OpenPayoutsAfter(ctx, after, sealsAtOnce)
		if err != nil {
			return nil, err
		}
		for i := range open {
			p := &open[i]
			if errors.Is(g.Seals.Check(p.Seal, p.Sealed()...), vault.ErrBroken) {
				broken = append(broken, *p)
			}
		}
		if len(open) < sealsAtOnce {
			return broken, nil
		}
		after = open[len(open)-1].ID
	}
}

// CheckSeals stops the wallets of the networks with open payouts unlike their seals.
func (g *Guard) CheckSeals(ctx context.Context) error {
	if g.Seals == nil {
		return nil
	}
	broken, err := g.brokenSeals(ctx)
	if err != nil {
		return err
	}
	stopped := map[string]bool{}
	for _, p := range broken {
		n, known := g.Networks.Network(p.Network)
		if !known || n.Hot == "" || stopped[n.Name] {
			continue
		}
		stopped[n.Name] = true
		if err := g.stopForSeal(ctx, n, p.ID); err != nil {
			return err
		}
	}
	return nil
}

// SealDifferences are the open payouts unlike their seals, as reconciliation shows them.
func (g *Guard) SealDifferences(ctx context.Context) ([]store.Difference, error) {
	if g.Seals == nil {
		return nil, nil
	}
	broken, err := g.brokenSeals(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]store.Difference, len(broken))
	for i, p := range broken {
		out[i] = store.Difference{Check: "an open payout is as it was sealed", Where: "payout " + p.ID.String(), Want: "what was asked for", Got: "a broken seal"}
	}
	return out, nil
}
