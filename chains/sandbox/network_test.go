package sandbox_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/chains"
	"causeway/chains/sandbox"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
)

func TestTheSecondOfANonceIsRejectedForGood(t *testing.T) {
	t.Parallel()
	n, db := open(t, "Ethereum")
	o := sandbox.Operator{DB: db}
	first, second := sign(t, n, "1", 0), sign(t, n, "2", 0)
	accepted(t, n, first)
	rejected := func(when string) {
		t.Helper()
		if outcome, _ := n.Sender.Broadcast(t.Context(), second.Raw); outcome != chains.Rejected {
			t.Errorf("%s: outcome %d, want rejected", when, outcome)
		}
		wantState(t, n, second.Txid, chains.TxRejected)
	}
	rejected("in the mempool")
	_, err := o.Mine(t.Context(), "Ethereum", 1)
	must(t, err)
	_, err = o.Reorg(t.Context(), "Ethereum", 1, first.Txid)
	must(t, err)
	rejected("after the first was dropped")
	accepted(t, n, first)
}

func TestAReplacedTransactionMayOnlyComeBackWhenItsNonceIsFree(t *testing.T) {
	t.Parallel()
	n, db := open(t, "Ethereum")
	o := sandbox.Operator{DB: db}
	first := sign(t, n, "1", 0)
	accepted(t, n, first)
	draft, err := n.Sender.Prepare(t.Context(), chains.Spend{Over: [][]byte{first.Raw}})
	must(t, err)
	second, err := draft.Sign(chains.Slot{})
	must(t, err)
	accepted(t, n, second)
	if outcome, _ := n.Sender.Broadcast(t.Context(), first.Raw); outcome != chains.Underpriced {
		t.Errorf("replaced: outcome %d, want underpriced", outcome)
	}
	wantState(t, n, first.Txid, chains.TxMissing)
	_, err = o.Reorg(t.Context(), "Ethereum", 0, second.Txid)
	if err == nil {
		t.Error("a reorganisation of no blocks")
	}
	_, err = o.Mine(t.Context(), "Ethereum", 1)
	must(t, err)
	if outcome, _ := n.Sender.Broadcast(t.Context(), first.Raw); outcome != chains.SlotTaken {
		t.Errorf("replaced by what is in a block: outcome %d, want that its nonce is taken", outcome)
	}
	_, err = o.Reorg(t.Context(), "Ethereum", 1, second.Txid)
	must(t, err)
	accepted(t, n, first)
}

// TestFundsAreKept drains the hot wallet to the last unit: coin in the mempool is gone, dropped or replaced payments come back,
// and received coin can be spent once it is mined.
func TestFundsAreKept(t *testing.T) {
	t.Parallel()
	n, db := open(t, "Ethereum")
	o := sandbox.Operator{DB: db}
	most := sign(t, n, "79999.9999", 0)
	other := sign(t, n, "5", 1)
	accepted(t, n, most)
	if _, err := n.Sender.Prepare(t.Context(), one(order(t, n, "0.000001"))); !errors.Is(err, chains.ErrShort) {
		t.Errorf("an empty wallet: %v, want ErrShort", err)
	}
	if outcome, _ := n.Sender.Broadcast(t.Context(), other.Raw); outcome != chains.NotTaken {
		t.Errorf("signed before it was empty: outcome %d, want not taken", outcome)
	}
	wantState(t, n, other.Txid, chains.TxMissing)
	_, err := o.Pay(t.Context(), sandbox.Payment{Network: "Ethereum", Token: n.Coin, To: n.Hot, Amount: amount("6")})
	must(t, err)
	if _, err := n.Sender.Prepare(t.Context(), one(order(t, n, "5"))); !errors.Is(err, chains.ErrShort) {
		t.Errorf("what arrives is not mined: %v, want ErrShort", err)
	}
	_, err = o.Mine(t.Context(), "Ethereum", 1)
	must(t, err)
	accepted(t, n, other)
	_, err = o.Reorg(t.Context(), "Ethereum", 1, most.Txid)
	must(t, err)
	head, err := n.Scanner.Head(t.Context(), -1)
	must(t, err)
	held, err := n.Holder.Holdings(t.Context(), n.Coin, []string{n.Hot}, head.Height)
	if want := amount("80000.9999"); err != nil || !held[0].Equal(want) {
		t.Errorf("after the big one was dropped: %s, %v, want %s", held, err, want)
	}
}

func TestForeignBytesAreRejected(t *testing.T) {
	t.Parallel()
	n, _ := open(t, "Ethereum")
	other, _ := pay.NetworkNamed("Polygon")
	fine := string(sign(t, n, "1", 0).Raw)
	for _, raw := range []string{"", "{}", "null", fine + "x", fine + fine, `{"network":"` + other.Name + `"}`, `[]`, "\x00\xff"} {
		if outcome, reason := n.Sender.Broadcast(t.Context(), []byte(raw)); outcome != chains.Rejected || reason == "" {
			t.Errorf("%q: outcome %d, reason %q", raw, outcome, reason)
		}
	}
}

// TestQueries pins the cost of reading: a follower asks for the head and for blocks, and once more for those with transactions.
func TestQueries(t *testing.T) {
	t.Parallel()
	n, db := open(t, "Ethereum")
	count := &counter{}
	counted := sandbox.OpenAll(db.WithQueryHook(count), []pay.Network{n.Network}, sandbox.Options{Signs: true})[0]
	_, err := sandbox.Operator{DB: db}.Mine(t.Context(), "Ethereum", 3)
	must(t, err)
	blocks := func(from int64) error {
		found, err := counted.Scanner.Blocks(t.Context(), from, 100)
		if len(found) == 0 {
			t.Errorf("no blocks from %d", from)
		}
		return err
	}
	for name, c := range map[string]struct {
		want int64
		call func() error
	}{
		"head":                     {1, func() error { _, err := counted.Scanner.Head(t.Context(), -1); return err }},
		"empty blocks":             {1, func() error { return blocks(2) }},
		"blocks with transactions": {2, func() error { return blocks(1) }},
	} {
		count.n.Store(0)
		must(t, c.call())
		if got := count.n.Load(); got != c.want {
			t.Errorf("%s: %d queries, want %d", name, got, c.want)
		}
	}
}

type counter struct{ n atomic.Int64 }

func (c *counter) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context {
	c.n.Add(1)
	return ctx
}

func (c *counter) AfterQuery(context.Context, *bun.QueryEvent) {}

// TestEachTickHappensOnce lets many miners mine the same tick.
//
// Covers operator §Sandbox networks: A block comes every
func TestEachTickHappensOnce(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	must(t, sandbox.Genesis(t.Context(), db, sandbox.Funds, pay.Networks...))
	_, err := db.Exec("update sandbox_networks set mined_at = now() - interval '1 day'")
	must(t, err)
	miner := sandbox.Miner{DB: db, BlockTime: 1000 * time.Hour}
	_, err = db.Exec("update sandbox_networks set mined_at = '2001-01-01'")
	must(t, err)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := miner.Tick(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	var low, high int64
	must(t, db.NewRaw("select min(height), max(height) from sandbox_networks").Scan(t.Context(), &low, &high))
	if low != 2 || high != 2 {
		t.Errorf("heights %d to %d after one tick, want 2", low, high)
	}
}

// Covers operator §Sandbox networks: A block comes every
func TestMinerRuns(t *testing.T) {
	t.Parallel()
	n, db := open(t, "Ethereum")
	signed := sign(t, n, "1", 0)
	accepted(t, n, signed)
	ctx, end := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for _, blockTime := range []time.Duration{20 * time.Millisecond, 20 * time.Millisecond, 0} {
		miner := sandbox.Miner{DB: db, BlockTime: blockTime, Failed: func(err error) { t.Error(err) }}
		all.Go(func() { miner.Run(ctx) })
	}
	testkit.Eventually(t, time.Minute, func() bool {
		all, err := n.Watcher.Status(t.Context(), []string{signed.Txid})
		return err == nil && all[signed.Txid].Final
	}, "four blocks")
	end()
	all.Wait()
}

// TestEverybodyAtOnce lets senders, payers, miners and reorganisations loose on one network. Afterwards every transaction is in
// one block, one of each pair on a nonce won, and the hot wallet is short of exactly its payments.
func TestEverybodyAtOnce(t *testing.T) {
	t.Parallel()
	n, db := open(t, "Ethereum")
	o := sandbox.Operator{DB: db}
	const nonces, senders = 40, 4
	pairs := make([][2]chains.Signed, nonces)
	for i := range pairs {
		pairs[i] = [2]chains.Signed{sign(t, n, "1", uint64(i)), sign(t, n, "2", uint64(i))}
	}
	stop := churn(t, n, db)
	var work sync.WaitGroup
	var won [nonces]atomic.Int64
	for s := range senders {
		work.Go(func() {
			for i, pair := range pairs {
				if outcome, reason := n.Sender.Broadcast(t.Context(), pair[s%2].Raw); outcome == chains.Accepted {
					won[i].Or(1 << (s % 2))
				} else if outcome == chains.Unknown || outcome == chains.NotTaken {
					t.Errorf("nonce %d: %s", i, reason)
				}
				if _, err := o.Pay(t.Context(), sandbox.Payment{Network: "Ethereum", Token: n.Coin, To: n.Hot, Amount: amount("0.5")}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
	stop()
	height, err := o.Mine(t.Context(), "Ethereum", 1)
	must(t, err)

	want := amount("80000").Add(amount("0.5").Mul(decimal.NewFromInt(nonces * senders)))
	for i := range pairs {
		switch won[i].Load() {
		case 1:
			want = want.Sub(amount("1.0001"))
		case 2:
			want = want.Sub(amount("2.0001"))
		default:
			t.Errorf("nonce %d was won by %b", i, won[i].Load())
		}
	}
	held, err := n.Holder.Holdings(t.Context(), n.Coin, []string{n.Hot}, height)
	if err != nil || !held[0].Equal(want) {
		t.Errorf("the hot wallet holds %s, %v, want %s", held, err, want)
	}
	var genesis int
	must(t, db.NewRaw("select count(*) from sandbox_transactions where network = ? and height = 1", n.Name).Scan(t.Context(), &genesis))
	wantEachOnce(t, n, nonces+nonces*senders+genesis)
}

// wantEachOnce checks for so many transactions in blocks, each in one.
func wantEachOnce(t *testing.T, n *chains.Network, total int) {
	t.Helper()
	counts := map[string]int{}
	blocks, err := n.Scanner.Blocks(t.Context(), 1, 1_000_000)
	must(t, err)
	for _, b := range blocks {
		for _, transfer := range b.Transfers {
			counts[transfer.Txid]++
		}
	}
	for txid, times := range counts {
		if times != 1 {
			t.Errorf("%s is in %d blocks", txid, times)
		}
	}
	if len(counts) != total {
		t.Errorf("%d transactions are in blocks, want %d", len(counts), total)
	}
}

// churn mines and reorganises a network without a pause until it is stopped.
func churn(t *testing.T, n *chains.Network, db *bun.DB) (stop func()) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	var busy sync.WaitGroup
	o, miner := sandbox.Operator{DB: db}, sandbox.Miner{DB: db, BlockTime: time.Millisecond}
	for range 2 {
		busy.Go(func() {
			for ctx.Err() == nil {
				if err := miner.Tick(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	busy.Go(func() {
		for ctx.Err() == nil {
			if head, err := n.Scanner.Head(t.Context(), -1); err != nil || head.Height < 5 {
				continue
			}
			if _, err := o.Reorg(t.Context(), n.Name, 1+rand.IntN(3)); err != nil {
				t.Error(err)
			}
		}
	})
	return func() {
		end()
		busy.Wait()
	}
}

// TestNetworksThatAreAskedTogether: each has its own head, blocks and faults, and a missing one fails alone.
func TestNetworksThatAreAskedTogether(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	must(t, sandbox.Genesis(t.Context(), db, sandbox.Funds, pay.Networks[:5]...))
	for i, n := range pay.Networks[:5] {
		_, err := sandbox.Operator{DB: db}.Mine(t.Context(), n.Name, 3*i+2)
		must(t, err)
	}
	_, err := sandbox.Operator{DB: db}.SetFaults(t.Context(), pay.Networks[2].Name, map[string]string{"scan": "down"})
	must(t, err)
	var all sync.WaitGroup
	for i, n := range sandbox.OpenAll(db, pay.Networks[:6], sandbox.Options{}) {
		for from := range int64(3) {
			all.Go(func() {
				head, err := n.Scanner.Head(t.Context(), -1)
				blocks, err2 := n.Scanner.Blocks(t.Context(), from+1, 100)
				if i == 2 || i == 5 {
					if !errors.Is(err, chains.ErrDown) || !errors.Is(err2, chains.ErrDown) {
						t.Errorf("%s: %v, %v", n.Name, err, err2)
					}
					return
				}
				if err != nil || err2 != nil || head.Height != int64(3*i+3) || len(blocks) != int(head.Height-from) ||
					len(blocks[0].Transfers) != 0 && from > 0 {
					t.Errorf("%s from %d: %+v, %v, %d blocks, %v", n.Name, from, head, err, len(blocks), err2)
				}
			})
		}
	}
	all.Wait()
}
