package tronnode

import (
	"encoding/hex"
	"math/big"
	"strings"
	"testing"
)

// settle mines a transaction and returns what it has done.
func settle(t *testing.T, n *Node, txid string) shownInfo {
	t.Helper()
	n.Mine(1)
	return info(t, n, txid)
}

func TestUSDTsHabits(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	stranger := KeyOf("stranger")
	pay := func() shownInfo {
		return settle(t, n, must(t)(n.Call(sender, USDT, "transfer", stranger.Address(), big.NewInt(1_000_000))))
	}
	failed := func(i shownInfo) bool {
		return i.Receipt.Result == "REVERT" && i.Result == "FAILED" && i.ResMessage == hexText("REVERT opcode executed") && len(i.Log) == 0
	}
	if i := pay(); i.Receipt.Result != "SUCCESS" || i.ContractResult[0] != strings.Repeat("0", 64) || len(i.Log) != 1 {
		t.Errorf("a transfer: %+v", i)
	}
	settle(t, n, must(t)(n.Call(Rich, USDT, "addBlackList", sender.Address())))
	if i := pay(); !failed(i) || i.Fee == 0 {
		t.Errorf("of a blocked sender: %+v", i)
	}
	settle(t, n, must(t)(n.Call(Rich, USDT, "removeBlackList", sender.Address())))
	settle(t, n, must(t)(n.Call(Rich, USDT, "addBlackList", stranger.Address())))
	if i := pay(); i.Receipt.Result != "SUCCESS" {
		t.Errorf("to a blocked receiver: %+v", i)
	}
	settle(t, n, must(t)(n.Call(Rich, USDT, "pause")))
	if i := pay(); !failed(i) {
		t.Errorf("while paused: %+v", i)
	}
	settle(t, n, must(t)(n.Call(Rich, USDT, "unpause")))
	settle(t, n, must(t)(n.Call(Rich, USDT, "setParams", big.NewInt(10), big.NewInt(40))))
	before := held(t, n, "wallet", stranger.Text())
	if i := pay(); len(i.Log) != 2 || held(t, n, "wallet", stranger.Text())-before != 999_000 {
		t.Errorf("with a fee of 10 basis points: %+v", i)
	}
	if i := settle(t, n, must(t)(n.Call(sender, USDT, "transfer", stranger.Address(), big.NewInt(1e18)))); !failed(i) {
		t.Errorf("more than is there: %+v", i)
	}
	if i := settle(t, n, must(t)(n.Call(sender, USDT, "pause"))); !failed(i) {
		t.Errorf("by another than the owner: %+v", i)
	}
}

func TestSilentTokenReturnsNothing(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	i := settle(t, n, must(t)(n.Pay(Silent, sender.Text(), 5)))
	if i.Receipt.Result != "SUCCESS" || i.ContractResult[0] != "" || len(i.Log) != 1 || i.Log[0].Data[62:] != "05" {
		t.Errorf("%+v", i)
	}
}

// TestEnergyIsCloseToTrons compares a transfer of USDT with two of real nodes: testdata/recorded has the second, less its penalty. The
// first is of a private network of java-tron 4.8.2.
func TestEnergyIsCloseToTrons(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	for _, c := range []struct {
		to     string
		energy int64
	}{{"one who holds none", 29_650}, {"one who holds some", 64_285 - 49_635}} {
		i := settle(t, n, send(t, n, n.transferDraft(sender, 7, 100*trx).signed(sender)).TxID)
		if off := i.Receipt.EnergyTotal - c.energy; off*100 > c.energy || -off*100 > c.energy || i.Receipt.NetUsage+i.Receipt.NetFee/1000 != 345 {
			t.Errorf("to %s: %+v, on Tron %d energy and 345 bytes", c.to, i.Receipt, c.energy)
		}
	}
}

func TestFeeLimitsHold(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	const limit = 1_500_000 // sun: 15,000 energy
	before := balance(t, n, "wallet", sender.Text())
	i := settle(t, n, send(t, n, n.transferDraft(sender, 7, limit).signed(sender)).TxID)
	if i.Receipt.Result != "OUT_OF_ENERGY" || i.Result != "FAILED" || i.Receipt.EnergyTotal != 15_000 || i.Fee != limit || len(i.Log) != 0 {
		t.Errorf("%+v", i)
	}
	if got := balance(t, n, "wallet", sender.Text()); got != before-limit {
		t.Errorf("balance %d, was %d", got, before)
	}
	if got := held(t, n, "wallet", KeyOf("stranger").Text()); got != 0 {
		t.Errorf("paid %d units", got)
	}
	var shown shownBlock
	ask(t, n, "wallet/getnowblock", object{}, &shown)
	if shown.Transactions[0].Ret[0].ContractRet != "OUT_OF_ENERGY" {
		t.Errorf("in its block: %+v", shown)
	}
	if i := settle(t, n, must(t)(n.Call(sender, USDT, "waste"))); i.Receipt.Result != "ILLEGAL_OPERATION" || i.Receipt.EnergyFee != 1_000*trx {
		t.Errorf("a call that wastes its energy: %+v", i)
	}
}

func TestBalanceBoundsEnergy(t *testing.T) {
	t.Parallel()
	n, _ := newNode(t, Options{})
	poor := KeyOf("poor")
	must(t)(n.Fund(poor.Text(), trx))
	must(t)(n.Pay(USDT, poor.Text(), 5))
	n.Mine(1)
	i := settle(t, n, send(t, n, n.transferDraft(poor, 5, 100*trx).signed(poor)).TxID)
	if i.Receipt.Result != "OUT_OF_ENERGY" || i.Receipt.EnergyTotal != 10_000 || balance(t, n, "wallet", poor.Text()) != 0 {
		t.Errorf("%+v", i)
	}
}

func TestEnergyFactorIsAPenalty(t *testing.T) {
	t.Parallel()
	plain, sender := newNode(t, Options{})
	dear, _ := newNode(t, Options{Factor: 30_000})
	i := settle(t, plain, send(t, plain, plain.transferDraft(sender, 7, 100*trx).signed(sender)).TxID)
	j := settle(t, dear, send(t, dear, dear.transferDraft(sender, 7, 100*trx).signed(sender)).TxID)
	if j.Receipt.EnergyTotal != 4*i.Receipt.EnergyTotal || j.Receipt.EnergyExtra != 3*i.Receipt.EnergyTotal {
		t.Errorf("plain %+v, dear %+v", i.Receipt, j.Receipt)
	}
	var asked struct {
		State struct {
			Factor int64 `json:"energy_factor"`
		} `json:"contract_state"`
	}
	ask(t, dear, "wallet/getcontractinfo", object{"value": USDT, "visible": true}, &asked)
	if asked.State.Factor != 30_000 {
		t.Errorf("energy_factor %d", asked.State.Factor)
	}
}

func TestPricesChange(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{})
	fees := TronFees
	fees.Energy = 420
	n.SetFees(fees)
	n.SetFactor(10_000)
	i := settle(t, n, send(t, n, n.transferDraft(sender, 7, 100*trx).signed(sender)).TxID)
	if i.Receipt.EnergyFee != 420*i.Receipt.EnergyTotal || i.Receipt.EnergyExtra*2 != i.Receipt.EnergyTotal {
		t.Errorf("%+v", i)
	}
}

func TestTrialsTellTheEnergy(t *testing.T) {
	t.Parallel()
	n, sender := newNode(t, Options{Factor: 30_000})
	d := n.transferDraft(sender, 7, 100*trx)
	tx, err := readTransaction(d.signed(sender))
	if err != nil {
		t.Fatal(err)
	}
	what, _ := tx.order()
	question := object{"owner_address": hexOf(sender.Address()), "contract_address": hexOf(what.to), "data": hex.EncodeToString(what.data)}
	var trial struct {
		Result struct {
			Result        bool
			Code, Message string
		}
		Energy      int64 `json:"energy_used"`
		Penalty     int64 `json:"energy_penalty"`
		Required    int64 `json:"energy_required"`
		Transaction struct{ Ret []struct{ Ret string } }
	}
	ask(t, n, "wallet/triggerconstantcontract", question, &trial)
	i := settle(t, n, send(t, n, d.signed(sender)).TxID)
	if !trial.Result.Result || trial.Energy != i.Receipt.EnergyTotal || trial.Penalty != i.Receipt.EnergyExtra {
		t.Errorf("trial %+v, in its block %+v", trial, i.Receipt)
	}
	ask(t, n, "wallet/estimateenergy", question, &trial)
	if trial.Required == 0 || trial.Required > i.Receipt.EnergyTotal {
		t.Errorf("estimate %+v, the first transfer cost %+v", trial, i.Receipt)
	}
	settle(t, n, must(t)(n.Call(Rich, USDT, "addBlackList", sender.Address())))
	ask(t, n, "wallet/triggerconstantcontract", question, &trial)
	if !trial.Result.Result || trial.Result.Message != hexText("REVERT opcode executed") || trial.Transaction.Ret[0].Ret != "FAILED" {
		t.Errorf("a trial of a blocked sender: %+v", trial)
	}
}
