package rippled

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// vector is a transaction of xrpl.js, with what it was built from.
type vector struct {
	Kind, Key, Account, Fee, Amount, Destination string
	Sequence                                     uint32
	LastLedgerSequence                           uint32
	NetworkID, DestinationTag                    *uint32
	SetFlag, ClearFlag                           uint32
	Public, Signature, Blob, Hash                string
}

func readVectors(t *testing.T) []vector {
	t.Helper()
	raw, err := os.ReadFile("../../../chains/ripple/testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Transactions []vector }
	if err := json.Unmarshal(raw, &file); err != nil || len(file.Transactions) != 200 {
		t.Fatalf("%d vectors, want 200: %v", len(file.Transactions), err)
	}
	return file.Transactions
}

// TestOraclesTransactionsAreRead: each has the id, the signature and the words of xrpl.js, and is written as xrpl.js writes it.
func TestOraclesTransactionsAreRead(t *testing.T) {
	t.Parallel()
	for _, v := range readVectors(t) {
		tx, err := readTransaction(unhex(t, v.Blob))
		if err != nil {
			t.Fatalf("%s: %v", v.Hash, err)
		}
		key := KeyFromBytes(unhex(t, v.Key))
		if hexOf(tx.id[:]) != v.Hash || !verifies(tx.key, tx.signature, tx.signing) || hexOf(key.sign(tx.signing)) != v.Signature {
			t.Errorf("%s: read as %x, signed by %x", v.Hash, tx.id, tx.key)
		}
		if key.Text() != v.Account || accountOfKey(tx.key) != tx.account || tx.account.String() != v.Account {
			t.Errorf("%s: of %s, want %s", v.Hash, tx.account, v.Account)
		}
		same := func(a, b *uint32) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }
		if decimal(tx.fee) != v.Fee || tx.sequence != v.Sequence || *tx.last != v.LastLedgerSequence || !same(tx.network, v.NetworkID) ||
			!same(tx.tag, v.DestinationTag) || tx.set != v.SetFlag || tx.clear != v.ClearFlag {
			t.Errorf("%s: %+v, want %+v", v.Hash, tx, v)
		}
		if v.Kind != "set" && (decimal(tx.amount) != v.Amount || tx.destination.String() != v.Destination) {
			t.Errorf("%s: %d to %s, want %s to %s", v.Hash, tx.amount, tx.destination, v.Amount, v.Destination)
		}
		d := draft{network: v.NetworkID, kind: tx.kind, flags: fullyCanonical, sequence: v.Sequence, last: &v.LastLedgerSequence, fee: tx.fee, amount: tx.amount,
			to: tx.destination, tag: v.DestinationTag, key: key, account: tx.account}
		if v.SetFlag != 0 {
			d.set = &v.SetFlag
		}
		if v.ClearFlag != 0 {
			d.more = object{}.uint32(fieldClearFlag, v.ClearFlag)
		}
		if got := hexOf(d.blob()); got != v.Blob {
			t.Errorf("%s: written as %s, want %s", v.Hash, got, v.Blob)
		}
	}
}

// TestBrokenTransactionsDoNoHarm changes bytes of the oracle's transactions by chance. None is taken.
func TestBrokenTransactionsDoNoHarm(t *testing.T) {
	t.Parallel()
	n, _ := newNode(t, Options{})
	chance := rand.New(rand.NewPCG(3, 4))
	for _, v := range readVectors(t) {
		whole := unhex(t, v.Blob)
		for range 20 {
			broken := slices.Clone(whole)
			for range 1 + chance.IntN(3) {
				broken[chance.IntN(len(broken))] ^= byte(1 + chance.IntN(255))
			}
			broken = broken[:len(broken)-chance.IntN(2)*chance.IntN(len(broken))]
			tx, err := readTransaction(broken)
			if err != nil {
				continue
			}
			if verifies(tx.key, tx.signature, tx.signing) {
				t.Errorf("%x is signed", broken)
			}
			if n.submit(tx) == tesSUCCESS {
				t.Errorf("%x was taken", broken)
			}
		}
	}
	if n.Waiting() != 0 {
		t.Errorf("%d wait", n.Waiting())
	}
}
