package ripple

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"causeway/chains/addresses"
)

// vector is a transaction as xrpl.js builds and signs it (testdata/README.md).
type vector struct {
	Kind, Key, Account, Fee, Amount, Destination string
	Sequence, LastLedgerSequence                 uint32
	NetworkID, DestinationTag                    *uint32
	SetFlag, ClearFlag                           uint32
	XAddress                                     string `json:"x_address"`
	Public, Signature, Blob, Hash                string
}

func vectors(t testing.TB) []vector {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Transactions []vector }
	if err := json.Unmarshal(text, &all); err != nil || len(all.Transactions) != 200 {
		t.Fatal(len(all.Transactions), err)
	}
	return all.Transactions
}

// TestVectorsOfXRPL: 200 transactions have byte by byte what xrpl.js writes, with the same ids. AccountSets of other flags than ours are
// none that we sign.
func TestVectorsOfXRPL(t *testing.T) {
	t.Parallel()
	foreign := 0
	for i, v := range vectors(t) {
		o := v.order(t)
		id := txid(unhex(t, v.Blob))
		if got := id.String(); got != v.Hash {
			t.Fatalf("%d: %s, want %s", i, got, v.Hash)
		}
		again, signature, err := readOrder(unhex(t, v.Blob))
		if v.SetFlag > requireDest || v.ClearFlag != 0 {
			if foreign++; err == nil {
				t.Errorf("%d: an AccountSet with flags %d and %d is one of ours", i, v.SetFlag, v.ClearFlag)
			}
			continue
		}
		if got := strings.ToUpper(hex.EncodeToString(o.encode(unhex(t, v.Signature)))); got != v.Blob {
			t.Fatalf("%d, %s: %s, want %s", i, v.Kind, got, v.Blob)
		}
		if err != nil || !again.signedBy(signature) || string(again.encode(nil)) != string(o.encode(nil)) {
			t.Errorf("%d, %s: read as %+v, %v", i, v.Kind, again, err)
		}
		signature[len(signature)-1] ^= 1
		if again.signedBy(signature) {
			t.Errorf("%d: another signature fits", i)
		}
	}
	if foreign < 20 {
		t.Errorf("%d AccountSets are not ours", foreign)
	}
}

// TestXAddressesOfXRPL: an X-address of xrpl.js has the account and the tag.
func TestXAddressesOfXRPL(t *testing.T) {
	t.Parallel()
	for i, v := range vectors(t) {
		want := v.Destination
		if want == "" {
			want = v.Account
		}
		base, tag, tagged := addresses.Tag(Network, v.XAddress)
		if base != want || tagged != (v.DestinationTag != nil) || tagged && tag != strconv.FormatUint(uint64(*v.DestinationTag), 10) ||
			addresses.Match(Network, v.XAddress) != want {
			t.Errorf("%d: %s is %s %q, want %s", i, v.XAddress, base, tag, want)
		}
	}
}

// order writes the transaction of a vector.
func (v vector) order(t testing.TB) order {
	t.Helper()
	number := func(text string) int64 {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	o := order{kind: typeAccountSet, network: v.NetworkID, sequence: v.Sequence, last: v.LastLedgerSequence, fee: number(v.Fee), from: accountNamed(t, v.Account),
		key: unhex(t, v.Public), tag: v.DestinationTag, setFlag: v.SetFlag}
	if v.Kind != "set" {
		o.kind, o.amount, o.to = typePayment, number(v.Amount), accountNamed(t, v.Destination)
	}
	return o
}

func accountNamed(t testing.TB, address string) account {
	t.Helper()
	a, err := addresses.RippleAccount(address)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
