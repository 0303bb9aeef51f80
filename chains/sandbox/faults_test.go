package sandbox_test

import (
	"context"
	"errors"
	"testing"

	"github.com/uptrace/bun"

	"causeway/chains"
	"causeway/chains/sandbox"
	"causeway/internal/pay"
)

// Covers operator §Sandbox networks: causeway sandbox faults set
func TestFaultsSwitchPartsOff(t *testing.T) {
	t.Parallel()
	n, db := open(t, "Ethereum")
	o := sandbox.Operator{DB: db}
	fine, earlier := order(t, n, "1"), sign(t, n, "1", 0)
	verbs := map[string]func() error{
		"head":     func() error { _, err := n.Scanner.Head(t.Context(), -1); return err },
		"blocks":   func() error { _, err := n.Scanner.Blocks(t.Context(), 1, 5); return err },
		"hash":     func() error { _, err := n.Scanner.Hash(t.Context(), 1); return err },
		"pending":  func() error { _, err := n.Mempool.Pending(t.Context()); return err },
		"status":   func() error { _, err := n.Watcher.Status(t.Context(), []string{"x"}); return err },
		"used":     func() error { _, err := n.Counter.NonceAt(t.Context(), n.Hot, 1); return err },
		"holdings": func() error { _, err := n.Holder.Holdings(t.Context(), n.Coin, []string{n.Hot}, 1); return err },
		"derive":   func() error { _, err := n.Addresser.Derive(t.Context(), 1); return err },
		"nonce":    func() error { _, err := n.Counter.NextNonce(t.Context(), n.Hot); return err },
		"prepare":  func() error { _, err := n.Sender.Prepare(t.Context(), one(fine)); return err },
		"cancel":   func() error { _, err := n.Sender.Prepare(t.Context(), chains.Spend{}); return err },
		"bump": func() error {
			_, err := n.Sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{fine}, Over: [][]byte{earlier.Raw}})
			return err
		},
	}
	scan := []string{"head", "blocks", "hash", "pending", "status", "used", "holdings"}
	send := []string{"nonce", "prepare", "cancel", "bump"}
	for _, c := range []struct {
		name, value string
		down        []string
	}{
		{"scan", "down", scan},
		{"address", "down", []string{"derive"}},
		{"broadcast", "down", send},
		{"broadcast", "reject", nil},
		{"broadcast", "timeout", nil},
		{"lose", "100", append(append([]string{"derive"}, scan...), send...)},
	} {
		_, err := o.ClearFaults(t.Context(), "Ethereum")
		must(t, err)
		setFault(t, o, "Ethereum", c.name, c.value)
		want := map[string]bool{}
		for _, verb := range c.down {
			want[verb] = true
		}
		for verb, call := range verbs {
			if got := errors.Is(call(), chains.ErrDown); got != want[verb] {
				t.Errorf("%s=%s: %s is down: %v, want %v", c.name, c.value, verb, got, want[verb])
			}
		}
	}
}

// Covers operator §Sandbox networks: With timeout-after-send
func TestBroadcastFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault         string
		during, after chains.Outcome // after the fault is cleared, with the same bytes
		left          chains.TxState // while the fault is on
	}{
		{"down", chains.Unknown, chains.Accepted, chains.TxMissing},
		{"timeout", chains.Unknown, chains.Accepted, chains.TxMissing},
		{"timeout-after-send", chains.Unknown, chains.Accepted, chains.TxPending},
		{"reject", chains.Rejected, chains.Rejected, chains.TxRejected},
	} {
		for _, network := range []string{"Ethereum", "Bitcoin", "Tron"} {
			t.Run(c.fault+" on "+network, func(t *testing.T) {
				t.Parallel()
				n, db := open(t, network)
				o := sandbox.Operator{DB: db}
				signed := sign(t, n, "25", 0)
				setFault(t, o, network, "broadcast", c.fault)
				if outcome, reason := n.Sender.Broadcast(t.Context(), signed.Raw); outcome != c.during || reason == "" {
					t.Errorf("outcome %d with reason %q, want %d with one", outcome, reason, c.during)
				}
				wantState(t, n, signed.Txid, c.left)
				_, err := o.ClearFaults(t.Context(), network)
				must(t, err)
				if outcome, reason := n.Sender.Broadcast(t.Context(), signed.Raw); outcome != c.after {
					t.Errorf("after the fault: outcome %d (%s), want %d", outcome, reason, c.after)
				}
				_, err = o.Mine(t.Context(), network, 5)
				must(t, err)
				want := chains.TxMined
				if c.after == chains.Rejected {
					want = chains.TxRejected
				}
				wantState(t, n, signed.Txid, want)
			})
		}
	}
}

// TestCopiedFault: a copy is mined under another id, and the bytes found for it have this id.
//
// Covers operator §Sandbox networks: With copied
func TestCopiedFault(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"Ethereum", "Dogecoin", "Tron"} {
		n, db := open(t, network)
		o := sandbox.Operator{DB: db}
		signed := sign(t, n, "25", 0)
		setFault(t, o, network, "broadcast", "copied")
		accepted(t, n, signed)
		_, err := o.ClearFaults(t.Context(), network)
		must(t, err)
		_, err = o.Mine(t.Context(), network, 1)
		must(t, err)
		if network != "Dogecoin" {
			wantState(t, n, signed.Txid, chains.TxMined)
			continue
		}
		wantState(t, n, signed.Txid, chains.TxMissing)
		blocks, err := n.Scanner.Blocks(t.Context(), 1, 10)
		must(t, err)
		txid := blocks[len(blocks)-1].Spent[0].Txid
		of, raw, err := n.Copy(t.Context(), txid, [][]byte{[]byte("{}"), signed.Raw})
		if err != nil || of != 1 || txid == signed.Txid {
			t.Errorf("%s is a copy of %d: %v", txid, of, err)
		}
		accepted(t, n, chains.Signed{Txid: txid, Raw: raw})
		setFault(t, o, network, "scan", "down")
		if _, _, err := n.Copy(t.Context(), txid, [][]byte{signed.Raw}); !errors.Is(err, chains.ErrDown) {
			t.Errorf("with scan down: %v", err)
		}
	}
}

func TestKnownIsAcceptedWhileOthersAreRejected(t *testing.T) {
	t.Parallel()
	n, db := open(t, "Ethereum")
	o := sandbox.Operator{DB: db}
	signed := sign(t, n, "25", 0)
	accepted(t, n, signed)
	setFault(t, o, "Ethereum", "broadcast", "reject")
	accepted(t, n, signed)
	_, err := o.Mine(t.Context(), "Ethereum", 1)
	must(t, err)
	accepted(t, n, signed)
}

// TestLostAnswers sends until an answer comes through: every transaction is there once, some answers were lost
// before they took effect and some after, and the same seed loses the same ones.
//
// Covers operator §Sandbox networks: With timeout-after-send
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	var all []lost
	for range 2 {
		t.Run("", func(t *testing.T) { all = append(all, loseSome(t)) })
	}
	if all[0] != all[1] {
		t.Errorf("the same seed lost %+v and %+v", all[0], all[1])
	}
	if all[0].effective == 0 || all[0].without == 0 {
		t.Errorf("lost with effect %d, without %d: both were due", all[0].effective, all[0].without)
	}
}

type lost struct{ effective, without int }

func loseSome(t *testing.T) (l lost) {
	t.Helper()
	n, db := open(t, "Tron")
	o := sandbox.Operator{DB: db}
	var all []chains.Signed
	for i := range uint64(30) {
		all = append(all, sign(t, n, "1", i))
	}
	setFault(t, o, "Tron", "lose", "60")
	for _, signed := range all {
		for {
			outcome, _ := n.Sender.Broadcast(t.Context(), signed.Raw)
			if outcome == chains.Accepted {
				break
			}
			if outcome != chains.Unknown {
				t.Fatalf("outcome %d", outcome)
			}
			if there(t, db, signed.Txid) {
				l.effective++
			} else {
				l.without++
			}
		}
	}
	return l
}

func there(t *testing.T, db *bun.DB, txid string) (found bool) {
	t.Helper()
	must(t, db.NewRaw("select exists (select from sandbox_transactions where txid = ?)", txid).Scan(t.Context(), &found))
	return found
}

func TestFaultsAreChecked(t *testing.T) {
	t.Parallel()
	_, db := open(t, "Tron")
	o := sandbox.Operator{DB: db}
	for name, value := range map[string]string{"broadcast": "maybe", "address": "reject", "scan": "", "lose": "101", "weather": "down"} {
		if _, err := o.SetFaults(t.Context(), "Tron", map[string]string{name: value}); err == nil {
			t.Errorf("%s=%s was taken", name, value)
		}
	}
	setFault(t, o, "Tron", "scan", "down")
	got, err := o.SetFaults(t.Context(), "Tron", map[string]string{"broadcast": "reject", "lose": "20"})
	if want := (sandbox.Faults{Broadcast: "reject", Scan: "down", Lose: 20}); err != nil || got != want {
		t.Errorf("faults %+v, %v, want %+v", got, err, want)
	}
	got, err = o.ClearFaults(t.Context(), "Tron")
	if err != nil || got != (sandbox.Faults{}) {
		t.Errorf("cleared: %+v, %v", got, err)
	}
}

func TestWithoutGenesisANetworkIsDown(t *testing.T) {
	t.Parallel()
	n, db := open(t, "Tron")
	bitcoin, _ := pay.NetworkNamed("Bitcoin")
	other := sandbox.OpenAll(db, []pay.Network{*bitcoin}, sandbox.Options{})[0]
	if _, err := other.Scanner.Head(t.Context(), -1); !errors.Is(err, chains.ErrDown) {
		t.Errorf("head of a network that was not made: %v, want ErrDown", err)
	}
	if other.Sender != nil || n.Sender == nil {
		t.Error("only a process that signs has a sender")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := n.Scanner.Head(ended, -1); !errors.Is(err, chains.ErrDown) || !errors.Is(err, context.Canceled) {
		t.Errorf("head with an ended context: %v, want ErrDown by Canceled", err)
	}
}

func setFault(t *testing.T, o sandbox.Operator, network, name, value string) {
	t.Helper()
	_, err := o.SetFaults(t.Context(), network, map[string]string{name: value})
	must(t, err)
}

func order(t *testing.T, n *chains.Network, units string) chains.Order {
	t.Helper()
	to, err := n.Addresser.Derive(t.Context(), 3)
	must(t, err)
	return chains.Order{To: to, Token: n.Coin, Amount: amount(units)}
}

// one is the spend of one order.
func one(o chains.Order) chains.Spend { return chains.Spend{Orders: []chains.Order{o}} }

func sign(t *testing.T, n *chains.Network, units string, nonce uint64) chains.Signed {
	t.Helper()
	draft, err := n.Sender.Prepare(t.Context(), one(order(t, n, units)))
	must(t, err)
	signed, err := draft.Sign(slot(t, n, draft, nonce))
	must(t, err)
	return signed
}

// slot is the slot of a number, with coins that nobody leases.
func slot(t *testing.T, n *chains.Network, draft chains.Draft, number uint64) chains.Slot {
	t.Helper()
	out := chains.Slot{Number: number}
	if chooser, ok := draft.(chains.Chooser); ok {
		head, err := n.Scanner.Head(t.Context(), -1)
		must(t, err)
		free, err := n.Unspent(t.Context(), head.Height)
		must(t, err)
		out.Coins, err = chooser.Choose(free)
		must(t, err)
	}
	return out
}

func accepted(t *testing.T, n *chains.Network, signed chains.Signed) {
	t.Helper()
	if outcome, reason := n.Sender.Broadcast(t.Context(), signed.Raw); outcome != chains.Accepted {
		t.Fatalf("outcome %d (%s), want accepted", outcome, reason)
	}
}

func wantState(t *testing.T, n *chains.Network, txid string, want chains.TxState) {
	t.Helper()
	all, err := n.Watcher.Status(t.Context(), []string{txid})
	must(t, err)
	if got := all[txid].State; got != want {
		t.Errorf("%s is in state %d, want %d", txid, got, want)
	}
}
