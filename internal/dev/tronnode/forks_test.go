package tronnode

import (
	"testing"
)

// top asks for the newest block.
func top(t *testing.T, n *Node) shownBlock {
	t.Helper()
	var b shownBlock
	ask(t, n, "wallet/getnowblock", object{}, &b)
	return b
}

func TestForkedTransactionsComeAgain(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	n.Solidify()
	a := send(t, n, n.draft(sender).signed(sender))
	paid := send(t, n, n.transferDraft(sender, 7, 100*trx).signed(sender))
	n.Mine(2)
	old := top(t, n)
	if err := n.Reorganise(2, false); err != nil {
		t.Fatal(err)
	}
	fork := top(t, n)
	if fork.Header.Raw.Number != old.Header.Raw.Number+1 {
		t.Errorf("the fork ends at %d, the old chain at %d", fork.Header.Raw.Number, old.Header.Raw.Number)
	}
	var b shownBlock
	ask(t, n, "wallet/getblockbynum", object{"num": old.Header.Raw.Number}, &b)
	if b.BlockID == old.BlockID || b.Header.Raw.Witness == old.Header.Raw.Witness {
		t.Errorf("the fork has the old block %+v", b)
	}
	ask(t, n, "wallet/getblockbyid", object{"value": old.BlockID}, &b)
	if info(t, n, a.TxID).Result != "" || info(t, n, paid.TxID).Receipt.Result != "SUCCESS" || held(t, n, "wallet", KeyOf("stranger").Text()) != 7 {
		t.Error("the transactions have not come again")
	}
}

func TestForkedTransactionsAreLost(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	n.Solidify()
	raw := n.draft(sender).signed(sender)
	a := send(t, n, raw)
	paid := send(t, n, n.transferDraft(sender, 7, 100*trx).signed(sender))
	n.Mine(1)
	if err := n.Reorganise(1, true); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{a.TxID, paid.TxID} {
		var none, alsoNone struct{ ID, TxID string }
		ask(t, n, "wallet/gettransactioninfobyid", object{"value": id}, &none)
		ask(t, n, "wallet/gettransactionbyid", object{"value": id}, &alsoNone)
		if none.ID != "" || alsoNone.TxID != "" {
			t.Errorf("%s is still there: %+v %+v", id, none, alsoNone)
		}
	}
	if sun, units := balance(t, n, "wallet", KeyOf("stranger").Text()), held(t, n, "wallet", KeyOf("stranger").Text()); sun != 0 || units != 0 {
		t.Errorf("%d sun and %d units are left of the old chain", sun, units)
	}
	if got := balance(t, n, "wallet", sender.Text()); got != 10_000*trx {
		t.Errorf("the sender has %d sun back", got)
	}
	if again := send(t, n, raw); !again.Result {
		t.Errorf("sent again: %+v", again)
	}
}

func TestNodesBehind(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	late := &Node{URL: n.Behind(t, 3)}
	send(t, n, n.draft(sender).signed(sender))
	n.Mine(3)
	stranger := KeyOf("stranger").Text()
	if here, there := top(t, n).Header.Raw.Number, top(t, late).Header.Raw.Number; here-there != 3 {
		t.Errorf("one is at %d, the other at %d", here, there)
	}
	if here, there := balance(t, n, "wallet", stranger), balance(t, late, "wallet", stranger); here != trx || there != 0 {
		t.Errorf("one has %d sun, the other %d", here, there)
	}
	n.Mine(19)
	if here, there := balance(t, n, "walletsolidity", stranger), balance(t, late, "walletsolidity", stranger); here != trx || there != 0 {
		t.Errorf("solid: one has %d sun, the other %d", here, there)
	}
	if a := send(t, late, n.draft(sender).signed(sender)); !a.Result || n.Waiting() != 1 {
		t.Errorf("sent to the one behind: %+v", a)
	}
}

func TestSolidBlocksStall(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	_, before := n.Height()
	n.Stall(true)
	send(t, n, n.draft(sender).signed(sender))
	n.Mine(100)
	if _, solid := n.Height(); solid != before || balance(t, n, "walletsolidity", KeyOf("stranger").Text()) != 0 {
		t.Errorf("solid at %d, stalled at %d", solid, before)
	}
	var b shownBlock
	ask(t, n, "walletsolidity/getnowblock", object{}, &b)
	if b.Header.Raw.Number != before {
		t.Errorf("shown %+v, stalled at %d", b, before)
	}
	if err := n.Reorganise(90, false); err != nil {
		t.Error(err)
	}
	n.Stall(false)
	if newest, solid := n.Height(); newest-solid != 19 {
		t.Errorf("newest %d, solid %d", newest, solid)
	}
}

func TestSolidBlocksStay(t *testing.T) {
	t.Parallel()
	n, _ := newNode(t, Options{})
	if err := n.Reorganise(20, false); err == nil {
		t.Error("a solid block was undone")
	}
	if err := n.Reorganise(0, false); err == nil {
		t.Error("no block was undone")
	}
	_, solid := n.Height()
	if err := n.Reorganise(19, false); err != nil {
		t.Error(err)
	}
	if _, after := n.Height(); after != solid+1 {
		t.Errorf("solid at %d, then at %d", solid, after)
	}
}

func TestTransactionsOfAForkDieWithTheirReference(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	d := n.draft(sender)
	d.ref = n.head()
	a := send(t, n, d.signed(sender))
	n.Mine(1)
	if err := n.Reorganise(2, false); err != nil {
		t.Fatal(err)
	}
	var none struct{ ID string }
	ask(t, n, "wallet/gettransactioninfobyid", object{"value": a.TxID}, &none)
	if none.ID != "" || n.Waiting() != 0 {
		t.Errorf("a transaction came into a chain without its reference block: %+v", none)
	}
}
