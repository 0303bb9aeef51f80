package main

import (
	"context"
	"fmt"
	"strings"

	"causeway/cmd/causeway/connect"
	"causeway/ledger"
	"causeway/store"
	"causeway/tasks"
)

// claimBooks claims the database for good, once live books and a sandbox's stand side by side, and says whether only real
// networks are served.
func (h *service) claimBooks(ctx context.Context) error {
	if h.settings.Sandbox {
		kind, err := h.store.ClaimBooks(ctx, store.SandboxBooks)
		if err != nil {
			return err
		}
		return connect.MayUse(h.settings, kind)
	}
	kind, err := h.store.Books(ctx)
	if err != nil {
		return err
	}
	h.realOnly = kind == store.LiveBooks || h.settings.SandboxDatabase != ""
	if !h.realOnly || kind == store.LiveBooks {
		return nil
	}
	return h.store.InTx(ctx, h.becomeLive(ctx))
}

// becomeLive claims books for real networks. What followed simulated ones before is forgotten, and the treasury that these
// came with is written off; books in which simulated money has moved cannot become live ones.
func (h *service) becomeLive(ctx context.Context) func(tx *store.Store) error {
	return func(tx *store.Store) error {
		kind, err := tx.ClaimBooks(ctx, store.LiveBooks)
		if err == nil {
			err = connect.MayUse(h.settings, kind)
		}
		if err != nil {
			return err
		}
		simulated, refs, err := h.settings.Simulated()
		if err != nil {
			return err
		}
		moved, err := tx.MovedOn(ctx, simulated)
		if err != nil {
			return err
		}
		if len(moved) > 0 {
			return fmt.Errorf("DATABASE_URL: the books hold simulated money of %s: live books beside a sandbox begin in an empty database", strings.Join(moved, ", "))
		}
		if err := tx.Unfollow(ctx, simulated, string(tasks.FollowNetwork), refs); err != nil {
			return err
		}
		return writeOff(ctx, tx, simulated)
	}
}

// writeOff takes what is held on networks out of the treasury.
func writeOff(ctx context.Context, tx *store.Store, networks []string) error {
	held, err := tx.LedgerHoldings(ctx)
	if err != nil {
		return err
	}
	var entries []ledger.Entry
	for _, network := range networks {
		for asset, amount := range held[network] {
			if !amount.IsZero() {
				entries = append(entries, ledger.TreasuryCorrected(network, asset, "simulated:"+network+":"+asset, amount.Neg()))
			}
		}
	}
	_, err = ledger.Post(ctx, tx.Q, entries...)
	return err
}
