package follow

import (
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/pay"
)

// dollar is the currency of the rule of amounts.
const dollar = "USD"

// creditEarly decides when each new transfer to a payin is credited. The rule of amounts goes by the larger of two: the amount asked
// for by the payin, and the amount found by one step at its address. So many small transfers in one block count together. An amount
// without a price is credited by the network's rule. The decision stays with the transfer, also when it is mined again.
func (o *owners) creditEarly(rule *chains.Rule, all []newcomer) {
	if !rule.Early() {
		return
	}
	worth, unpriced := map[int64]decimal.Decimal{}, map[int64]bool{}
	for _, n := range all {
		if !n.isNew || n.transfer.PayinID == nil {
			continue
		}
		price, ok := o.cat.Rates.Price(n.transfer.Token, dollar)
		unpriced[n.address.ID] = unpriced[n.address.ID] || !ok
		worth[n.address.ID] = worth[n.address.ID].Add(n.transfer.Amount.Mul(price.Price))
	}
	made := make(map[uuid.UUID]*pay.Payin, len(o.made))
	for _, p := range o.made {
		made[p.ID] = p
	}
	for _, n := range all {
		if !n.isNew || n.transfer.PayinID == nil || unpriced[n.address.ID] {
			continue
		}
		t, asks := n.transfer, n.address.Asks
		if p := made[*t.PayinID]; p != nil {
			p.CreditAfter = rule.For(p.MerchantID, worth[n.address.ID])
			t.CreditAfter = p.CreditAfter
		} else if asks != nil && asks.Network == t.Network {
			t.CreditAfter = rule.Later(asks.MerchantID, asks.CreditAfter, rule.For(asks.MerchantID, worth[n.address.ID]))
		}
	}
}
