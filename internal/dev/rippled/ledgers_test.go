package rippled

import (
	"fmt"
	"testing"
)

// told is a ledger as a node tells it.
type told struct {
	Error     string
	Hash      string `json:"ledger_hash"`
	Index     int64  `json:"ledger_index"`
	Validated bool
	Ledger    struct {
		Data         string `json:"ledger_data"`
		Parent       string `json:"parent_hash"`
		Root         string `json:"transaction_hash"`
		Closed       bool
		Transactions []shown
	}
}

func ledgerAt(t *testing.T, n *Node, index any) told {
	t.Helper()
	var l told
	ask(t, n, "ledger", map[string]any{"ledger_index": index, "transactions": true, "expand": true, "binary": true, "api_version": 2}, &l)
	return l
}

// TestLedgersAreLinked: each names the one before by its hash, and a payment is in the ledger that says so.
func TestLedgersAreLinked(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	d := n.draft(sender)
	s := submit(t, n, d.blob())
	tx, _ := readTransaction(d.blob())
	if now := transactionOf(t, n, hexOf(tx.id[:])); s.Result != tesSUCCESS || now.Validated || now.Blob == "" {
		t.Errorf("%+v, and in the open ledger it is %+v", s, now)
	}
	height := n.Close(1)
	now := transactionOf(t, n, hexOf(tx.id[:]))
	if !now.Validated || now.Ledger != height || resultOf(t, n, now.Hash) != 0 {
		t.Errorf("%+v, want it in %d", now, height)
	}
	parent := ""
	for i := int64(1); i <= height; i++ {
		var words told
		ask(t, n, "ledger", map[string]any{"ledger_index": fmt.Sprint(i), "api_version": 2}, &words)
		binary := ledgerAt(t, n, i)
		if words.Hash != binary.Hash || words.Index != i || parent != "" && words.Ledger.Parent != parent || !words.Validated {
			t.Errorf("ledger %d: %+v, %+v, want the parent %s", i, words, binary, parent)
		}
		if got := half(prefixLedger, unhex(t, binary.Ledger.Data)); hexOf(got[:]) != words.Hash {
			t.Errorf("ledger %d is %s by its header, and %s", i, hexOf(got[:]), words.Hash)
		}
		parent = words.Hash
	}
	if top := ledgerAt(t, n, "validated"); len(top.Ledger.Transactions) != 1 || top.Ledger.Transactions[0].Hash != now.Hash {
		t.Errorf("%+v", top)
	}
	if l := ledgerAt(t, n, height+1); l.Error != "lgrNotFound" {
		t.Errorf("the next ledger is %+v", l)
	}
}

// TestPastStatesAreKept: an account is told as it was in each ledger.
func TestPastStatesAreKept(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	before := n.Height()
	submit(t, n, n.draft(sender).blob())
	if now := accountAt(t, n, sender.Text(), "current"); now.Data.Balance != "9998999990" {
		t.Errorf("in the open ledger %+v", now)
	}
	n.Close(1)
	for ledger, want := range map[int64]string{before - 1: "", before: "10000000000", before + 1: "9998999990"} {
		if got := accountAt(t, n, sender.Text(), ledger); got.Data.Balance != want || (want == "") != (got.Error == "actNotFound") {
			t.Errorf("at %d: %+v, want %q", ledger, got, want)
		}
	}
	if got := accountAt(t, n, sender.Text(), before); got.Data.Sequence != uint32(before) {
		t.Errorf("an account of ledger %d begins with %d", before, got.Data.Sequence)
	}
}

// TestPlayedTransactions: what they deliver arrives, and no more.
func TestPlayedTransactions(t *testing.T) {
	t.Parallel()
	n, leaver := newNode(t, Options{})
	to := KeyOf("receiver")
	must(t)(n.Fund(to.Text(), nil, drops))
	n.Close(1)
	want := int64(drops)
	for name, play := range map[string]struct {
		do     func() (string, error)
		comes  int64
		result uint8
	}{
		"partly": {func() (string, error) { return n.PayPartly(to.Text(), pointer(7), 1_000*drops, 3) }, 3, 0},
		"issued": {func() (string, error) { return n.PayIssued(to.Text(), pointer(7), 1_000) }, 0, 0},
		"vain":   {func() (string, error) { return n.PayInVain(to.Text(), pointer(7), 1_000*drops) }, 0, codes[tecPATHDRY]},
		"escrow": {func() (string, error) { return n.FinishEscrow(to.Text(), 5*drops) }, 5 * drops, 0},
		"leave":  {func() (string, error) { return n.Leave(leaver, to.Text(), nil) }, 10_000*drops - drops/5, 0},
	} {
		txid := must(t)(play.do())
		n.Close(1)
		want += play.comes
		if got := accountAt(t, n, to.Text(), "validated"); got.Data.Balance != decimal(want) {
			t.Errorf("%s: %s, want %d", name, got.Data.Balance, want)
		}
		if got := resultOf(t, n, txid); got != play.result {
			t.Errorf("%s: result %d", name, got)
		}
	}
	if got := accountAt(t, n, leaver.Text(), "validated"); got.Error != "actNotFound" {
		t.Errorf("it has left, and %+v", got)
	}
}

// TestPagesOfAnAccount: account_tx lists all, page by page, in both directions.
func TestPagesOfAnAccount(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	for range 3 {
		for range 3 {
			submit(t, n, n.draft(sender).blob())
		}
		n.Close(1)
	}
	for _, forward := range []bool{true, false} {
		var seen []string
		var next any
		for range 20 {
			var page struct {
				Transactions []shown
				Marker       any
			}
			params := map[string]any{"account": sender.Text(), "binary": true, "ledger_index_min": -1, "ledger_index_max": -1, "forward": forward, "limit": 2}
			if next != nil {
				params["marker"] = next
			}
			ask(t, n, "account_tx", params, &page)
			for _, s := range page.Transactions {
				seen = append(seen, s.Hash)
			}
			if next = page.Marker; next == nil {
				break
			}
		}
		unique := map[string]bool{}
		for _, s := range seen {
			unique[s] = true
		}
		if len(seen) != 10 || len(unique) != 10 {
			t.Errorf("forward %v: %d listed, %d of them once, want 10", forward, len(seen), len(unique))
		}
	}
}

// TestWhatIsShownInBinaryAlone: other forms are refused, and unknown methods and accounts too.
func TestWhatIsShownInBinaryAlone(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	paid := must(t)(n.Send(sender, Rich.Text(), nil, 1))
	n.Close(1)
	for method, params := range map[string]map[string]any{
		"ledger":       {"ledger_index": "validated", "transactions": true, "expand": true},
		"account_tx":   {"account": sender.Text()},
		"tx":           {"transaction": paid},
		"account_info": {"account": "nobody"},
		"nonsense":     {},
	} {
		var got struct{ Error string }
		if ask(t, n, method, params, &got); got.Error == "" {
			t.Errorf("%s is answered", method)
		}
	}
}
