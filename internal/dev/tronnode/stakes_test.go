package tronnode

import (
	"strings"
	"testing"
)

// stakeDraft is a transaction about stakes.
func stakeDraft(n *Node, from Key, k kind, value message) draft {
	d := n.draft(from)
	d.kind, d.value = k, append(message(nil).bytes(1, bytesOf(from.Address())), value...)
	n.orders++
	d.expiration += int64(n.orders)
	return d
}

func frozenOf(sun int64) message { return message(nil).number(2, sun).number(3, energy) }

func loanOf(to Key, sun int64) message {
	return message(nil).number(2, energy).number(3, sun).bytes(4, bytesOf(to.Address()))
}

type shownResources struct {
	EnergyLimit, EnergyUsed, NetLimit, NetUsed int64
	FreeNetUsed                                int64 `json:"freeNetUsed"`
}

func resources(t *testing.T, n *Node, of Key) shownResources {
	t.Helper()
	var r shownResources
	ask(t, n, "wallet/getaccountresource", object{"address": of.Text(), "visible": true}, &r)
	return r
}

func TestStakesPayForEnergy(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	if a := send(t, n, stakeDraft(n, sender, freeze, frozenOf(5_000*trx)).signed(sender)); !a.Result {
		t.Fatalf("%+v", a)
	}
	n.Mine(1)
	before := resources(t, n, sender)
	if before.EnergyLimit < 47_000 || before.EnergyLimit > 47_400 || before.EnergyUsed != 0 {
		t.Fatalf("5,000 TRX staked: %+v", before)
	}
	a := send(t, n, n.transferDraft(sender, 7, 100*trx).signed(sender))
	n.Mine(1)
	r := info(t, n, a.TxID).Receipt
	if r.EnergyUsage != r.EnergyTotal || r.EnergyFee != 0 {
		t.Errorf("energy of a stake: %+v", r)
	}
	if got := resources(t, n, sender).EnergyUsed; got < r.EnergyTotal-5 || got > r.EnergyTotal {
		t.Errorf("used %d of %d", got, r.EnergyTotal)
	}
	d := n.transferDraft(sender, 8, 100*trx)
	var other []string
	for range 2 {
		d.expiration++
		other = append(other, send(t, n, d.signed(sender)).TxID)
	}
	n.Mine(1)
	last := info(t, n, other[1]).Receipt
	if last.EnergyUsage+last.EnergyFee/100 != last.EnergyTotal || last.EnergyFee == 0 {
		t.Errorf("the rest is burned: %+v", last)
	}
	n.Mine(day / 2)
	half := resources(t, n, sender).EnergyUsed
	n.Mine(day/2 + 2)
	if left := resources(t, n, sender).EnergyUsed; half < before.EnergyLimit/3 || half > before.EnergyLimit*2/3 || left != 0 {
		t.Errorf("used after half a day %d, after a day %d", half, left)
	}
}

func TestStakesComeBackAfterTheirTime(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	send(t, n, stakeDraft(n, sender, freeze, frozenOf(5_000*trx)).signed(sender))
	n.Mine(1)
	a := send(t, n, stakeDraft(n, sender, unfreeze, frozenOf(2_000*trx)).signed(sender))
	n.Mine(1)
	before := balance(t, n, "wallet", sender.Text())
	if i := info(t, n, a.TxID); before != 5_000*trx-i.Fee {
		t.Errorf("balance %d while the stake leaves: %+v", before, i)
	}
	if a := send(t, n, stakeDraft(n, sender, withdrawUnfreeze, nil).signed(sender)); a.Code != string(invalidError) {
		t.Errorf("taken back too early: %+v", a)
	}
	n.mine(n.head().time + 14*dayMs)
	a = send(t, n, stakeDraft(n, sender, withdrawUnfreeze, nil).signed(sender))
	n.Mine(1)
	if got := balance(t, n, "wallet", sender.Text()); !a.Result || got != before+2_000*trx-info(t, n, a.TxID).Fee {
		t.Errorf("taken back: %+v, balance %d", a, got)
	}
}

func TestDelegatedEnergyIsUsedByTheReceiver(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	receiver := KeyOf("receiver")
	must(t)(n.Fund(receiver.Text(), trx))
	must(t)(n.Pay(USDT, receiver.Text(), 100))
	send(t, n, stakeDraft(n, sender, freeze, frozenOf(8_000*trx)).signed(sender))
	n.Mine(1)
	send(t, n, stakeDraft(n, sender, delegate, loanOf(receiver, 8_000*trx)).signed(sender))
	n.Mine(1)
	if own, theirs := resources(t, n, sender), resources(t, n, receiver); own.EnergyLimit != 0 || theirs.EnergyLimit < 75_000 {
		t.Fatalf("owner %+v, receiver %+v", own, theirs)
	}
	a := send(t, n, n.transferDraft(receiver, 100, 10*trx).signed(receiver))
	n.Mine(1)
	i := info(t, n, a.TxID)
	if i.Receipt.Result != "SUCCESS" || i.Fee != 0 || i.Receipt.EnergyUsage != i.Receipt.EnergyTotal {
		t.Errorf("paid with borrowed energy: %+v", i)
	}
	var loans struct {
		DelegatedResource []struct {
			Energy int64 `json:"frozen_balance_for_energy"`
		} `json:"delegatedResource"`
	}
	question := object{"fromAddress": sender.Text(), "toAddress": receiver.Text(), "visible": true}
	ask(t, n, "wallet/getdelegatedresourcev2", question, &loans)
	if len(loans.DelegatedResource) != 1 || loans.DelegatedResource[0].Energy != 8_000*trx {
		t.Errorf("loans %+v", loans)
	}
	send(t, n, stakeDraft(n, sender, undelegate, loanOf(receiver, 8_000*trx)).signed(sender))
	n.Mine(1)
	own, theirs := resources(t, n, sender), resources(t, n, receiver)
	if own.EnergyLimit < 75_000 || own.EnergyUsed < i.Receipt.EnergyTotal-10 || theirs.EnergyLimit != 0 || theirs.EnergyUsed > 1 {
		t.Errorf("given back: owner %+v, receiver %+v", own, theirs)
	}
}

func TestStakesThatAreRefused(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	receiver, nobody := KeyOf("receiver"), KeyOf("nobody")
	must(t)(n.Fund(receiver.Text(), trx))
	send(t, n, stakeDraft(n, sender, freeze, frozenOf(100*trx)).signed(sender))
	send(t, n, stakeDraft(n, sender, delegate, append(loanOf(receiver, 10*trx), message(nil).number(5, 1).number(6, 100)...)).signed(sender))
	n.Mine(1)
	contract, _ := Address(USDT)
	toContract := message(nil).number(2, energy).number(3, trx).bytes(4, bytesOf(contract))
	for name, c := range map[string]struct {
		kind    kind
		value   message
		message string
	}{
		"freezing nothing":              {freeze, frozenOf(0), "frozenBalance must be positive"},
		"freezing too little":           {freeze, frozenOf(trx - 1), "greater than or equal to 1 TRX"},
		"freezing too much":             {freeze, frozenOf(10_000 * trx), "less than or equal to accountBalance"},
		"freezing for a third resource": {freeze, message(nil).number(2, trx).number(3, 2), "ResourceCode error"},
		"unfreezing too much":           {unfreeze, frozenOf(91 * trx), "Invalid unfreeze_balance, [91000000] is error"},
		"unfreezing the other resource": {unfreeze, message(nil).number(2, trx), "no frozenBalance(BANDWIDTH)"},
		"withdrawing nothing":           {withdrawUnfreeze, nil, "no unFreeze balance to withdraw"},
		"delegating too little":         {delegate, loanOf(receiver, trx-1), "greater than or equal to 1 TRX"},
		"delegating too much":           {delegate, loanOf(receiver, 91*trx), "available FreezeEnergyV2 balance"},
		"delegating to oneself":         {delegate, loanOf(sender, trx), "must not be the same as ownerAddress"},
		"delegating to nobody":          {delegate, loanOf(nobody, trx), "does not exist"},
		"delegating to a contract":      {delegate, toContract, "to contract addresses"},
		"taking back what is not lent":  {undelegate, loanOf(nobody, trx), "delegated Resource does not exist"},
		"taking back what is locked":    {undelegate, loanOf(receiver, trx), "insufficient delegateFrozenBalance(Energy), request=1000000, unlock_balance=0"},
	} {
		a := send(t, n, stakeDraft(n, sender, c.kind, c.value).signed(sender))
		if a.Result || a.Code != string(invalidError) || !strings.Contains(a.Message, c.message) {
			t.Errorf("%s: %+v, want %q", name, a, c.message)
		}
	}
	n.Mine(101)
	if a := send(t, n, stakeDraft(n, sender, undelegate, loanOf(receiver, 10*trx)).signed(sender)); !a.Result {
		t.Errorf("taking back after the lock: %+v", a)
	}
}
