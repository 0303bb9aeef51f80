package ripple_test

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"testing"

	"causeway/chains"
	"causeway/chains/ripple"
	"causeway/internal/dev/rippled"
)

// numbered has a node tell an account's number as so many more. One below the first is told as no account.
func (p *liar) numbered(by int64) {
	p.tell("account_info", func(answer any) any {
		result := answer.(map[string]any)["result"].(map[string]any)
		data, found := result["account_data"].(map[string]any)
		if !found {
			return answer
		}
		sequence, _ := data["Sequence"].(json.Number).Int64()
		if sequence+by < 1 {
			return map[string]any{"result": map[string]any{"status": "error", "error": "actNotFound"}}
		}
		data["Sequence"] = sequence + by
		return answer
	})
}

// among opens the connector on nodes with one chain, and returns them.
func among(t *testing.T, count int) (*launched, []*liar) {
	t.Helper()
	node := rippled.Start(t, rippled.Options{})
	var all []*liar
	var urls []string
	for range count {
		p := &liar{to: node.URL}
		server := httptest.NewServer(p)
		t.Cleanup(server.Close)
		all, urls = append(all, p), append(urls, server.URL)
	}
	return on(t, node, func(c *ripple.Config) { c.RPC = urls }), all
}

// TestALieAboutANumber: the number of a deposit address is the one that two nodes tell, whatever the first one says, and whoever lies is left
// alone. Of two nodes the lower number counts. The address is swept with it.
//
// Covers operator §Settings: The number of a deposit address
func TestALieAboutANumber(t *testing.T) {
	t.Parallel()
	for name, lies := range map[string][]int64{
		"too high, of the first of three": {7, 0, 0}, "too low, of the first of three": {-3, 0, 0}, "no account, of the first of three": {-1 << 40, 0, 0},
		"too high, of the second of three": {0, 7, 0}, "too high, of the first of two": {7, 0}, "too high, of the second of two": {0, 7},
		"no account, of the second of two": {0, -1 << 40}, "no lie": {0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, nodes := among(t, len(lies))
			from := l.deposited(t, 7, "20")
			l.node.Close(1)
			want, err := l.NonceAt(t.Context(), from.Address, l.node.Height())
			check(t, err)
			for i, by := range lies {
				nodes[i].numbered(by)
			}
			got, err := l.NextNonce(t.Context(), from.Address)
			if err != nil || got != want {
				t.Fatalf("%d, %v: want %d", got, err, want)
			}
			for i, one := range l.Network().Nodes() {
				if left := len(lies) > 2 && lies[i] != 0; one.Left != left {
					t.Errorf("node %d is left alone: %t", i+1, one.Left)
				}
			}
			draft, err := l.sender.Prepare(t.Context(), l.sweepOf(from, "5"))
			check(t, err)
			signed, err := draft.Sign(chains.Slot{Number: got})
			check(t, err)
			l.outcome(t, signed.Raw, chains.Accepted)
		})
	}
}

// TestAnAddressThatNoNodeKnows is short of its reserve.
func TestAnAddressThatNoNodeKnows(t *testing.T) {
	t.Parallel()
	l, _ := among(t, 2)
	l.node.Close(1)
	if _, err := l.NextNonce(t.Context(), stranger("nobody")); !errors.Is(err, chains.ErrShort) {
		t.Errorf("%v, want ErrShort", err)
	}
}

// TestANumberThatIsNeverReached: a node keeps the transaction, and waits for the numbers before. Once its last ledger is validated, its time is
// over, whatever the node still knows.
func TestANumberThatIsNeverReached(t *testing.T) {
	t.Parallel()
	l := launch(t)
	from := l.deposited(t, 7, "20")
	number, err := l.NextNonce(t.Context(), from.Address)
	check(t, err)
	draft, err := l.sender.Prepare(t.Context(), l.sweepOf(from, "5"))
	check(t, err)
	signed, err := draft.Sign(chains.Slot{Number: number + 2})
	check(t, err)
	l.outcome(t, signed.Raw, chains.Accepted)
	l.wantState(t, signed.Txid, chains.TxPending)
	l.node.Close(ripple.Life + 1)
	l.outcome(t, signed.Raw, chains.Expired)
	l.wantState(t, signed.Txid, chains.TxMissing)
}

func (l *launched) wantState(t *testing.T, txid string, want chains.TxState) {
	t.Helper()
	states, err := l.Status(t.Context(), []string{txid})
	if err != nil || states[txid].State != want {
		t.Errorf("state %d, %v: want %d", states[txid].State, err, want)
	}
}
