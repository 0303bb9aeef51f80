package tron

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/shopspring/decimal"
	"golang.org/x/sync/errgroup"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/tron/client"
)

var _ chains.Staking = (*Connector)(nil)

// Spendable implements chains.Staking.
func (c *Connector) Spendable(ctx context.Context, address string, height int64) (decimal.Decimal, error) {
	owner, err := addresses.TronAccount(address)
	if err != nil {
		return decimal.Zero, fmt.Errorf("holdings of %q: %w", address, err)
	}
	var units []*big.Int
	err = c.use(ctx, func(v view) (err error) {
		units, err = v.heldAt(ctx, spendable, []common.Address{owner}, height)
		return err
	})
	if err != nil {
		return decimal.Zero, fmt.Errorf("spendable TRX at %d: %w", height, err)
	}
	return coin.amount(units[0]), nil
}

// Stake implements chains.Staking, for energy. What is staked for anything else is none of it.
func (c *Connector) Stake(ctx context.Context) (out *chains.Stake, err error) {
	err = c.use(ctx, func(v view) (err error) {
		out, err = v.stake(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("stake of the hot wallet: %w", err)
	}
	return out, nil
}

// stake is Stake, as one node answers. Nobody is asked about loans where there are none.
func (v view) stake(ctx context.Context) (*chains.Stake, error) {
	final, err := v.newest(ctx, solid)
	if err != nil {
		return nil, err
	}
	own, err := v.account(ctx, solid, v.hot)
	if err != nil {
		return nil, err
	}
	clock := final.Header.Raw.Timestamp
	_, due := leaving(own, clock)
	out := &chains.Stake{Staked: sun(own.Energy()), Lent: sun(own.Resource.LentEnergy), Due: sun(due), Loans: []chains.Loan{}}
	for _, l := range own.Leaving {
		out.Leaving = out.Leaving.Add(sun(l.Amount))
	}
	out.Leaving = out.Leaving.Sub(out.Due)
	if own.Resource.LentEnergy == 0 {
		return out, nil
	}
	var lent client.LentTo
	if err := v.ask(ctx, &lent, solid+"/getdelegatedresourceaccountindexv2", value{hexOf(v.hot)}); err != nil {
		return nil, err
	}
	out.Loans, err = v.loans(ctx, lent.To, clock)
	return out, err
}

// loansAtOnce is how many addresses are asked about at the same time. There is a question for each loan.
const loansAtOnce = 8

// loans returns what has been lent to addresses and can be taken back now.
func (v view) loans(ctx context.Context, to []string, clock int64) ([]chains.Loan, error) {
	free := make([]chains.Loan, len(to))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(loansAtOnce)
	for i, text := range to {
		group.Go(func() error {
			address, ok := hexAccount(text)
			if !ok {
				return odd("a loan to no address")
			}
			loans, err := v.loansTo(ctx, address)
			if err == nil {
				free[i] = chains.Loan{Address: addresses.TronOf(address), Amount: sun(loans.Free(clock))}
			}
			return err
		})
	}
	err := group.Wait()
	return slices.DeleteFunc(free, func(l chains.Loan) bool { return !l.Amount.IsPositive() }), err
}

// Lending implements chains.Staking. What a sweep takes is that of MoveCost.
func (c *Connector) Lending(ctx context.Context, symbol string) (out *chains.Lending, err error) {
	err = c.use(ctx, func(v view) (err error) {
		out, err = v.lending(ctx, symbol)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cost of a loan: %w", err)
	}
	return out, nil
}

// lending is Lending, as one node answers.
func (v view) lending(ctx context.Context, symbol string) (*chains.Lending, error) {
	t, ok := v.known.Load().bySymbol[symbol]
	if !ok || t.native {
		return nil, nil
	}
	var has client.Resources
	if err := v.ask(ctx, &has, whole+"/getaccountresource", map[string]string{"address": hexOf(v.hot)}); err != nil || has.Energy() == 0 {
		return nil, err
	}
	prices, err := v.parameters(ctx)
	if err != nil {
		return nil, err
	}
	most, err := v.tokenMove(ctx, t, prices)
	if err != nil {
		return nil, err
	}
	amount, err := v.loan(ctx, units(most.feeLimit, prices), &has)
	own, loan := v.bytesFee(most, prices), v.loanFee(prices)
	if err != nil || amount == 0 || loan >= most.feeLimit {
		return nil, err
	}
	return &chains.Lending{Fee: sun(own), Cost: sun(own + loan)}, nil
}

// offerTo returns the loan by which a deposit address could pay for its call; nil if the missing TRX cost less, or too little can be lent.
func (v view) offerTo(ctx context.Context, f *facts, missing decimal.Decimal) (*chains.Offer, error) {
	wanted := units(f.limit, f.prices) - f.resources.Energy()
	rest := new(big.Int).Sub(big.NewInt(f.bytes), f.coins)
	if rest.Sign() < 0 {
		rest.SetInt64(0)
	}
	burns := missing.Sub(coin.amount(rest))
	if wanted <= 0 || burns.LessThanOrEqual(sun(v.loanFee(f.prices))) {
		return nil, nil
	}
	var has client.Resources
	if err := v.ask(ctx, &has, whole+"/getaccountresource", map[string]string{"address": hexOf(v.hot)}); err != nil {
		return nil, err
	}
	amount, err := v.loan(ctx, wanted, &has)
	if err != nil || amount == 0 {
		return nil, err
	}
	return &chains.Offer{Amount: sun(amount), Rest: coin.amount(rest)}, nil
}

// loan returns how much of the hot wallet's stake gives so much energy, in whole TRX; 0 if less can be lent.
func (v view) loan(ctx context.Context, energy int64, has *client.Resources) (int64, error) {
	if energy > has.Energy() {
		return 0, nil
	}
	if has.AllEnergy <= 0 || has.AllStaked <= 0 {
		return 0, odd("the node does not tell what a stake gives")
	}
	amount := new(big.Int).Mul(big.NewInt(energy+energy/loanMargin), big.NewInt(has.AllStaked))
	amount.Add(amount.Div(amount, big.NewInt(has.AllEnergy)), big.NewInt(1))
	most, err := v.lendable(ctx)
	if amount.Mul(amount, big.NewInt(sunOfTRX)); err != nil || amount.Cmp(big.NewInt(most)) > 0 {
		return 0, err
	}
	return amount.Int64(), nil
}

// loanMargin: a loan has this part more, since others stake as well until it is used.
const loanMargin = 100

// energyOf is the energy that so much of a stake gives.
func energyOf(units int64, has *client.Resources) int64 {
	if has.AllStaked <= 0 {
		return 0
	}
	gives := new(big.Int).Mul(big.NewInt(units), big.NewInt(has.AllEnergy))
	gives.Div(gives, new(big.Int).Mul(big.NewInt(has.AllStaked), big.NewInt(sunOfTRX)))
	if !gives.IsInt64() {
		return 1<<63 - 1
	}
	return gives.Int64()
}

// units is the energy that a fee_limit allows for.
func units(limit int64, prices parameters) int64 { return (limit + prices.energy - 1) / prices.energy }

// loanFee is the price of a loan: the bytes of its begin and of its end.
func (c *Connector) loanFee(prices parameters) int64 {
	begin := bond{kind: kindDelegate, owner: c.hot, to: c.hot, units: 1 << 62}
	end := begin
	end.kind = kindUndelegate
	return c.bytesFee(begin.raw(), prices) + c.bytesFee(end.raw(), prices)
}
