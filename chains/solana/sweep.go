package solana

import (
	"context"
	"errors"
	"fmt"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

// unitsOfSweep is what a sweep of a token takes at most as a rule: with a new account of the hot wallet some 30,000.
const unitsOfSweep = 40_000

// MoveCost returns the most that a sweep costs now.
func (c *Connector) MoveCost(ctx context.Context, symbol string) (decimal.Decimal, error) {
	t, known := c.known.Load().bySymbol[symbol]
	switch {
	case !known:
		return decimal.Zero, fmt.Errorf("%w: network %s has no token %s", chains.ErrUnpayable, Network, symbol)
	case t.native:
		return lamports(feeOfSignature), nil
	}
	var price uint64
	err := c.use(ctx, func(v view) (err error) {
		price, err = v.unitPrice(ctx)
		return err
	})
	if err != nil {
		return decimal.Zero, fmt.Errorf("cost of a move: %w", err)
	}
	d := &draft{by: make([]signing, 2), limit: unitsOfSweep, price: price}
	d.bound(c.cfg)
	return lamports(d.most()), nil
}

// draft begins a draft that moves money of an owner, whose key comes first. The hot wallet pays the fee, and signs as well.
func (s *Sender) draft(f *facts, owner key, by ...signing) *draft {
	return &draft{sender: s, owner: owner, payer: s.hot, by: by, reference: f.reference, price: f.price, spare: chains.Spare{From: new(uint64)}}
}

// sweep prepares a move of what a deposit address holds to the hot wallet.
func (s *Sender) sweep(ctx context.Context, v view, spend chains.Spend) (*draft, error) {
	if len(spend.Orders) != 1 || !spend.Most {
		return nil, errors.New("a deposit address moves all of one token")
	}
	child, err := s.account.Child(depositBranch, spend.From.Index)
	if err != nil {
		return nil, fmt.Errorf("deposit address %d: %w", spend.From.Index, err)
	}
	owner, order := key(child.Public()), spend.Orders[0]
	tables, err := v.tokens(ctx)
	if err != nil {
		return nil, err
	}
	t, known := tables.bySymbol[order.Token]
	switch {
	case owner.String() != spend.From.Address:
		return nil, fmt.Errorf("%s is not deposit address %d", spend.From.Address, spend.From.Index)
	case !known || !t.native && t.program == nil:
		return nil, fmt.Errorf("%w: network %s has no token %s", chains.ErrUnpayable, Network, order.Token)
	case order.To != s.Hot():
		return nil, fmt.Errorf("%w: deposits go to the hot wallet alone", chains.ErrUnpayable)
	}
	p := payment{token: t, to: owner, owner: owner, from: owner, at: s.hot}
	if p.units, err = t.units(order.Amount); err != nil {
		return nil, err
	}
	var f facts
	if t.native {
		if err := s.learnAbout(ctx, v, p, &f); err != nil {
			return nil, err
		}
		return s.sweepCoin(p, &f, child)
	}
	if p.from, err = associated(owner, t.mint, *t.program); err != nil {
		return nil, err
	}
	if p.at, err = associated(s.hot, t.mint, *t.program); err != nil {
		return nil, err
	}
	if err := s.learnAbout(ctx, v, p, &f); err != nil {
		return nil, err
	}
	return s.sweepToken(ctx, v, p, &f, child)
}

// sweepCoin has the address pay the fee out of the amount: exactly one signature, so nothing is left. What stays has to be nothing, or the
// least balance.
func (s *Sender) sweepCoin(p payment, f *facts, child signing) (*draft, error) {
	held := uint64(0)
	if a := f.accounts[1].account; a != nil {
		held = a.Lamports
	}
	switch left := held - min(held, p.units); {
	case held < p.units:
		return nil, short(coin, p.units-held)
	case p.units <= feeOfSignature:
		return nil, fmt.Errorf("%w: it is worth less than its fee", chains.ErrUnpayable)
	case left > 0 && left < f.rest:
		return nil, fmt.Errorf("%w: the address would hold %s SOL, less than the chain lets it", chains.ErrUnpayable, lamports(left))
	}
	d := s.draft(f, p.owner, child)
	d.payer, d.price, d.limit = p.owner, 0, spareUnits
	d.calls = []instruction{transferCoin(p.owner, s.hot, p.units-feeOfSignature)}
	d.spare.Coin = lamports(held - p.units)
	d.spare.Token = d.spare.Coin
	return d, nil
}

// sweepToken has the hot wallet pay the fee. An account that becomes empty is closed, and its rent goes to the hot wallet.
func (s *Sender) sweepToken(ctx context.Context, v view, p payment, f *facts, child signing) (*draft, error) {
	source := watched{at: p.from, owner: p.owner, mint: &p.token.mint, program: *p.token.program}
	held, err := source.holds(f.accounts[1].account)
	switch {
	case err != nil:
		return nil, err
	case held < p.units:
		return nil, short(p.token, p.units-held)
	case isFrozen(f.accounts[1].account):
		return nil, fmt.Errorf("%w: the account is frozen", chains.ErrUnpayable)
	}
	d := s.draft(f, p.owner, child, s.key)
	if f.accounts[3].account == nil {
		d.calls, d.rent = append(d.calls, createAccount(s.hot, p.at, s.hot, p.token.mint, *p.token.program)), f.rent
	}
	d.calls = append(d.calls, transferToken(*p.token.program, p.from, p.token.mint, p.at, p.owner, p.units, uint8(p.token.decimals)))
	if held == p.units {
		d.calls = append(d.calls, closeAccount(*p.token.program, p.from, s.hot, p.owner))
	}
	d.limit = mostUnits - jitter
	d.bound(s.cfg)
	units, err := s.trial(ctx, v, d, p)
	if err != nil {
		return nil, err
	}
	d.limit = min(d.limit, uint32(units+units/2)+spareUnits)
	d.bound(s.cfg)
	if hot := f.accounts[0].account; hot == nil || hot.Lamports < d.most()+f.rest {
		return nil, errors.New("the hot wallet pays for sweeps, and has too little SOL")
	}
	if a := f.accounts[2].account; a != nil {
		d.spare.Coin = lamports(a.Lamports)
	}
	d.spare.Token = p.token.amount(held - p.units)
	return d, nil
}
