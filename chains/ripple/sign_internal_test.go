package ripple

import (
	"bytes"
	"errors"
	"testing"

	"causeway/chains"
	"causeway/chains/addresses"
)

// signer is a sender of its own keys, without a node.
func signer(t testing.TB) (*Sender, wallet) {
	t.Helper()
	seed := bytes.Repeat([]byte{7}, 32)
	xpub, err := addresses.AccountXPub(seed, AccountPath)
	if err != nil {
		t.Fatal(err)
	}
	key, err := publicKey(xpub, addresses.HotBranch, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := &Connector{cfg: Config{XPub: xpub}, hot: accountOf(key), hotKey: key}
	s, err := NewSender(c, seed)
	if err != nil {
		t.Fatal(err)
	}
	w, err := c.wallet(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, w
}

// TestOnlyKnownKindsAreSigned: nothing is signed but a payment of XRP, and an AccountSet that changes nothing or asks for tags. Another one
// could give the account away.
//
// Covers operator §Settings: Only payments of XRP
func TestOnlyKnownKindsAreSigned(t *testing.T) {
	t.Parallel()
	s, w := signer(t)
	pays := order{kind: typePayment, sequence: 5, last: 90, fee: 12, from: w.account, key: w.key, to: account{1}, amount: 5}
	for name, change := range map[string]func(*order){
		"a payment": func(*order) {}, "with a tag": func(o *order) { o.tag = new(uint32) }, "on a network": func(o *order) { n := uint32(2000); o.network = &n },
		"nothing": func(o *order) {
			*o = order{kind: typeAccountSet, sequence: 5, last: 90, fee: 12, from: w.account, key: w.key}
		},
		"for tags": func(o *order) {
			*o = order{kind: typeAccountSet, setFlag: requireDest, sequence: 5, from: w.account, key: w.key}
		},
	} {
		o := pays
		change(&o)
		blob, err := s.signed(w, o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if again, signature, err := readOrder(blob); err != nil || !again.signedBy(signature) {
			t.Errorf("%s: %+v, %v", name, again, err)
		}
	}
	for name, change := range map[string]func(*order){
		"another kind":                func(o *order) { o.kind = 5 }, // SetRegularKey
		"another account":             func(o *order) { o.from = account{2} },
		"another key":                 func(o *order) { o.key = bytes.Repeat([]byte{2}, 33) },
		"to itself":                   func(o *order) { o.to = w.account },
		"nothing moves":               func(o *order) { o.amount = 0 },
		"less than nothing moves":     func(o *order) { o.amount = -5 },
		"a flag beside a payment":     func(o *order) { o.setFlag = requireDest },
		"another flag of the account": func(o *order) { *o = order{kind: typeAccountSet, setFlag: 4, from: w.account, key: w.key} }, // no master key
	} {
		o := pays
		change(&o)
		if _, err := s.signed(w, o); err == nil {
			t.Errorf("%s is signed", name)
		}
	}
	more := append(pays.encode(nil), 0x7D, 1, 0) // MemoData
	if _, _, err := readOrder(more); !errors.Is(err, errForbidden) {
		t.Errorf("a field that we do not write: %v", err)
	}
}

// TestDepositAddressesSignForThemselves: each by its own key, and none for another.
func TestDepositAddressesSignForThemselves(t *testing.T) {
	t.Parallel()
	s, hot := signer(t)
	address, err := s.Derive(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.wallet(t.Context(), &chains.Wallet{Address: address, Index: 7})
	if err != nil {
		t.Fatal(err)
	}
	o := order{kind: typePayment, sequence: 5, last: 90, fee: 12, from: w.account, key: w.key, to: hot.account, amount: 5}
	if _, err := s.signed(w, o); err != nil {
		t.Error(err)
	}
	if _, err := s.signed(hot, o); err == nil {
		t.Error("the hot wallet signs for a deposit address")
	}
	if _, err := s.wallet(t.Context(), &chains.Wallet{Address: address, Index: 8}); err == nil {
		t.Error("an address has another index")
	}
	w.index = 8
	if _, err := s.signed(w, o); !errors.Is(err, ErrKey) {
		t.Errorf("%v, want ErrKey", err)
	}
}
