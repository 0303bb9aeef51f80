package onchain

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/workers/treasury"
)

// Stake plans to stake an amount of the coin of the hot wallet, for what payments take beside it. Payouts must not wait for it.
func (o *Operator) Stake(ctx context.Context, network, amount string) (*Swept, error) {
	n, value, err := o.staking(ctx, network, amount)
	if err != nil {
		return nil, err
	}
	spare, err := o.planner().Spare(ctx, n)
	switch {
	case err != nil:
		return nil, err
	case value.GreaterThan(spare):
		return nil, admin.Refuse(fmt.Sprintf("the hot wallet of %s has %s %s beyond what payouts and moves wait for", n.Name, spare, n.Coin))
	}
	return o.begin(ctx, "treasury.stake", n, bonded(n, pay.MoveStake, value))
}

// Unstake plans the end of a part of the stake. The network gives it back days later, and it is withdrawn then.
func (o *Operator) Unstake(ctx context.Context, network, amount string) (*Swept, error) {
	n, value, err := o.staking(ctx, network, amount)
	if err != nil {
		return nil, err
	}
	stake, err := n.Staking.Stake(ctx)
	switch {
	case err != nil:
		return nil, err
	case value.GreaterThan(stake.Staked):
		return nil, admin.Refuse(fmt.Sprintf("%s %s are staked on %s, and %s more are lent to deposit addresses", stake.Staked, n.Coin, n.Name, stake.Lent))
	}
	return o.begin(ctx, "treasury.unstake", n, bonded(n, pay.MoveUnstake, value))
}

// staking returns a network whose hot wallet stakes, and an amount of its coin.
func (o *Operator) staking(ctx context.Context, network, amount string) (n *chains.Network, value decimal.Decimal, err error) {
	if n, err = o.NetworkNamed(network); err != nil {
		return nil, value, err
	}
	if n.Staking == nil {
		return nil, value, admin.Refuse("nothing is staked on " + n.Name)
	}
	t, err := o.tokenOn(ctx, n, n.Coin)
	if err != nil {
		return nil, value, err
	}
	value, err = admin.PlainAmount(amount, t.Decimals)
	return n, value, err
}

// bonded is a planned move of the hot wallet's stake.
func bonded(n *chains.Network, kind pay.MoveKind, amount decimal.Decimal) []treasury.Planned {
	return []treasury.Planned{{Move: pay.TreasuryMove{Network: n.Name, Kind: kind, Token: n.Coin, FromAddress: n.Hot, ToAddress: n.Hot, Amount: amount}}}
}
