package tron

import (
	"bytes"
	"crypto/ecdsa"
	"errors"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"causeway/chains"
	"causeway/chains/addresses"
)

// signer is a sender of its own key, without a node.
func signer(t *testing.T) *Sender {
	t.Helper()
	key, err := crypto.ToECDSA(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return signerOf(key, crypto.PubkeyToAddress(key.PublicKey))
}

// signerOf is a sender with a key for the hot wallet, that watches a token of some contracts.
func signerOf(key *ecdsa.PrivateKey, hot common.Address, contracts ...common.Address) *Sender {
	c := &Connector{hot: hot}
	known := &tables{byContract: map[common.Address]token{{1}: {symbol: "USDT"}}}
	for _, contract := range contracts {
		known.byContract[contract] = token{symbol: "USDT"}
	}
	c.known.Store(known)
	return &Sender{c, &seedKeys{hot: key}}
}

// TestOnlyKnownKindsAreSigned: whatever the draft says, nothing is signed but a move of TRX, the call of a token's transfer or balance, and
// what the hot wallet does with its stake. A change of permissions would give the account away.
//
// Covers operator §Settings: Only these transactions are ever signed
func TestOnlyKnownKindsAreSigned(t *testing.T) {
	t.Parallel()
	s := signer(t)
	to := common.Address{1}
	pays, calls := transfer{s.hot, to, 5}.raw(), trigger{owner: s.hot, contract: to, data: transferCall(to, big.NewInt(5))}.raw()
	asks := trigger{owner: s.hot, contract: to, data: asks(selectorBalance, s.hot)}.raw()
	signs := map[string]raw{"TRX": pays, "a token": calls, "nothing": asks}
	for kind, name := range bondNames {
		signs[name] = bond{kind: kind, owner: s.hot, to: to, units: 5}.raw()
	}
	for name, r := range signs {
		r.expiration = 1
		e, err := s.signed(s.hotWallet(), r.encode())
		if by, wrong := e.signer(); err != nil || wrong != nil || by != s.hot || len(e.signature) != 65 || e.signature[64] < 27 {
			t.Errorf("%s: signed by %s, %v, %v", name, by, err, wrong)
		}
	}
	approves := trigger{owner: s.hot, contract: to, data: append(crypto.Keccak256([]byte("approve(address,uint256)"))[:4], make([]byte, 64)...)}
	for name, change := range map[string]func(*raw){
		"permissions":             func(r *raw) { r.kind, r.typeURL = 46, typePrefix+"AccountPermissionUpdateContract" },
		"the name of another":     func(r *raw) { r.typeURL = typePrefix + "AccountPermissionUpdateContract" },
		"another permission":      func(r *raw) { r.permission = 2 },
		"another owner":           func(r *raw) { *r = transfer{to, s.hot, 5}.raw() },
		"nothing moves":           func(r *raw) { *r = transfer{s.hot, to, 0}.raw() },
		"less than nothing moves": func(r *raw) { *r = transfer{s.hot, to, -5}.raw() },
		"an allowance":            func(r *raw) { *r = approves.raw() },
		"a contract nobody watches": func(r *raw) {
			*r = trigger{owner: s.hot, contract: common.Address{2}, data: transferCall(to, big.NewInt(5))}.raw()
		},
		"TRX along with a call": func(r *raw) {
			*r = trigger{s.hot, to, 1, transferCall(to, big.NewInt(5))}.raw()
		},
		"the words of a payment as a stake": func(r *raw) { r.kind, r.typeURL = kindFreezeV2, typePrefix+"FreezeBalanceV2Contract" },
		"a stake of the first kind":         func(r *raw) { r.kind, r.typeURL = kindFreeze, typePrefix+"FreezeBalanceContract" },
		"a stake of nothing":                func(r *raw) { *r = bond{kind: kindFreezeV2, owner: s.hot}.raw() },
		"a stake of another":                func(r *raw) { *r = bond{kind: kindFreezeV2, owner: to, units: 5}.raw() },
		"a stake for bandwidth": func(r *raw) {
			*r = bond{kind: kindFreezeV2, owner: s.hot, units: 5}.raw()
			r.parameter = appendNumber(appendBytes(nil, 1, long(s.hot)), 2, 5)
		},
		"a loan that stays": func(r *raw) {
			*r = bond{kind: kindDelegate, owner: s.hot, to: to, units: 5}.raw()
			r.parameter = appendNumber(r.parameter, 5, 1)
		},
		"a vote":             func(r *raw) { r.kind, r.typeURL = 4, typePrefix+"VoteWitnessContract" },
		"an end of all":      func(r *raw) { r.kind, r.typeURL = 59, typePrefix+"CancelAllUnfreezeV2Contract" },
		"another's name":     func(r *raw) { r.kind, r.typeURL = 10, typePrefix+"AccountUpdateContract" },
		"a contract made":    func(r *raw) { r.kind, r.typeURL = kindCreateContract, typePrefix+"CreateSmartContract" },
		"a withdrawn reward": func(r *raw) { r.kind, r.typeURL = 13, typePrefix+"WithdrawBalanceContract" },
	} {
		r := pays
		change(&r)
		if _, err := s.signed(s.hotWallet(), r.encode()); !errors.Is(err, errForbidden) {
			t.Errorf("%s: %v, want errForbidden", name, err)
		}
	}
	deposit := wallet{s.hot, addresses.DepositBranch, 0} // as if its key were that of a deposit address
	for name, r := range map[string]raw{"TRX to somebody": pays, "a token to somebody": calls, "a stake": bond{kind: kindFreezeV2, owner: s.hot, units: 5}.raw(),
		"a loan": bond{kind: kindDelegate, owner: s.hot, to: to, units: 5}.raw()} {
		if _, err := s.signed(deposit, r.encode()); !errors.Is(err, errForbidden) {
			t.Errorf("a deposit address signs %s: %v", name, err)
		}
	}
	if _, err := s.signed(s.hotWallet(), append(pays.encode(), appendBytes(nil, 10, []byte("memo"))...)); !errors.Is(err, errForbidden) {
		t.Errorf("bytes beyond what is read: %v", err)
	}
	if _, err := s.signed(s.hotWallet(), []byte("nothing")); err == nil {
		t.Error("garbage is signed")
	}
}

// TestSlotsHaveMomentsOfTheirOwn: equal orders prepared at the same block are two transactions, and a draft has the same bytes for a slot.
func TestSlotsHaveMomentsOfTheirOwn(t *testing.T) {
	t.Parallel()
	s := signer(t)
	d := &draft{sender: s, from: s.hotWallet(), raw: transfer{s.hot, common.Address{1}, 5}.raw(), clock: 1_700_000_000_000, fee: 268_000}
	seen := map[string]uint64{}
	for _, number := range []uint64{0, 1, 2, 58_999, 59_999, 1 << 40} {
		signed, err := d.Sign(chains.Slot{Number: number})
		if err != nil {
			t.Fatal(err)
		}
		again, err := d.Sign(chains.Slot{Number: number})
		if err != nil || again.Txid != signed.Txid || !bytes.Equal(again.Raw, signed.Raw) {
			t.Errorf("slot %d has other bytes the second time", number)
		}
		if other, twice := seen[signed.Txid]; twice {
			t.Errorf("slots %d and %d are one transaction", number, other)
		}
		seen[signed.Txid] = number
		if *signed.Until < d.clock+shortest || *signed.Until > d.clock+longest || signed.Fee.String() != "0.268" {
			t.Errorf("slot %d: %+v", number, signed)
		}
	}
}

// TestForeignSignatures: a signature by another key, of the other form, or of other bytes fits nothing.
func TestForeignSignatures(t *testing.T) {
	t.Parallel()
	s := signer(t)
	r := transfer{s.hot, common.Address{1}, 5}.raw()
	e, err := s.signed(s.hotWallet(), r.encode())
	if err != nil {
		t.Fatal(err)
	}
	high := envelope{e.raw, bytes.Clone(e.signature)}
	order := crypto.S256().Params().N
	new(big.Int).Sub(order, bigOf(high.signature[32:64])).FillBytes(high.signature[32:64])
	other := envelope{e.raw, bytes.Clone(e.signature)}
	other.signature[5] ^= 1
	for name, e := range map[string]envelope{"a high s": high, "another r": other} {
		outcome, reason := s.Broadcast(t.Context(), e.encode())
		if outcome != chains.Rejected || reason == "" {
			t.Errorf("%s: %d %q, want Rejected by our own proof", name, outcome, reason)
		}
	}
}
