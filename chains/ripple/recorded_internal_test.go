package ripple

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"

	"causeway/chains/ripple/client"
)

// recordedLedger is a ledger of the main network, as a node tells it in binary (testdata/recorded/README.md).
type recordedLedger struct {
	Source       string
	Hash         string               `json:"ledger_hash"`
	Data         string               `json:"ledger_data"`
	Transactions []client.Transaction `json:"transactions"`
}

func recorded(t testing.TB, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "recorded", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func recordedLedgers(t testing.TB) []recordedLedger {
	t.Helper()
	var all []recordedLedger
	if recorded(t, "ledgers.json", &all); len(all) != 2 {
		t.Fatalf("%d ledgers, want 2", len(all))
	}
	return all
}

// silent is a connector without a node.
func silent() *Connector {
	log := logrus.New()
	log.SetOutput(&strings.Builder{})
	return &Connector{log: log}
}

// told returns a recorded ledger as a node's answer.
func (r recordedLedger) told(t testing.TB) (*client.Ledger, client.Header) {
	t.Helper()
	h, ok := client.ReadHeader(r.Data)
	if !ok {
		t.Fatalf("%s: no header", r.Source)
	}
	raw := &client.Ledger{Hash: r.Hash, Index: h.Index, Validated: true}
	raw.Ledger.Data, raw.Ledger.Transactions = r.Data, r.Transactions
	return raw, h
}

// TestRecordedLedgers: real ledgers have the hash of their header, and the root of their transactions. Their payments are told.
func TestRecordedLedgers(t *testing.T) {
	t.Parallel()
	want := []struct {
		height   int64
		parent   string
		payments []string
	}{
		{38129, "3401E5B2E5D3A53EB0891088A5F2D9364BBB6CE5B37A337D2C0660DAF9C4175E", []string{"r3kmLJN5D28dHuH8vZNUZpMC43pEHpaocV 10000 rLQBHVhFnaC5gLEkgr6HgBJJ3bgeZHg9cj"}},
		{15202439, "12724A65B030C15A1573AA28B1BBB5DF3DA4589AA3623675A31CAE69B23B1C4E", nil},
	}
	for i, r := range recordedLedgers(t) {
		raw, h := r.told(t)
		if h.Hash.String() != r.Hash || h.Index != want[i].height || h.Parent.String() != want[i].parent {
			t.Errorf("%s: %+v, want %s", r.Source, h, r.Hash)
		}
		l, err := silent().parse(raw, h)
		if err != nil || len(l.txs) != len(r.Transactions) {
			t.Fatalf("%s: %v", r.Source, err)
		}
		for j, tx := range l.txs {
			if int(tx.index) != j {
				t.Errorf("%s: transaction %d is at %d", r.Source, tx.index, j)
			}
		}
		b := told(l)
		for j, m := range b.Transfers {
			if i == 0 && m.From+" "+m.Amount.String()+" "+m.To != want[i].payments[j] {
				t.Errorf("%s: %+v", r.Source, m)
			}
		}
		if i == 0 && len(b.Transfers) != 1 || i == 1 && len(b.Transfers) < 5 {
			t.Errorf("%s: %d transfers: %+v", r.Source, len(b.Transfers), b.Transfers)
		}
		raw.Ledger.Transactions = raw.Ledger.Transactions[1:]
		if _, err := silent().parse(raw, h); err == nil {
			t.Errorf("%s: a transaction is missing, and nobody notices", r.Source)
		}
	}
}

// recordedTransaction is a transaction of the main network.
type recordedTransaction struct {
	Source, Result, Delivered string
	Blob                      string `json:"tx_blob"`
	Meta                      string `json:"meta_blob"`
	Hash                      string
}

// TestRecordedTransactions: the real partial payment says 1,000,000,000 XRP and moves 0.004456. What fails moves nothing, and an escrow
// brings what it had.
func TestRecordedTransactions(t *testing.T) {
	t.Parallel()
	var all []recordedTransaction
	recorded(t, "transactions.json", &all)
	want := []string{"", "rPT1Sjq2YGrBMTttX4GZHjKu9dyfzbpAYe 0.004456", "rMhV8zfKJRqEspcayRfqa4FuzQg8kW5LdB 48.5"}
	if len(all) != len(want) {
		t.Fatalf("%d transactions, want %d", len(all), len(want))
	}
	for i, r := range all {
		blob, meta := unhex(t, r.Blob), unhex(t, r.Meta)
		id := txid(blob)
		tx, err := readTransaction(id, blob, meta)
		if err != nil || id.String() != r.Hash || tx.succeeded != (r.Result == "tesSUCCESS") {
			t.Fatalf("%s: %+v, %v", r.Source, tx, err)
		}
		got := ""
		for _, m := range tx.transfers() {
			got += m.To + " " + m.Amount.String()
		}
		if got != want[i] {
			t.Errorf("%s moves %q, want %q", r.Source, got, want[i])
		}
	}
}

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
