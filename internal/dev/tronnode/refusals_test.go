package tronnode

import (
	"encoding/hex"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

// refusalCase is a transaction that is refused, and the answer.
type refusalCase struct {
	change  func(n *Node, d *draft)
	alter   func(raw []byte) []byte // of the signed transaction
	code    code
	message string
}

// value writes a transfer from the sender.
func transferOf(from Key, to []byte, sun int64) message {
	return message(nil).bytes(1, bytesOf(from.Address())).bytes(2, to).number(3, sun)
}

var refusalCases = map[string]refusalCase{
	"expired":                       {func(n *Node, d *draft) { d.expiration = n.head().time }, nil, expiredError, "Transaction expired"},
	"expires before the next block": {func(n *Node, d *draft) { d.expiration = n.head().time + slotMs - 1 }, nil, expiredError, ""},
	"lives for more than a day":     {func(n *Node, d *draft) { d.expiration = n.head().time + longestLife + 1 }, nil, expiredError, ""},
	"another block's hash":          {func(_ *Node, d *draft) { d.ref = &block{number: d.ref.number, id: [32]byte{9: 1}} }, nil, taposError, "Tapos check error."},
	"a block to come":               {func(n *Node, d *draft) { d.ref = &block{number: n.head().number + 1} }, nil, taposError, ""},
	"two contracts":                 {func(_ *Node, d *draft) { d.twice = true }, nil, invalidError, "contract size should be exactly 1"},
	"a permission":                  {func(_ *Node, d *draft) { d.permission = 3 }, nil, sigError, "permission isn't exit"},
	"another type of message": {func(_ *Node, d *draft) { d.url = "type.googleapis.com/protocol.TriggerSmartContract" }, nil, invalidError,
		"contract type error"},
	"a change of permissions": {func(_ *Node, d *draft) { d.kind = 46 }, nil, invalidError, "does not know AccountPermissionUpdateContract"},
	"a transfer of TRC-10":    {func(_ *Node, d *draft) { d.kind = 2 }, nil, invalidError, "does not know TransferAssetContract"},
	"a kind without a name":   {func(_ *Node, d *draft) { d.kind = 77 }, nil, invalidError, "does not know contract type 77"},
	"no owner":                {func(_ *Node, d *draft) { d.value = message(nil).number(3, 5) }, nil, invalidError, "Invalid ownerAddress!"},
	"an address of Ethereum": {func(_ *Node, d *draft) {
		to := KeyOf("stranger").Address()
		d.value = transferOf(KeyOf("sender"), to[:], 5)
	}, nil, invalidError, "Invalid toAddress!"},
	"an unknown field": {func(_ *Node, d *draft) { d.value = append(d.value, message(nil).number(9, 1)...) }, nil, invalidError, "does not know field 9"},
	"too large":        {func(_ *Node, d *draft) { d.data = make([]byte, largest) }, nil, tooBigError, "maxTxSize 512000"},
	"another's money": {func(_ *Node, d *draft) {
		d.value = transferOf(Rich, bytesOf(KeyOf("stranger").Address()), 5)
	}, nil, sigError, "is signed by " + KeyOf("sender").Text()},
	"an account that is not there": {func(_ *Node, d *draft) {
		d.value = transferOf(KeyOf("nobody"), bytesOf(KeyOf("stranger").Address()), 5)
	}, resigned("nobody"), invalidError, "account [" + KeyOf("nobody").Text() + "] does not exist"},
	"more than the balance": {func(_ *Node, d *draft) {
		d.value = transferOf(KeyOf("sender"), bytesOf(Rich.Address()), 10_000*trx+1)
	}, nil, invalidError, "balance is not sufficient"},
	"no money for the activation": {func(_ *Node, d *draft) {
		d.value = transferOf(KeyOf("sender"), bytesOf(KeyOf("stranger").Address()), 10_000*trx-trx)
	}, nil, invalidError, "balance is not sufficient"},
	"nothing": {func(_ *Node, d *draft) { d.value = transferOf(KeyOf("sender"), bytesOf(Rich.Address()), 0) }, nil, invalidError,
		"Amount must be greater than 0."},
	"less than nothing": {func(_ *Node, d *draft) { d.value = transferOf(KeyOf("sender"), bytesOf(Rich.Address()), -5) }, nil, invalidError,
		"Amount must be greater than 0."},
	"to itself": {func(_ *Node, d *draft) {
		d.value = transferOf(KeyOf("sender"), bytesOf(KeyOf("sender").Address()), 5)
	}, nil, invalidError, "Cannot transfer TRX to yourself."},
	"TRX to a contract": {func(_ *Node, d *draft) {
		to, _ := Address(USDT)
		d.value = transferOf(KeyOf("sender"), bytesOf(to), 5)
	}, nil, invalidError, "Cannot transfer TRX to a smartContract."},
	"a call of no contract": {func(_ *Node, d *draft) { d.kind = trigger }, nil, invalidError, "No contract or not a smart contract"},
	"a fee limit below zero": {func(n *Node, d *draft) { *d = n.transferDraft(KeyOf("sender"), 1, -1) }, nil, invalidError,
		"feeLimit must be >= 0 and <= 15000000000"},
	"a fee limit over the network's": {func(n *Node, d *draft) { *d = n.transferDraft(KeyOf("sender"), 1, 15_000*trx+1) }, nil,
		invalidError, "feeLimit must be"},
	"a call with money": {func(n *Node, d *draft) {
		*d = n.transferDraft(KeyOf("sender"), 1, trx)
		d.value = append(d.value, message(nil).number(3, 1)...)
	}, nil, invalidError, "no call with money"},
	"no signature":   {nil, func(raw []byte) []byte { return raw[:len(raw)-67] }, sigError, "miss sig or contract"},
	"two signatures": {nil, func(raw []byte) []byte { return append(raw, raw[len(raw)-67:]...) }, sigError, "Signature count is 2"},
	"a short signature": {nil, func(raw []byte) []byte {
		return message(raw[:len(raw)-67]).bytes(2, raw[len(raw)-65:len(raw)-1])
	}, sigError, "Signature size is 64"},
	"a changed signature": {nil, func(raw []byte) []byte { raw[len(raw)-60] ^= 1; return raw }, sigError, ""},
	"a high s":            {nil, highS, sigError, "high s"},
}

// resigned signs with another key.
func resigned(name string) func(raw []byte) []byte {
	return func(raw []byte) []byte {
		tx, err := readTransaction(raw)
		if err != nil {
			panic(err)
		}
		return message(raw[:len(raw)-67]).bytes(2, KeyOf(name).sign(tx.id))
	}
}

// highS is the same signature with the other s, as Bitcoin's malleability had it.
func highS(raw []byte) []byte {
	s := new(big.Int).SetBytes(raw[len(raw)-33 : len(raw)-1])
	s.Sub(secp256k1.S256().N, s).FillBytes(raw[len(raw)-33 : len(raw)-1])
	raw[len(raw)-1] ^= 7 // 27 and 28 change places
	return raw
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	before := balance(t, n, "wallet", sender.Text())
	for name, c := range refusalCases {
		d := n.draft(sender)
		if c.change != nil {
			c.change(n, &d)
		}
		raw := d.signed(sender)
		if c.alter != nil {
			raw = c.alter(slices.Clone(raw))
		}
		got := send(t, n, raw)
		if got.Result || got.Code != string(c.code) || !strings.Contains(got.Message, c.message) || len(got.TxID) != 64 {
			t.Errorf("%s: %+v, want %s %q", name, got, c.code, c.message)
		}
	}
	if n.Waiting() != 0 || balance(t, n, "wallet", sender.Text()) != before {
		t.Errorf("refused transactions have changed the chain: %d wait", n.Waiting())
	}
}

func TestBytesThatAreNoTransaction(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	whole := n.draft(sender).signed(sender)
	for name, c := range map[string]struct{ text, fault string }{
		"no hex":         {"xyz", "DecoderException"},
		"cut off":        {hex.EncodeToString(whole[:len(whole)-1]), "InvalidProtocolBufferException"},
		"no message":     {"ffffff", "InvalidProtocolBufferException"},
		"a wire of four": {"0d00000000", "InvalidProtocolBufferException"},
	} {
		var a answered
		ask(t, n, "wallet/broadcasthex", object{"transaction": c.text}, &a)
		if !strings.Contains(a.Error, c.fault) || a.Result {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if a := send(t, n, nil); a.Code != string(invalidError) || !strings.Contains(a.Message, "No contract!") {
		t.Errorf("an empty transaction: %+v", a)
	}
}

func TestSecondBroadcastIsADuplicate(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	raw := n.draft(sender).signed(sender)
	if a := send(t, n, raw); !a.Result {
		t.Fatalf("%+v", a)
	}
	for _, when := range []string{"while it waits", "in a block", "in a solid block"} {
		if a := send(t, n, raw); a.Result || a.Code != string(dupError) {
			t.Errorf("%s: %+v", when, a)
		}
		if when == "in a block" {
			n.Mine(5)
		} else {
			n.Mine(1)
		}
	}
	n.Mine(30)
	if a := send(t, n, raw); a.Code != string(expiredError) {
		t.Errorf("after its time: %+v", a)
	}
	if got := balance(t, n, "wallet", KeyOf("stranger").Text()); got != trx {
		t.Errorf("paid %d sun", got)
	}
}

func TestReferenceBlocksGoOutOfReach(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	first := n.blocks[0]
	fromFirst := n.draft(sender)
	fromFirst.ref = first
	if a := send(t, n, fromFirst.signed(sender)); !a.Result {
		t.Errorf("the first block is still in reach: %+v", a)
	}
	n.Mine(65_536 - int(n.head().number))
	d := n.draft(sender)
	d.ref = first
	if a := send(t, n, d.signed(sender)); a.Code != string(taposError) {
		t.Errorf("a block of %d blocks ago: %+v", n.head().number, a)
	}
	d.ref = n.blocks[1]
	if a := send(t, n, d.signed(sender)); !a.Result {
		t.Errorf("a block of %d blocks ago: %+v", n.head().number-1, a)
	}
}

func TestBandwidthThatCannotBePaid(t *testing.T) {
	t.Parallel()
	n, _ := newNode(t, Options{})
	poor := KeyOf("poor")
	must(t)(n.Fund(poor.Text(), 10))
	n.Mine(1)
	for i, want := range []code{success, success, bandError} { // 600 free bytes are two transfers
		d := n.draft(poor)
		d.value = transferOf(poor, bytesOf(Rich.Address()), 1)
		d.expiration += int64(i)
		if a := send(t, n, d.signed(poor)); a.Code != string(want) {
			t.Errorf("transfer %d: %+v, want %s", i, a, want)
		}
	}
	d := n.draft(poor)
	if a := send(t, n, d.signed(poor)); a.Code != string(bandError) {
		t.Errorf("an activation by one who cannot pay for it: %+v", a)
	}
}

func TestMemosCost(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	must(t)(n.Fund(KeyOf("stranger").Text(), 1))
	n.Mine(1)
	d := n.draft(sender)
	d.data = []byte("a memo")
	a := send(t, n, d.signed(sender))
	n.Mine(1)
	if i := info(t, n, a.TxID); i.Fee != trx {
		t.Errorf("a transfer with a memo costs %d", i.Fee)
	}
	poor := KeyOf("poor")
	must(t)(n.Fund(poor.Text(), trx-1))
	n.Mine(1)
	d = n.draft(poor)
	d.data = []byte("a memo")
	d.value = transferOf(poor, bytesOf(Rich.Address()), 1)
	if a := send(t, n, d.signed(poor)); a.Code != string(bandError) {
		t.Errorf("a memo that cannot be paid: %+v", a)
	}
}
