package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"causeway/chains/sandbox"
	"causeway/internal/cli/connect"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
	"causeway/migrations"
	"causeway/tasks"
)

// booksPoll is the time between two looks at unclaimed books, to see them become live.
const booksPoll = time.Second

// claimPoll is the time between two polls of a scheduler waiting for the claim.
const claimPoll = 100 * time.Millisecond

var (
	errNoneReal = errors.New("NETWORKS_FILE names no network, and the books of DATABASE_URL are live ones: every process on them is given the file")
	errDevBooks = errors.New("DATABASE_URL: the database holds the books of causeway dev, which have simulated money: real networks need an empty one (NETWORKS_FILE)")
)

// claimBooks claims the database for good (docs/decisions/0019-sandbox-beside-live.md). The first real network makes the
// books live, without simulated networks from then on; only causeway dev has both. With simulated networks alone nobody
// claims the books: this is a trial, and the books may become live until a merchant has used them.
func (h *service) claimBooks(ctx context.Context) (err error) {
	s := h.settings
	switch {
	case s.Sandbox:
		h.books, _, err = h.store.ClaimBooks(ctx, store.SandboxBooks)
	case s.InDev:
		h.books, _, err = h.store.ClaimBooks(ctx, store.DevBooks)
	default:
		h.books, err = h.store.Books(ctx)
		if err == nil && h.books == store.NoBooks && len(h.file.Live) > 0 && h.as == migrations.SchedulerRole {
			h.books, err = h.awaitClaim(ctx)
		} else if err == nil && h.books == store.NoBooks && len(h.file.Live) > 0 {
			err = h.store.InTx(ctx, h.becomeLive(ctx))
		}
	}
	if err == nil {
		err = connect.MayUse(s, h.books)
	}
	if err == nil && h.live() && len(h.file.Live) == 0 {
		err = errNoneReal
	}
	return err
}

// awaitClaim waits until another role has made the books live: a scheduler may not post the write-off of that moment.
func (h *service) awaitClaim(ctx context.Context) (kind store.BooksKind, err error) {
	h.log.Info("waiting until another role has claimed the books for real networks")
	tick := time.NewTicker(claimPoll)
	defer tick.Stop()
	for err == nil && kind == store.NoBooks {
		select {
		case <-ctx.Done():
			return kind, ctx.Err()
		case <-tick.C:
		}
		kind, err = h.store.Books(ctx)
	}
	return kind, err
}

// live reports whether these are live books. Live books have no simulated network.
func (h *service) live() bool { return h.books == store.LiveBooks }

// becomeLive claims unclaimed books for real networks. It forgets the networks simulated in them, and writes off their
// treasury. Books used by a merchant do not become live: it returns an error.
func (h *service) becomeLive(ctx context.Context) func(tx *store.Store) error {
	return func(tx *store.Store) (err error) {
		var first bool
		if h.books, first, err = tx.ClaimBooks(ctx, store.LiveBooks); err != nil || !first {
			return err
		}
		used, err := tx.Used(ctx)
		if err != nil {
			return err
		}
		if len(used) > 0 {
			return fmt.Errorf("DATABASE_URL: the books have %s of simulated networks, and NETWORKS_FILE names a real one: live books begin in an empty database", strings.Join(used, ", "))
		}
		names, refs := make([]string, len(pay.Networks)), make([]uuid.UUID, len(pay.Networks))
		for i, n := range pay.Networks {
			names[i], refs[i] = n.Name, tasks.RefOf(n.Name)
		}
		if err := tx.Unfollow(ctx, names, string(tasks.FollowNetwork), refs); err != nil {
			return err
		}
		if err := writeOff(ctx, tx); err != nil {
			return err
		}
		return sandbox.Forget(ctx, tx.Q)
	}
}

// writeOff takes the holdings on simulated networks out of the treasury.
func writeOff(ctx context.Context, tx *store.Store) error {
	held, err := tx.LedgerHoldings(ctx)
	if err != nil {
		return err
	}
	var entries []ledger.Entry
	for network, assets := range held {
		for asset, amount := range assets {
			if !amount.IsZero() {
				entries = append(entries, ledger.TreasuryCorrected(network, asset, "simulated:"+network+":"+asset, amount.Neg()))
			}
		}
	}
	_, err = ledger.Post(ctx, tx.Q, entries...)
	return err
}

// watchBooks ends a trial when another process, with a real network, has made its books live.
func (h *service) watchBooks(ctx context.Context) error {
	if h.books != store.NoBooks {
		return nil
	}
	tick := time.NewTicker(booksPoll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		kind, err := h.store.Books(ctx)
		if err != nil {
			continue // the database is away; everything else here reports it
		}
		if kind == store.LiveBooks {
			return errNoneReal
		}
		if err := connect.MayUse(h.settings, kind); err != nil {
			return err
		}
	}
}
