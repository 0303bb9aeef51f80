package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// purse is one balance of one merchant.
type purse struct {
	merchant uuid.UUID
	asset    string
}

// model computes every balance from the contract and the chains alone: payments in blocks less the receipt rate, less
// the debits of payouts not refunded.
func (e *evidence) model() map[purse]decimal.Decimal {
	sums := map[purse]decimal.Decimal{}
	owner := map[uuid.UUID]uuid.UUID{}
	for i := range e.payins {
		owner[e.payins[i].ID] = e.payins[i].MerchantID
	}
	mined := e.minedPayments()
	for _, t := range e.transfers {
		tx, there := mined[t.Network+" "+t.Txid]
		if !there || t.PayinID == nil {
			continue
		}
		merchant := owner[*t.PayinID]
		coin, _ := e.t.coin(tx.Network, tx.Token)
		credited := e.cut(tx)
		rate := credited.Mul(e.shop(merchant).getting).Shift(-2).Truncate(coin.precision)
		at := purse{merchant, coin.asset}
		sums[at] = sums[at].Add(credited).Sub(rate)
	}
	for i := range e.payouts {
		p := &e.payouts[i]
		if p.Status != "refunded" {
			at := purse{p.MerchantID, p.Asset}
			sums[at] = sums[at].Sub(p.Debit)
		}
	}
	return sums
}

// judgeBalances compares the front's answers, and the last line of each statement, with the model.
func (e *evidence) judgeBalances(ctx context.Context) {
	model := e.model()
	for _, s := range e.t.shops {
		a := s.sure(ctx, http.MethodGet, "/v1/balances", nil, "")
		var said struct{ Balances, Available, Locked map[string]decimal.Decimal }
		if err := json.Unmarshal(a.body, &said); err != nil {
			e.wrong("the front answers", err.Error())
			continue
		}
		for _, asset := range slices.Sorted(maps.Keys(said.Balances)) {
			want := model[purse{s.id, asset}]
			if !want.Equal(said.Balances[asset]) || !want.Equal(said.Available[asset]) || !said.Locked[asset].IsZero() {
				e.wrong(checkModel, fmt.Sprintf("shop %d: %s %s, not %s", s.number, asset, said.Balances[asset], want))
			}
			last := s.sure(ctx, http.MethodGet, "/v1/statements?per_page=1&balance="+asset, nil, "").text("statements.0.balance_after")
			if after, err := decimal.NewFromString(last); last != "" && (err != nil || !after.Equal(want)) {
				e.wrong(checkStatement, fmt.Sprintf("shop %d: %s %s, not %s", s.number, asset, last, want))
			}
		}
	}
	for _, p := range e.payouts {
		e.report.sum("paid out "+p.Asset, p.Amount, p.Status == "completed")
	}
}

// judgeLedger checks the sums of the ledger: nothing is held any more, and the outside account equals our holdings on
// the chains.
func (e *evidence) judgeLedger(ctx context.Context) {
	var sums []struct {
		Account, Asset string
		Amount         decimal.Decimal
	}
	const postings = `select a.name as account, p.asset, sum(p.delta) as amount from (
			select from_account as account, asset, -amount as delta from postings union all select to_account, asset, amount from postings) p
		join accounts a on a.id = p.account group by 1, 2`
	if err := e.t.db.NewRaw(postings).Scan(ctx, &sums); err != nil {
		e.wrong("the evidence can be read", err.Error())
	}
	total, outside := map[string]decimal.Decimal{}, map[string]decimal.Decimal{}
	for _, s := range sums {
		total[s.Asset] = total[s.Asset].Add(s.Amount)
		outside[s.Account+" "+s.Asset] = s.Amount
		if s.Account == "payouts:held" && !s.Amount.IsZero() {
			e.wrong(checkHeld, s.Amount.String()+" "+s.Asset)
		}
	}
	for asset, sum := range total {
		if !sum.IsZero() {
			e.wrong(checkSum, sum.String()+" "+asset)
		}
	}
	e.judgeHoldings(ctx, outside)
}

func (e *evidence) judgeHoldings(ctx context.Context, outside map[string]decimal.Decimal) {
	var held []struct {
		Network, Asset string
		Amount         decimal.Decimal
	}
	const holdings = `select h.network, k.balance_key as asset, sum(h.amount) as amount from sandbox_holdings h
		join tokens k on k.network = h.network and k.symbol = h.token
		where h.network in (select distinct network from sandbox_transactions where nonce is not null or ` + byCustomers + `)
		and (h.address in (select match from addresses) or h.address in (select sender_match from sandbox_transactions where nonce is not null)
			or h.address in (select address from cold_addresses c where c.network = h.network))
		group by 1, 2`
	if err := e.t.db.NewRaw(holdings).Scan(ctx, &held); err != nil {
		e.wrong("the evidence can be read", err.Error())
	}
	booked := e.strandedCosts(ctx)
	for _, h := range held {
		if got := outside["outside:"+h.Network+" "+h.Asset].Neg().Add(booked[h.Network+" "+h.Asset]); !got.Equal(h.Amount) {
			e.wrong(checkHoldings, fmt.Sprintf("%s %s: the ledger says %s, the chain %s", h.Network, h.Asset, got, h.Amount))
		}
	}
}

// strandedCosts are the costs in the ledger of moves that were done, and whose money a reorganisation has taken away since.
func (e *evidence) strandedCosts(ctx context.Context) map[string]decimal.Decimal {
	var rows []struct {
		Place string
		Cost  decimal.Decimal
	}
	const query = `select m.network || ' ' || k.balance_key as place, sum(m.cost) as cost from treasury_moves m
		join sandbox_networks n using (network) join tokens k on k.network = m.network and k.symbol = n.coin
		where m.cost is not null and m.id in (` + stranded + `) group by 1`
	if err := e.t.db.NewRaw(query).Scan(ctx, &rows); err != nil {
		e.wrong("the evidence can be read", err.Error())
	}
	out := map[string]decimal.Decimal{}
	for _, r := range rows {
		out[r.Place] = r.Cost
	}
	return out
}

// judgeReconcile has the product check itself, and looks for false alarms given earlier.
func (e *evidence) judgeReconcile(ctx context.Context) {
	var said struct {
		Differences []any
		Unreached   map[string]string `json:"networks_not_reached"`
	}
	if err := e.t.command(ctx, &said, "reconcile"); err != nil || len(said.Unreached) > 0 {
		e.wrong(checkReconcile, fmt.Sprintf("%v %v %v", err, said.Differences, said.Unreached))
	}
	var alarms []string
	const query = "select at || ' ' || differences from reconcile_reports where differences <> '[]'::jsonb order by at"
	if err := e.t.db.NewRaw(query).Scan(ctx, &alarms); err != nil {
		e.wrong("the evidence can be read", err.Error())
	}
	for _, a := range alarms {
		e.wrong("reconciliation gives no false alarm", a)
	}
}
