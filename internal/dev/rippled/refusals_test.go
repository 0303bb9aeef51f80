package rippled

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

// TestRefusals: each fault of a transaction has rippled's word for it, and no such transaction is in the next ledger.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(d *draft, n *Node){
		telREQUIRESNETWORK: func(d *draft, _ *Node) { d.network = nil },
		telWRONGNETWORK:    func(d *draft, _ *Node) { d.network = pointer(2000) },
		temBADAMOUNT:       func(d *draft, _ *Node) { d.amount = 0 },
		temREDUNDANT:       func(d *draft, _ *Node) { d.to = d.account },
		temDSTNEEDED:       func(d *draft, _ *Node) { d.to = Account{} },
		temBADPARTIAL:      func(d *draft, _ *Node) { d.flags |= partialPayment },
		temINVALIDFLAG:     func(d *draft, _ *Node) { d.flags |= 1 << 20 },
		temBADSEQUENCE:     func(d *draft, _ *Node) { d.sequence = 0 },
		temUNKNOWN:         func(d *draft, _ *Node) { d.kind = 20 },
		terPRESEQ:          func(d *draft, _ *Node) { d.sequence += 2 },
		terNOACCOUNT:       func(d *draft, _ *Node) { d.key = KeyOf("nobody"); d.account = d.key.Account() },
		tefPASTSEQ:         func(d *draft, _ *Node) { d.sequence-- },
		tefMAXLEDGER:       func(d *draft, n *Node) { d.last = pointer(n.validated().index) },
		tefBADAUTH:         func(d *draft, _ *Node) { d.key = KeyOf("thief") },
		telINSUFFEEP:       func(d *draft, _ *Node) { d.fee = 9 },
		terINSUFFEEB:       func(d *draft, _ *Node) { d.fee = 20_000 * drops },
	} {
		n, sender := newNode(t, Options{})
		d := n.draft(sender)
		change(&d, n)
		if s := submit(t, n, d.blob()); s.Result != want || s.Applied {
			t.Errorf("%+v, want %s", s, want)
		}
		n.Close(2)
		if got := accountAt(t, n, sender.Text(), "validated"); got.Data.Balance != "10000000000" {
			t.Errorf("%s, and the sender holds %s", want, got.Data.Balance)
		}
	}
}

// TestBytesThatAreNoTransaction are refused before anything else: by their form, by fields unknown, or by their signature.
func TestBytesThatAreNoTransaction(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	d := n.draft(sender)
	tx, err := readTransaction(d.blob())
	if err != nil {
		t.Fatal(err)
	}
	high := object{}
	fields, _ := readFields(tx.blob)
	for _, f := range fields {
		if f.id == fieldSignature {
			f.value = highS(t, f.value)
		}
		high = append(high, field{f.id, f.encoded()})
	}
	other := slices.Clone(tx.blob)
	other[len(other)-1] ^= 1 // the destination
	swapped := append(slices.Clone(tx.blob[3:8]), append(slices.Clone(tx.blob[:3]), tx.blob[8:]...)...)
	d.more = object{}.raw(id{kindUint16, 9}, []byte{0, 1})
	for name, blob := range map[string][]byte{"a high s": high.bytes(), "another destination": other, "another order": swapped, "cut": tx.blob[:40],
		"a field of no one": d.blob(), "garbage": []byte("garbage!")} {
		if s := submit(t, n, blob); s.Error != "invalidTransaction" || s.Exception == "" {
			t.Errorf("%s: %+v", name, s)
		}
	}
	var s sent
	if ask(t, n, "submit", map[string]any{"tx_blob": "zz"}, &s); s.Error != "invalidParams" {
		t.Errorf("%+v", s)
	}
}

// highS writes a signature with the other of its two forms of s.
func highS(t *testing.T, der []byte) []byte {
	t.Helper()
	size := int(der[3])
	var r, s secp256k1.ModNScalar
	r.SetByteSlice(der[4 : 4+size])
	s.SetByteSlice(der[6+size:])
	s.Negate()
	bytes := s.Bytes()
	out := append(slices.Clone(der[2:4+size]), 2, 33, 0)
	out = append(out, bytes[:]...)
	return append([]byte{0x30, byte(len(out))}, out...)
}

// TestClaimedFees: a payment that fails in a ledger takes its fee and its number, and nothing else.
func TestClaimedFees(t *testing.T) {
	t.Parallel()
	wantsTags, shy := KeyOf("wants tags"), KeyOf("shy")
	for result, change := range map[string]func(d *draft){
		tecUNFUNDED:     func(d *draft) { d.amount = 9_999*drops + 1 }, // and the reserve is not there
		tecNODSTINSUF:   func(d *draft) { d.to, d.amount = KeyOf("new").Account(), drops-1 },
		tecDSTTAG:       func(d *draft) { d.to = wantsTags.Account() },
		tecNOPERMISSION: func(d *draft) { d.to = shy.Account() },
	} {
		n, sender := newNode(t, Options{})
		for _, k := range []Key{wantsTags, shy} {
			must(t)(n.Fund(k.Text(), nil, 100*drops))
		}
		n.Close(1)
		must(t)(n.Set(wantsTags, 1))
		must(t)(n.Set(shy, 9))
		n.Close(1)
		d := n.draft(sender)
		change(&d)
		if s := submit(t, n, d.blob()); s.Result != result || !s.Applied {
			t.Errorf("%+v, want %s", s, result)
		}
		n.Close(1)
		tx, _ := readTransaction(d.blob())
		if got := resultOf(t, n, hexOf(tx.id[:])); got != codes[result] {
			t.Errorf("%s is %d in its ledger", result, got)
		}
		if got := accountAt(t, n, sender.Text(), "validated"); got.Data.Balance != "9999999990" || got.Data.Sequence != d.sequence+1 {
			t.Errorf("after %s the sender has %+v", result, got.Data)
		}
	}
}

// TestTagsAreWanted: with a tag, also zero, an account that wants tags is paid. An account of nobody wants none.
func TestTagsAreWanted(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	to := KeyOf("wants tags")
	must(t)(n.Fund(to.Text(), nil, drops))
	n.Close(1)
	must(t)(n.Set(to, 1))
	n.Close(1)
	d := n.draft(sender)
	d.to, d.tag = to.Account(), pointer(0)
	if s := submit(t, n, d.blob()); s.Result != tesSUCCESS {
		t.Errorf("%+v", s)
	}
	if _, err := n.PayPartly(to.Text(), nil, 5, 1); err != nil {
		t.Error(err)
	}
	n.Close(1)
	if got := accountAt(t, n, to.Text(), "validated"); got.Data.Balance != "1999990" || got.Data.Flags != flagRequireTag {
		t.Errorf("%+v, want one XRP more", got.Data)
	}
}

// TestMainNetworkNamesNoNetwork: below 1025 a transaction must not name its network.
func TestMainNetworkNamesNoNetwork(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{Network: -1})
	d := n.draft(sender)
	d.network = pointer(0)
	if s := submit(t, n, d.blob()); s.Result != telNONCANONICAL {
		t.Errorf("%+v", s)
	}
	d.network = nil
	if s := submit(t, n, d.blob()); s.Result != tesSUCCESS || strings.Contains(hex.EncodeToString(d.blob()), "21000053") {
		t.Errorf("%+v", s)
	}
}
