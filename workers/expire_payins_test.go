package workers_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/tasks"
)

// slower is a node some blocks behind the followed ones.
type slower struct {
	chains.Scanner
	blocks int64
}

func (n *slower) Head(ctx context.Context, _ int64) (chains.Head, error) {
	h, err := n.Scanner.Head(ctx, -1)
	h.Height, h.Credit, h.Final, h.Marks = h.Height-n.blocks, h.Credit-n.blocks, h.Final-n.blocks, nil
	return h, err
}

func (n *slower) Blocks(context.Context, int64, int) ([]chains.Block, error) { return nil, nil }

// mineUnseen adds blocks to a network while nobody follows it.
func (w *world) mineUnseen(network string, blocks int) {
	w.t.Helper()
	_, err := w.chain.Mine(context.Background(), network, blocks)
	require.NoError(w.t, err)
}

// ends lets a payin's time be over at this moment, and runs the job failing such payins.
func (w *world) ends(p *pay.Payin) {
	w.t.Helper()
	w.exec("update payins set expires_at = now() where id = ?", p.ID)
	w.expireNow()
}

// tryToFollow has each follower do one attempt; it may fail.
func (w *world) tryToFollow() {
	w.t.Helper()
	w.exec("update jobs set run_at = now() where kind = 'network.follow'")
	due, err := w.store.TakeDue(w.t.Context(), []string{string(tasks.FollowNetwork)}, 10, tasks.Visibility)
	require.NoError(w.t, err)
	for _, j := range due {
		if err := w.workers.Do(w.t.Context(), tasks.Job{Kind: tasks.FollowNetwork, Ref: j.Ref, Attempt: j.Attempt}); err != nil {
			require.ErrorIs(w.t, err, chains.ErrDown)
		}
	}
}

func (w *world) expireNow() {
	w.t.Helper()
	j, err := w.store.TakeJob(w.t.Context(), string(tasks.ExpirePayins), tasks.RefOf(string(tasks.ExpirePayins)), tasks.Visibility, "")
	require.NoError(w.t, err)
	require.NoError(w.t, w.workers.Do(w.t.Context(), tasks.Job{Kind: tasks.ExpirePayins, Ref: j.Ref, Attempt: j.Attempt}))
}

// A payment made in time and not known yet, whatever the reason, is not told as a failure.
//
// Covers addendum §8: No payin fails before
func TestPaidInTimeAndSeenLate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before func(w *world, p *pay.Payin) // its time is over
		after  func(w *world)               // the reason for its waiting
	}{
		"nobody follows": {func(w *world, p *pay.Payin) {
			w.pays("Ethereum", "ETH", p.Wallet, "1")
			w.mineUnseen("Ethereum", 4)
		}, nil},
		"the node is away": {func(w *world, p *pay.Payin) {
			w.pays("Ethereum", "ETH", p.Wallet, "1")
			w.mineUnseen("Ethereum", 4)
			w.faults("Ethereum", "scan", "down")
		}, func(w *world) { w.faults("Ethereum", "", "") }},
		"more blocks than one step takes": {func(w *world, p *pay.Payin) {
			w.mineUnseen("Ethereum", 120)
			w.pays("Ethereum", "ETH", p.Wallet, "1")
			w.mineUnseen("Ethereum", 4)
		}, nil},
		"a node is behind": {func(w *world, p *pay.Payin) {
			w.pays("Ethereum", "ETH", p.Wallet, "1")
			w.mineUnseen("Ethereum", 4)
			n, _ := w.registry.Network("Ethereum")
			n.Scanner = &slower{n.Scanner, 5}
		}, func(w *world) {
			n, _ := w.registry.Network("Ethereum")
			n.Scanner = n.Scanner.(*slower).Scanner
		}},
		"nodes disagree": {func(w *world, p *pay.Payin) {
			w.strand("Ethereum", destination)
			w.pays("Ethereum", "ETH", p.Wallet, "1")
			w.mineUnseen("Ethereum", 4)
		}, func(w *world) {
			n, _ := w.registry.Network("Ethereum")
			n.Scanner.(*twoNodes).dead = false
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			p, empty := w.payin("Ethereum", "ETH", "1"), w.payin("Ethereum", "ETH", "2")
			c.before(w, p)
			w.ends(empty)
			w.ends(p)
			require.Equal(t, pay.PayinPending, w.payinNow(p.ID).Status)
			require.Equal(t, pay.PayinPending, w.payinNow(empty.ID).Status, "nobody knows yet")
			w.tryToFollow()
			w.expireNow()
			require.NotEqual(t, pay.PayinFailed, w.payinNow(p.ID).Status)

			if c.after != nil {
				c.after(w)
			}
			w.mine("Ethereum", 4)
			require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
			require.Equal(t, pay.PayinFailed, w.payinNow(empty.ID).Status)
			told := w.receiver.got()
			for i := range told {
				told[i], _, _ = strings.Cut(told[i], ":") // whether one step detects and completes is another's test
			}
			require.ElementsMatch(t, []string{"payment_failed", "payment_detected", "payment_confirmed"}, told)
		})
	}
}

// Known payments are unknown while the blocks after a reorganisation are not read: a payment in them has left the books, and comes
// again.
//
// Covers addendum §8: No payin fails before
func TestAReorganisationHoldsTheExpiry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p := w.payin("Ethereum", "ETH", "1")
	w.pays("Ethereum", "ETH", p.Wallet, "1")
	w.mineUnseen("Ethereum", 1)
	w.exec("update payins set expires_at = now()")
	w.follow(t.Context()) // past it
	_, err := w.chain.Reorg(t.Context(), "Ethereum", 2)
	require.NoError(t, err)
	w.follow(t.Context())
	require.Equal(t, 1, w.count("select count(*) from transfers where status = 'dropped'"))
	w.expireNow()
	require.Equal(t, pay.PayinPending, w.payinNow(p.ID).Status)
	w.mine("Ethereum", 4)
	require.Equal(t, []string{"payment_detected:pending", "payment_confirmed:success"}, w.receiver.got())
}

// A payin waits for as long as its network is not followed, and the operator sees this; on a network not configured any more nothing
// is waited for.
//
// Covers addendum §8: No payin fails before
func TestAHaltedNetworkHoldsItsPayins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum", "Tron")
	p, other := w.payin("Ethereum", "ETH", "1"), w.payin("Tron", "USDT", "1")
	w.exec("update followers set halted = true, passed_until = null, error = 'too deep' where network = 'Ethereum'")
	w.exec("update payins set expires_at = now() - interval '3 days'")
	w.work()
	require.Equal(t, pay.PayinPending, w.payinNow(p.ID).Status)
	require.Equal(t, pay.PayinFailed, w.payinNow(other.ID).Status)
	h, err := (&admin.Admin{Store: w.store, Actor: "ops"}).Health(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, h.Network("Ethereum").Held)
	require.Zero(t, h.Network("Tron").Held)
	require.Contains(t, h.Troubles()[0].What, "1 expired payin waits for it to be followed")

	n, _ := w.registry.Network("Tron")
	all := w.workers.Networks
	w.workers.Networks, err = chains.NewRegistry(n)
	require.NoError(t, err)
	w.expireNow()
	require.Equal(t, pay.PayinPending, w.payinNow(p.ID).Status, "somebody followed it just now")
	w.exec("update followers set updated_at = now() - interval '10 minutes'")
	w.expireNow()
	w.workers.Networks = all
	require.Equal(t, pay.PayinFailed, w.payinNow(p.ID).Status)
	w.exec("update followers set halted = false, error = null")
	w.work()
}

// A transfer on another network of the address holds the expiry as one on the payin's own does, also while it is undone and the
// blocks possibly having it again are not read; a transfer gone for good does not.
//
// Covers addendum §8: At expires_at with less
func TestATransferOnAnotherNetworkHoldsTheExpiry(t *testing.T) {
	t.Parallel()
	for name, undo := range map[string]func(w *world, drop ...string){
		"reorganised": func(w *world, drop ...string) {
			_, err := w.chain.Reorg(w.t.Context(), "BinanceSmartChain", 1, drop...)
			require.NoError(w.t, err)
			w.tryToFollow()
		},
		"resumed": func(w *world, drop ...string) {
			head := int64(w.count("select max(height) from chain_blocks where network = 'BinanceSmartChain'"))
			w.exec("delete from chain_blocks where network = 'BinanceSmartChain' and height < ?", head)
			_, err := w.chain.Reorg(w.t.Context(), "BinanceSmartChain", 3, drop...)
			require.NoError(w.t, err)
			w.tryToFollow()
			w.tryToFollow()
			require.Equal(w.t, 1, w.count("select count(*) from followers where halted"))
			_, err = w.by("ops").ResumeNetwork(w.t.Context(), "BinanceSmartChain", head-3)
			require.NoError(w.t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum", "BinanceSmartChain")
			paid, lost := w.payin("Ethereum", "USDT", "10"), w.payin("Ethereum", "USDT", "10")
			w.pays("BinanceSmartChain", "USDT", paid.Wallet, "10")
			gone := w.pays("BinanceSmartChain", "USDT", lost.Wallet, "10")
			w.mine("BinanceSmartChain", 1)
			w.exec("update payins set expires_at = now()")
			w.mine("Ethereum", 1)
			undo(w, gone)
			require.Equal(t, 2, w.count("select count(*) from transfers where status = 'dropped'"))
			w.expireNow()
			require.Equal(t, pay.PayinPending, w.payinNow(paid.ID).Status)
			require.Equal(t, pay.PayinPending, w.payinNow(lost.ID).Status, "nobody knows yet")
			w.mine("BinanceSmartChain", 4)
			require.Equal(t, pay.PayinCompleted, w.payinNow(paid.ID).Status)
			require.Equal(t, pay.PayinFailed, w.payinNow(lost.ID).Status)
		})
	}
}

// A transfer seen on a network followed by nobody any more is never credited there: its payins end, whichever network they ask for.
//
// Covers addendum §8: No payin fails before
func TestWhatWasSeenOnARemovedNetworkHoldsNothing(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum", "BinanceSmartChain")
	there, here, well := w.payin("BinanceSmartChain", "USDT", "10"), w.payin("Ethereum", "USDT", "10"), w.payin("Ethereum", "USDT", "10")
	w.pays("BinanceSmartChain", "USDT", there.Wallet, "3")
	w.pays("BinanceSmartChain", "USDT", here.Wallet, "3")
	w.mine("BinanceSmartChain", 1)
	w.pays("Ethereum", "USDT", well.Wallet, "10")
	w.mine("Ethereum", 1)
	require.Equal(t, 3, w.count("select count(*) from transfers where status = 'seen'"))
	w.exec("update payins set expires_at = now() - interval '2 minutes'")
	w.exec("update followers set passed_until = now() - interval '90 seconds', halted = true where network = 'BinanceSmartChain'")
	w.expireNow()
	h, err := (&admin.Admin{Store: w.store, Actor: "ops"}).Health(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 2, h.Network("BinanceSmartChain").Held, "also one that asks for another network")
	require.Zero(t, h.Network("Ethereum").Held, "what waits for its confirmations is followed")

	n, _ := w.registry.Network("Ethereum")
	w.workers.Networks, err = chains.NewRegistry(n)
	require.NoError(t, err)
	w.expireNow()
	for _, p := range []*pay.Payin{there, here, well} {
		require.Equal(t, pay.PayinPending, w.payinNow(p.ID).Status, "somebody followed it just now")
	}
	w.exec("update followers set updated_at = now() - interval '10 minutes' where network = 'BinanceSmartChain'")
	w.expireNow()
	require.Equal(t, pay.PayinFailed, w.payinNow(there.ID).Status)
	require.Equal(t, pay.PayinFailed, w.payinNow(here.ID).Status)
	require.Equal(t, pay.PayinPending, w.payinNow(well.ID).Status)
}
