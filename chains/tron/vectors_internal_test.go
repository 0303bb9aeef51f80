package tron

import (
	"encoding/hex"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"causeway/chains/addresses"
)

// vector is a transaction as tronweb builds and signs it (testdata/README.md).
type vector struct {
	Kind, Key, From, To, Contract, Resource string
	Amount                                  string
	FeeLimit                                int64  `json:"fee_limit"`
	Lock                                    bool   `json:"lock"`
	LockPeriod                              int64  `json:"lock_period"`
	RefBytes                                string `json:"ref_block_bytes"`
	RefHash                                 string `json:"ref_block_hash"`
	Expiration, Timestamp                   int64
	RawData                                 string `json:"raw_data_hex"`
	Txid, Signature                         string
}

// TestVectorsOfTronweb: 220 transactions have byte by byte what tronweb writes, with the same ids and signatures. Stakes for
// bandwidth, and loans with a time for which they stay, are not signed.
func TestVectorsOfTronweb(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Transactions []vector }
	if err := json.Unmarshal(text, &all); err != nil || len(all.Transactions) != 220 {
		t.Fatal(len(all.Transactions), err)
	}
	for i, v := range all.Transactions {
		r := v.raw(t)
		r.expiration, r.timestamp = v.Expiration, v.Timestamp
		r.refBytes, r.refHash = unhex(t, v.RefBytes), unhex(t, v.RefHash)
		data := r.encode()
		e := envelope{raw: data}
		id := hash(e.id())
		if got := hex.EncodeToString(data); got != v.RawData || id.String() != v.Txid {
			t.Fatalf("%d, %s: %s is %s, want %s", i, v.Kind, id, got, v.RawData)
		}
		key, err := crypto.ToECDSA(unhex(t, v.Key))
		if err != nil {
			t.Fatal(err)
		}
		called, _ := readTrigger(r.parameter)
		s := signerOf(key, account20(t, v.From), called.contract)
		switch signed, err := s.signed(s.hotWallet(), data); {
		case v.Lock || v.Resource == "BANDWIDTH":
			if err == nil {
				t.Errorf("%d: a %s of %s is signed", i, v.Kind, v.Resource)
			}
		case err != nil || hex.EncodeToString(signed.signature) != v.Signature:
			t.Errorf("%d, %s: signed with %x, want %s: %v", i, v.Kind, signed.signature, v.Signature, err)
		}
		if owner, ok := r.owner(); !ok || owner != account20(t, v.From) {
			t.Errorf("%d, %s: sent by %s, want %s", i, v.Kind, addresses.TronOf(owner), v.From)
		}
		again, err := readRaw(data)
		if err != nil || hex.EncodeToString(again.encode()) != v.RawData {
			t.Errorf("%d, %s: read as %+v, %v", i, v.Kind, again, err)
		}
	}
}

// raw writes the transaction of a vector.
func (v vector) raw(t *testing.T) raw {
	t.Helper()
	units, ok := new(big.Int).SetString(v.Amount, 10)
	if !ok {
		t.Fatalf("amount %q", v.Amount)
	}
	owner, own := account20(t, v.From), appendBytes(nil, 1, long(account20(t, v.From)))
	switch v.Kind {
	case "transfer":
		return transfer{owner, account20(t, v.To), units.Int64()}.raw()
	case "token":
		r := trigger{owner: owner, contract: account20(t, v.Contract), data: transferCall(account20(t, v.To), units)}.raw()
		r.feeLimit = v.FeeLimit
		return r
	case "withdraw":
		return bond{kind: kindWithdraw, owner: owner}.raw()
	}
	b := bond{kind: map[string]int64{"freeze": kindFreezeV2, "unfreeze": kindUnfreezeV2, "delegate": kindDelegate, "undelegate": kindUndelegate}[v.Kind],
		owner: owner, units: units.Int64()}
	if lends(b.kind) {
		b.to = account20(t, v.To)
	}
	r := b.raw()
	switch {
	case v.Resource == "ENERGY" && v.Lock:
		r.parameter = appendNumber(appendNumber(r.parameter, 5, 1), 6, v.LockPeriod)
	case v.Resource == "BANDWIDTH" && lends(b.kind):
		r.parameter = appendBytes(appendNumber(own, 3, b.units), 4, long(b.to))
		if v.Lock {
			r.parameter = appendNumber(appendNumber(r.parameter, 5, 1), 6, v.LockPeriod)
		}
	case v.Resource == "BANDWIDTH":
		r.parameter = appendNumber(own, 2, b.units)
	}
	return r
}

func account20(t *testing.T, address string) common.Address {
	t.Helper()
	a, err := addresses.TronAccount(address)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
