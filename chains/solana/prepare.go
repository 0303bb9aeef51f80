package solana

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"causeway/chains"
	"causeway/chains/solana/client"
)

// payment is an order in the terms of the chain.
type payment struct {
	token    token
	to       key
	units    uint64
	owner    key // of the money
	from, at key // the accounts that hold the token; for SOL the owners themselves
}

// facts are the node's answers about a payment.
type facts struct {
	reference *group
	newest    int64 // the count of blocks now
	price     uint64
	rest      uint64 // the least that an account of nothing but SOL holds
	rent      uint64 // of an account of the token
	accounts  []read // of the hot wallet, its account of the token, the recipient, the recipient's account of the token
}

// Prepare asks the node about a spend of at most one order: first whether the hot wallet holds enough (else ErrShort), then whether the
// network would carry it out (else ErrUnpayable).
func (s *Sender) Prepare(ctx context.Context, spend chains.Spend) (chains.Draft, error) {
	var d *draft
	err := s.use(ctx, func(v view) (err error) {
		d, err = s.prepare(ctx, v, spend)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	return d, nil
}

func (s *Sender) prepare(ctx context.Context, v view, spend chains.Spend) (*draft, error) {
	switch {
	case len(spend.Orders) > 1:
		return nil, fmt.Errorf("%d orders, and a transaction pays one", len(spend.Orders))
	case len(spend.Over) > 0:
		return nil, errors.New("no transaction replaces another here: it is signed again after its time")
	case spend.From != nil:
		return s.sweep(ctx, v, spend)
	case spend.Most:
		return nil, errors.New("the hot wallet spends what it is told to")
	}
	p := payment{token: coin, to: s.hot, owner: s.hot, from: s.hot, at: s.hot}
	if len(spend.Orders) == 1 {
		var err error
		if p, err = s.payment(ctx, v, spend.Orders[0]); err != nil {
			return nil, err
		}
	}
	var f facts
	if err := s.learnAbout(ctx, v, p, &f); err != nil {
		return nil, err
	}
	d := s.draft(&f, s.hot, s.key)
	switch {
	case p.units == 0:
	case p.token.native:
		if err := payable(p, &f); err != nil {
			return nil, err
		}
		d.calls = []instruction{transferCoin(s.hot, p.to, p.units)}
	default:
		if err := d.payToken(p, &f); err != nil {
			return nil, err
		}
	}
	return d, s.complete(ctx, v, d, p, &f)
}

func (s *Sender) payment(ctx context.Context, v view, order chains.Order) (payment, error) {
	tables, err := v.tokens(ctx)
	if err != nil {
		return payment{}, err
	}
	t, ok := tables.bySymbol[order.Token]
	if !ok {
		return payment{}, fmt.Errorf("%w: network %s has no token %s", chains.ErrUnpayable, Network, order.Token)
	}
	if why := tables.refused[t.mint]; !t.native && why != "" {
		return payment{}, fmt.Errorf("%w: %s is not paid with: %s", chains.ErrUnpayable, t.symbol, why)
	}
	canonical, err := s.Validate(order.To)
	if err != nil {
		return payment{}, fmt.Errorf("%w: %w", chains.ErrUnpayable, err)
	}
	to := mustKey(canonical)
	p := payment{token: t, to: to, owner: s.hot, from: s.hot, at: to}
	if p.units, err = t.units(order.Amount); err != nil || t.native {
		return p, err
	}
	if p.from, err = associated(s.hot, t.mint, *t.program); err != nil {
		return p, err
	}
	p.at, err = associated(to, t.mint, *t.program)
	return p, err
}

// learnAbout asks what is needed to know about a payment, at the same time.
func (s *Sender) learnAbout(ctx context.Context, v view, p payment, f *facts) error {
	asking, ctx := errgroup.WithContext(ctx)
	asking.Go(func() error {
		tip, err := v.tip(ctx)
		if err != nil {
			return err
		}
		f.reference, err = v.group(ctx, tip)
		return err
	})
	asking.Go(func() error { return v.Ask(ctx, &f.newest, "getBlockHeight", finalized{Commitment: "confirmed"}) })
	asking.Go(func() (err error) { f.price, err = v.unitPrice(ctx); return err })
	asking.Go(func() (err error) { f.rest, err = s.rent(ctx, v, 0); return err })
	asking.Go(func() (err error) { f.rent, err = s.rent(ctx, v, sizeOf(p.token)); return err })
	asking.Go(func() (err error) { f.accounts, err = v.accounts(ctx, []key{s.hot, p.from, p.to, p.at}, 0); return err })
	if err := asking.Wait(); err != nil {
		return err
	}
	if behind := f.newest - f.reference.blockHeight; behind > mostBehind || behind < 0 {
		return odd("the final chain is %d blocks behind: what is signed now would hardly live", behind)
	}
	return nil
}

// sizeOf is the size of an account of a token. The newer program marks those of its associated accounts.
func sizeOf(t token) int {
	switch {
	case t.native:
		return 0
	case *t.program == token2022Program:
		return sizeOfHolding + 5
	default:
		return sizeOfHolding
	}
}

// rent asks for the least balance of an account of some size. It changes with the chain's software alone.
func (s *Sender) rent(ctx context.Context, v view, size int) (uint64, error) {
	s.mu.Lock()
	known, ok := s.rents[size]
	s.mu.Unlock()
	if ok {
		return known, nil
	}
	var out uint64
	if err := v.Ask(ctx, &out, "getMinimumBalanceForRentExemption", size); err != nil {
		return 0, err
	}
	if out == 0 || out > 1e9 {
		return 0, odd("an account of %d bytes has a least balance of %d lamports", size, out)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rents[size] = out
	return out, nil
}

// unitPrice is what most transactions of the last blocks have offered for a unit, in micro-lamports.
func (v view) unitPrice(ctx context.Context) (uint64, error) {
	var told []client.Price
	if err := v.Ask(ctx, &told, "getRecentPrioritizationFees", []string{v.hot.String()}); err != nil {
		return 0, err
	}
	if len(told) == 0 {
		return 0, nil
	}
	prices := make([]uint64, len(told))
	for i, p := range told {
		prices[i] = p.PrioritizationFee
	}
	slices.Sort(prices)
	return prices[len(prices)*3/4], nil
}

// payable checks the recipient of SOL. A new account has to hold the least balance.
func payable(p payment, f *facts) error {
	to := f.accounts[2].account
	held := uint64(0)
	if to != nil {
		if to.Owner != systemProgram.String() {
			return fmt.Errorf("%w: the recipient is an account of a program, not a wallet", chains.ErrUnpayable)
		}
		held = to.Lamports
	}
	if held < f.rest && p.units < f.rest-held {
		return fmt.Errorf("%w: the recipient's account is new, and has to hold %s SOL", chains.ErrUnpayable, lamports(f.rest))
	}
	return nil
}

// payToken adds the payment of a token, and the recipient's account where there is none. Its rent is a cost of ours.
func (d *draft) payToken(p payment, f *facts) error {
	source := watched{at: p.from, owner: d.sender.hot, mint: &p.token.mint, program: *p.token.program}
	held, err := source.holds(f.accounts[1].account)
	switch {
	case err != nil:
		return err
	case held < p.units:
		return short(p.token, p.units-held)
	case isFrozen(f.accounts[1].account):
		return fmt.Errorf("the hot wallet's account of %s is frozen: it cannot be moved", p.token.symbol)
	}
	if to := f.accounts[2].account; to != nil && to.Owner != systemProgram.String() {
		return fmt.Errorf("%w: the recipient is an account of a program, not a wallet", chains.ErrUnpayable)
	}
	at := f.accounts[3].account
	if at == nil || at.Owner == systemProgram.String() {
		d.calls = append(d.calls, createAccount(d.sender.hot, p.at, p.to, p.token.mint, *p.token.program))
		if d.rent = f.rent; at != nil {
			d.rent -= min(d.rent, at.Lamports)
		}
	} else if err := ownHolding(p, at); err != nil {
		return err
	}
	d.calls = append(d.calls, transferToken(*p.token.program, p.from, p.token.mint, p.at, d.sender.hot, p.units, uint8(p.token.decimals)))
	d.spare.Token = p.token.amount(held - p.units)
	return nil
}

// ownHolding checks that the recipient's account is still the recipient's, and takes money.
func ownHolding(p payment, at *client.Account) error {
	data, err := dataOf(at)
	switch {
	case err != nil:
		return err
	case at.Owner != p.token.program.String() || len(data) < sizeOfHolding || key(data) != p.token.mint:
		return odd("the account %s is not of %s", p.at, p.token.symbol)
	case key(data[placeOfOwner:]) != p.to:
		return fmt.Errorf("%w: the recipient has given its account of %s away", chains.ErrUnpayable, p.token.symbol)
	case isFrozen(at):
		return fmt.Errorf("%w: the recipient's account of %s is frozen", chains.ErrUnpayable, p.token.symbol)
	}
	return nil
}

// complete tries the transaction out, sets its limit of units, and checks that the hot wallet covers everything.
func (s *Sender) complete(ctx context.Context, v view, d *draft, p payment, f *facts) error {
	balance := uint64(0)
	if a := f.accounts[0].account; a != nil {
		balance = a.Lamports
	}
	out := uint64(0)
	if p.token.native {
		out = p.units
	}
	d.limit = mostUnits - jitter
	d.bound(s.cfg)
	if err := covered(balance, out, d, f); err != nil {
		return err
	}
	units, err := s.trial(ctx, v, d, p)
	if err != nil {
		return err
	}
	d.limit = min(d.limit, uint32(units+units/2)+spareUnits)
	d.bound(s.cfg)
	if err := covered(balance, out, d, f); err != nil {
		return err
	}
	d.spare.Coin = lamports(balance - out - d.most() - f.rest)
	if p.token.native {
		d.spare.Token = d.spare.Coin
	}
	return nil
}

// covered checks that the hot wallet pays everything and keeps the least balance: without it the chain takes no transaction.
func covered(balance, out uint64, d *draft, f *facts) error {
	need := d.most() + f.rest
	if out > math.MaxUint64-need {
		return short(coin, out)
	}
	if need += out; balance < need {
		return short(coin, need-balance)
	}
	return nil
}

func short(t token, missing uint64) error {
	return &chains.Short{Token: t.symbol, Missing: t.amount(missing)}
}
