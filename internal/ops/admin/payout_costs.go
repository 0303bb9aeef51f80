package admin

import (
	"context"

	"github.com/google/uuid"

	"causeway/chains/addresses"
	"causeway/internal/pay"
	"causeway/ledger"
)

// addCosts sets what a payout's part of each of its transactions has cost.
func (a *Admin) addCosts(ctx context.Context, p *pay.Payout, transactions []Transaction) error {
	subjects := make([]uuid.UUID, len(transactions))
	for i := range transactions {
		subjects[i] = ledger.Gas(p.Network, transactions[i].Txid)
	}
	booked, err := a.Store.GasBooked(ctx, subjects)
	if err != nil {
		return err
	}
	for i := range transactions {
		gas := booked[subjects[i]]
		if !gas.Cost.IsPositive() {
			continue
		}
		rows, err := a.Store.SignedWith(ctx, p.Network, transactions[i].Txid)
		if err != nil {
			return err
		}
		sizes, own, err := a.sizes(ctx, p, rows)
		if err != nil {
			return err
		}
		transactions[i].Cost = &ledger.CostShares(gas.Cost, sizes)[own]
	}
	return nil
}

// sizes returns the size of each payment of one transaction, and the place of the payout's own among them. A payout that the
// transaction leaves out has none. Payments have equal sizes where their transaction pays none of them.
func (a *Admin) sizes(ctx context.Context, p *pay.Payout, rows []pay.SignedTransaction) (sizes []int64, own int, err error) {
	ids := make([]uuid.UUID, len(rows))
	for i := range rows {
		ids[i] = rows[i].PayoutID
	}
	payouts, err := a.Store.PayoutsOf(ctx, ids)
	if err != nil {
		return nil, 0, err
	}
	sizes = make([]int64, len(rows))
	var all int64
	for i := range rows {
		if rows[i].PayoutID == p.ID {
			own = i
		}
		if to := payouts[rows[i].PayoutID]; to != nil && rows[i].Purpose == pay.PurposePay {
			sizes[i] = outputSize(p.Network, to.Wallet)
		}
		all += sizes[i]
	}
	for i := range sizes {
		if all == 0 {
			sizes[i] = 1
		}
	}
	return sizes, own, nil
}

// amountAndLength are the bytes of an output of Bitcoin and its kin before its script.
const amountAndLength = 9

// outputSize is how many bytes a payment to an address takes in a transaction, and 1 on networks whose payments have one size.
func outputSize(network, address string) int64 {
	script, err := addresses.Script(network, address)
	if err != nil {
		return 1
	}
	return int64(amountAndLength + len(script))
}
