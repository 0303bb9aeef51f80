package tronnode

import (
	"encoding/hex"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// vector is a transaction of tronweb, with what it was built from.
type vector struct {
	Kind, Key, From, To, Contract, Resource, Amount string
	FeeLimit                                        int64 `json:"fee_limit"`
	Expiration, Timestamp                           int64
	RefBytes                                        string `json:"ref_block_bytes"`
	RefHash                                         string `json:"ref_block_hash"`
	Lock                                            bool
	Period                                          int64  `json:"lock_period"`
	Raw                                             string `json:"raw_data_hex"`
	Txid, Signature                                 string
}

var vectorKinds = map[string]kind{"transfer": transfer, "token": trigger, "freeze": freeze, "unfreeze": unfreeze, "delegate": delegate, "undelegate": undelegate, "withdraw": withdrawUnfreeze}

func readVectors(t *testing.T) []vector {
	t.Helper()
	raw, err := os.ReadFile("../../../chains/tron/testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Transactions []vector }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Transactions) != 220 {
		t.Fatalf("%d vectors, want 220", len(file.Transactions))
	}
	return file.Transactions
}

func TestOraclesTransactionsAreRead(t *testing.T) {
	t.Parallel()
	for _, v := range readVectors(t) {
		tx, err := readTransaction(message(nil).always(1, unhex(v.Raw)).always(2, unhex(v.Signature)))
		if err != nil {
			t.Fatalf("%s: %v", v.Txid, err)
		}
		if hex32(tx.id) != v.Txid {
			t.Errorf("id %x, want %s", tx.id, v.Txid)
		}
		what, refused := tx.order()
		if refused != nil {
			t.Fatalf("%s: %+v", v.Txid, refused)
		}
		if refused := tx.verify(what.owner); refused != nil {
			t.Errorf("%s: %+v", v.Txid, refused)
		}
		if got := KeyFromBytes(unhex(v.Key)).sign(tx.id); hex.EncodeToString(got) != v.Signature {
			t.Errorf("%s: signed %x, want %s", v.Txid, got, v.Signature)
		}
		if got := (vector{Expiration: tx.expiration, Timestamp: tx.timestamp, FeeLimit: tx.feeLimit, RefBytes: hex.EncodeToString(tx.refBytes),
			RefHash: hex.EncodeToString(tx.refHash)}); got != (vector{Expiration: v.Expiration, Timestamp: v.Timestamp, FeeLimit: v.FeeLimit,
			RefBytes: v.RefBytes, RefHash: v.RefHash}) {
			t.Errorf("%s: %+v", v.Txid, got)
		}
		checkOrder(t, v, what)
	}
}

// checkOrder compares what was read with what was ordered of tronweb.
func checkOrder(t *testing.T, v vector, what *contract) {
	t.Helper()
	wanted := v.To
	if v.Kind == "token" {
		wanted = v.Contract
		to, err := Address(v.To)
		if err != nil || len(what.data) != 68 || hex.EncodeToString(what.data[:16]) != "a9059cbb000000000000000000000000" ||
			string(what.data[16:36]) != string(to[:]) || new(big.Int).SetBytes(what.data[36:]).String() != v.Amount {
			t.Errorf("%s: data %x for %+v", v.Txid, what.data, v)
		}
	} else if decimal(what.amount) != v.Amount {
		t.Errorf("%s: amount %d, want %s", v.Txid, what.amount, v.Amount)
	}
	if what.kind != vectorKinds[v.Kind] || Text(what.owner) != v.From || what.lock != v.Lock || what.period != v.Period {
		t.Errorf("%s: %+v for %+v", v.Txid, what, v)
	}
	if wanted != "" && Text(what.to) != wanted {
		t.Errorf("%s: to %s, want %s", v.Txid, Text(what.to), wanted)
	}
	if v.Resource != "" && resourceNames[what.resource] != v.Resource {
		t.Errorf("%s: resource %d, want %s", v.Txid, what.resource, v.Resource)
	}
}

// TestObjectsBecomeTheOraclesBytes packs transactions as broadcasttransaction does: the bytes are those of tronweb.
func TestObjectsBecomeTheOraclesBytes(t *testing.T) {
	t.Parallel()
	for _, v := range readVectors(t) {
		tx, err := readTransaction(message(nil).always(1, unhex(v.Raw)).always(2, unhex(v.Signature)))
		if err != nil {
			t.Fatal(err)
		}
		what, _ := tx.order()
		for _, visible := range []bool{false, true} {
			p := printer{visible}
			shown, err := json.Marshal(p.transaction(tx, what, 0))
			if err != nil {
				t.Fatal(err)
			}
			q := &question{printer: p, Visible: visible}
			if err := json.Unmarshal(shown, q); err != nil {
				t.Fatal(err)
			}
			if packed, err := q.packed(); err != nil || hex32(packed.id) != v.Txid {
				t.Errorf("%s: %v of %s", v.Txid, err, shown)
			}
		}
	}
}

// TestBrokenTransactionsDoNoHarm changes bytes of the oracle's transactions by chance. Each is refused, or is another one.
func TestBrokenTransactionsDoNoHarm(t *testing.T) {
	t.Parallel()
	n, _ := newNode(t, Options{})
	chance := rand.New(rand.NewPCG(3, 4))
	for _, v := range readVectors(t) {
		whole := message(nil).always(1, unhex(v.Raw)).always(2, unhex(v.Signature))
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
			if what, refused := tx.order(); refused == nil && tx.verify(what.owner) == nil && hex32(tx.id) != v.Txid {
				t.Errorf("%x is signed", broken)
			}
			if refused := n.broadcast(tx); refused == nil {
				t.Errorf("%x was taken", broken)
			}
		}
	}
	if n.Waiting() != 0 {
		t.Errorf("%d wait", n.Waiting())
	}
}
