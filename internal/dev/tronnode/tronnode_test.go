package tronnode

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

func TestPaymentsAreMinedAndPaidFor(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	stranger := KeyOf("stranger").Text()
	first := send(t, n, n.draft(sender).signed(sender))
	second := send(t, n, n.transferDraft(sender, 7, 100*trx).signed(sender))
	if !first.Result || !second.Result || first.Code != "SUCCESS" {
		t.Fatalf("broadcasts: %+v, %+v", first, second)
	}
	n.Mine(1)
	activation := info(t, n, first.TxID)
	if activation.Fee != trx+100_000 || activation.Receipt.NetFee != 100_000 {
		t.Errorf("a transfer to a new account: %+v", activation)
	}
	paid := info(t, n, second.TxID)
	r := paid.Receipt
	if r.Result != "SUCCESS" || r.EnergyTotal == 0 || r.EnergyFee != r.EnergyTotal*100 || r.NetUsage == 0 || paid.Fee != r.EnergyFee {
		t.Errorf("a transfer of a token: %+v", paid)
	}
	if len(paid.Log) != 1 || len(paid.Log[0].Topics) != 3 || paid.ContractResult[0] != hex.EncodeToString(make([]byte, 32)) {
		t.Errorf("its log and its result: %+v", paid)
	}
	if got := balance(t, n, "wallet", stranger); got != trx {
		t.Errorf("the stranger holds %d sun", got)
	}
	if got := balance(t, n, "wallet", sender.Text()); got != 10_000*trx-trx-activation.Fee-paid.Fee {
		t.Errorf("the sender holds %d sun", got)
	}
	if got := held(t, n, "wallet", stranger); got != 7 {
		t.Errorf("the stranger holds %d units", got)
	}
}

func TestSolidViewLags(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	send(t, n, n.draft(sender).signed(sender))
	send(t, n, n.transferDraft(sender, 7, 100*trx).signed(sender))
	n.Mine(1)
	stranger := KeyOf("stranger").Text()
	for range 18 {
		n.Mine(1)
		if sun, units := balance(t, n, "walletsolidity", stranger), held(t, n, "walletsolidity", stranger); sun != 0 || units != 0 {
			t.Fatalf("%d sun and %d units are solid too early", sun, units)
		}
	}
	n.Mine(1)
	if sun, units := balance(t, n, "walletsolidity", stranger), held(t, n, "walletsolidity", stranger); sun != trx || units != 7 {
		t.Fatalf("%d sun and %d units are solid after 19 blocks", sun, units)
	}
	var solid, newest shownBlock
	ask(t, n, "wallet/getnowblock", object{}, &newest)
	ask(t, n, "walletsolidity/getnowblock", object{}, &solid)
	if newest.Header.Raw.Number-solid.Header.Raw.Number != 19 || len(solid.Transactions) != 2 {
		t.Errorf("newest %+v, solid %+v", newest, solid)
	}
}

func TestBlocksAreWhole(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	for i := range int64(5) {
		d := n.draft(sender)
		d.expiration += i
		send(t, n, d.signed(sender))
	}
	n.Mine(1)
	var parent, b shownBlock
	ask(t, n, "wallet/getnowblock", object{}, &b)
	ask(t, n, "wallet/getblockbynum", object{"num": b.Header.Raw.Number - 1}, &parent)
	if b.Header.Raw.Parent != parent.BlockID || b.Header.Raw.Timestamp != parent.Header.Raw.Timestamp+slotMs || len(b.Transactions) != 5 {
		t.Fatalf("block %+v after %+v", b, parent)
	}
	var leaves [][32]byte
	for _, tx := range b.Transactions {
		raw := unhex(tx.RawHex)
		if id := sha256.Sum256(raw); hex.EncodeToString(id[:]) != tx.TxID {
			t.Errorf("id %s of raw data %s", tx.TxID, tx.RawHex)
		}
		whole := message(nil).always(1, raw).always(2, unhex(tx.Signature[0])).always(5, message(nil).number(3, 1))
		leaves = append(leaves, sha256.Sum256(whole))
	}
	pair := func(a, b [32]byte) [32]byte { return sha256.Sum256(append(a[:], b[:]...)) }
	want := pair(pair(pair(leaves[0], leaves[1]), pair(leaves[2], leaves[3])), leaves[4])
	if b.Header.Raw.Root != hex32(want) {
		t.Errorf("root %s, want %x", b.Header.Raw.Root, want)
	}
	header := message(nil).number(1, b.Header.Raw.Timestamp).bytes(2, unhex(b.Header.Raw.Root)).bytes(3, unhex(b.Header.Raw.Parent)).
		number(7, b.Header.Raw.Number).bytes(9, unhex(b.Header.Raw.Witness)).number(10, b.Header.Raw.Version)
	if id := sha256.Sum256(header); b.BlockID[16:] != hex32(id)[16:] || b.BlockID[:16] != hex.EncodeToString([]byte{0, 0, 0, 0, 0, 0, 0, byte(b.Header.Raw.Number)}) {
		t.Errorf("id %s of header %x", b.BlockID, id)
	}
}
