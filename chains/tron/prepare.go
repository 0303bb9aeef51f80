package tron

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"golang.org/x/sync/errgroup"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/tron/client"
)

// payment is an order in the terms of the chain.
type payment struct {
	from  wallet
	token token
	to    common.Address
	units *big.Int
	most  bool // all there is: of TRX, the fee comes out of it
}

// facts are the node's answers about a payment.
type facts struct {
	best, solid *client.Header
	prices      parameters
	coins       *big.Int // of the wallet at the solid block
	tokens      *big.Int
	resources   client.Resources
	payee       *client.Account
	energy      int64 // of the call
	bytes       int64 // the price of the transaction's bytes, in sun
	limit       int64 // the fee_limit of the call
}

// Prepare asks the node about a spend of at most one order: first whether its wallet holds enough (else ErrShort), then whether the
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
	}
	from, err := s.wallet(ctx, spend.From)
	if err != nil {
		return nil, err
	}
	if spend.Act != "" {
		return s.bind(ctx, v, spend)
	}
	if len(spend.Orders) == 0 {
		return s.idle(ctx, v, from)
	}
	p, err := s.payment(from, spend.Orders[0])
	if err != nil {
		return nil, err
	}
	p.most = spend.Most
	var f facts
	if err := s.learn(ctx, v, p, &f); err != nil {
		return nil, err
	}
	if p.token.native {
		return s.pay(p, &f)
	}
	return s.payToken(ctx, v, p, &f)
}

func (s *Sender) payment(from wallet, order chains.Order) (payment, error) {
	t, ok := s.known.Load().bySymbol[order.Token]
	if !ok {
		return payment{}, fmt.Errorf("%w: network %s has no token %s", chains.ErrUnpayable, Network, order.Token)
	}
	to, err := s.payee(from, order.To)
	if err != nil {
		return payment{}, fmt.Errorf("%w: %w", chains.ErrUnpayable, err)
	}
	units, err := t.units(order.Amount)
	return payment{from: from, token: t, to: to, units: units}, err
}

// learn asks what is needed to know about a payment, at the same time.
func (s *Sender) learn(ctx context.Context, v view, p payment, f *facts) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(blocksAtOnce)
	group.Go(func() (err error) { f.best, err = v.newest(ctx, whole); return err })
	group.Go(func() (err error) { f.solid, err = v.newest(ctx, solid); return err })
	group.Go(func() (err error) { f.prices, err = v.parameters(ctx); return err })
	group.Go(func() (err error) { f.coins, err = v.solidBalance(ctx, spendable, p.from.address); return err })
	group.Go(func() error {
		return v.ask(ctx, &f.resources, "wallet/getaccountresource", map[string]string{"address": hexOf(p.from.address)})
	})
	if p.token.native {
		group.Go(func() (err error) { f.payee, err = v.account(ctx, whole, p.to); return err })
	} else {
		group.Go(func() (err error) { f.tokens, err = v.solidBalance(ctx, p.token, p.from.address); return err })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if left := f.solid.Header.Raw.Timestamp + shortest - f.best.Header.Raw.Timestamp; left < leastLife {
		return odd("the solid block, %d, is %d blocks behind: what is signed now would hardly live", f.solid.Header.Raw.Number,
			f.best.Header.Raw.Number-f.solid.Header.Raw.Number)
	}
	return nil
}

// pay prepares a payment of TRX.
func (s *Sender) pay(p payment, f *facts) (*draft, error) {
	if f.payee.Type == "Contract" {
		return nil, fmt.Errorf("%w: the recipient is a contract, and no contract takes TRX so", chains.ErrUnpayable)
	}
	if !p.units.IsInt64() {
		return nil, short(coin, new(big.Int).Sub(p.units, f.coins))
	}
	order := transfer{p.from.address, p.to, p.units.Int64()}
	d, err := s.begin(p.from, order.raw(), f)
	if err != nil {
		return nil, err
	}
	if f.payee.Address == "" {
		d.fee += f.prices.activate
	}
	left := new(big.Int).Sub(f.coins, p.units)
	if p.most {
		if order.units -= d.fee; order.units <= 0 && left.Sign() >= 0 {
			return nil, short(coin, big.NewInt(1-order.units))
		}
		d.raw.parameter = order.raw().parameter
	} else {
		left.Sub(left, big.NewInt(d.fee))
	}
	if left.Sign() < 0 {
		return nil, short(coin, left.Neg(left))
	}
	d.spare.Coin = coin.amount(left)
	d.spare.Token = d.spare.Coin
	return d, nil
}

// payToken prepares a payment of a token. Its fee is bounded by twice the energy of a trial, which may grow until it is mined. The answer of
// the token itself is not believed: the best known one says false when it pays.
func (s *Sender) payToken(ctx context.Context, v view, p payment, f *facts) (*draft, error) {
	left := new(big.Int).Sub(f.tokens, p.units)
	if left.Sign() < 0 {
		return nil, short(p.token, new(big.Int).Neg(left))
	}
	if err := s.unblocked(ctx, v, p); err != nil {
		return nil, err
	}
	call := transferCall(p.to, p.units)
	t, err := v.constant(ctx, whole, p.from.address, p.token.contract, call)
	switch {
	case err != nil:
		return nil, err
	case t.reverted != "":
		return nil, s.stillCovered(ctx, v, p, fmt.Errorf("%w: the token says: %s", chains.ErrUnpayable, t.reverted))
	}
	f.energy = t.energy
	d, err := s.call(p.from, trigger{owner: p.from.address, contract: p.token.contract, data: call}, f)
	var missing *chains.Short
	if errors.As(err, &missing) && p.from.branch != addresses.HotBranch {
		if missing.Offer, err = v.offerTo(ctx, f, missing.Missing); err == nil {
			err = missing
		}
	}
	if err != nil {
		return nil, err
	}
	d.spare.Token = p.token.amount(left)
	return d, nil
}

// stillCovered returns unpayable, unless the wallet holds too little by now: another of its transactions may have come between the balance
// and the trial.
func (s *Sender) stillCovered(ctx context.Context, v view, p payment, unpayable error) error {
	answer, err := v.constant(ctx, whole, p.from.address, p.token.contract, asks(selectorBalance, p.from.address))
	if err != nil {
		return err
	}
	held, err := answer.number(p.token)
	if err != nil {
		return err
	}
	if held.Cmp(p.units) < 0 {
		return short(p.token, new(big.Int).Sub(p.units, held))
	}
	return unpayable
}

// call prepares a call of a contract by a wallet, with its fee. Energy of the wallet is worth what it saves: that of a deposit address is
// its one sweep's, and that of the hot wallet is used by whatever comes first. Energy pays for no bytes.
func (s *Sender) call(from wallet, t trigger, f *facts) (*draft, error) {
	burns := new(big.Int).Mul(big.NewInt(f.energy), big.NewInt(f.prices.energy))
	most := s.cfg.MaxFee.Shift(coinDecimals).BigInt()
	if burns.Cmp(most) > 0 {
		return nil, blameless{fmt.Sprintf("the energy of a payment costs %s TRX, over max_fee", coin.amount(burns)), false}
	}
	limit := new(big.Int).Lsh(burns, 1)
	if from.branch != addresses.HotBranch {
		limit.SetInt64(sweepLimit(f.energy, f.prices))
	}
	for _, bound := range []*big.Int{most, big.NewInt(f.prices.feeLimit)} {
		if limit.Cmp(bound) > 0 {
			limit = bound
		}
	}
	r := t.raw()
	r.feeLimit = max(1, limit.Int64())
	d, err := s.begin(from, r, f)
	if err != nil {
		return nil, err
	}
	f.bytes, f.limit = d.fee, r.feeLimit
	saved, left := new(big.Int).Mul(big.NewInt(f.resources.Energy()), big.NewInt(f.prices.energy)), new(big.Int).Sub(f.coins, big.NewInt(f.bytes))
	if from.branch != addresses.HotBranch && saved.Cmp(big.NewInt(r.feeLimit)) > 0 {
		saved.SetInt64(r.feeLimit)
	}
	if d.fee += r.feeLimit; from.branch != addresses.HotBranch {
		d.fee -= saved.Int64()
	}
	if after := saved.Sub(saved, big.NewInt(r.feeLimit)); left.Sign() >= 0 || after.Sign() < 0 {
		left.Add(left, after)
	}
	if left.Sign() < 0 {
		return nil, short(coin, left.Neg(left))
	}
	d.spare.Coin = coin.amount(left)
	return d, nil
}

// overhead is the size of a transaction beyond the part that is signed: its signature, its result, and the room that nodes add for it.
const overhead = 2 + 2 + signatureSize + 64 + 16

// begin makes the draft of a transaction, with the fee of its bytes. Bandwidth of the wallet is not counted on.
func (s *Sender) begin(from wallet, r raw, f *facts) (*draft, error) {
	if err := r.reference(f.solid.ID); err != nil {
		return nil, odd("%v", err)
	}
	d := &draft{sender: s, from: from, raw: r, clock: f.solid.Header.Raw.Timestamp, spare: chains.Spare{From: new(uint64)}}
	d.raw.timestamp = d.clock
	sized := d.raw
	sized.expiration = d.clock + longest
	d.fee = int64(len(sized.encode())+overhead) * f.prices.byteFee
	return d, nil
}

// idle prepares a transaction that moves nothing: the question for the wallet's own balance of a token, as a transaction.
func (s *Sender) idle(ctx context.Context, v view, from wallet) (*draft, error) {
	for contract := range s.known.Load().byContract {
		var f facts
		if err := s.learn(ctx, v, payment{from: from, token: coin, to: s.hot}, &f); err != nil {
			return nil, err
		}
		call := asks(selectorBalance, from.address)
		t, err := v.constant(ctx, whole, from.address, contract, call)
		if err != nil {
			return nil, err
		}
		f.energy = t.energy
		return s.call(from, trigger{owner: from.address, contract: contract, data: call}, &f)
	}
	return nil, errors.New("without a token nothing here moves nothing")
}

// unblocked asks the token whether it blocks the recipient or the sender. A token without such a list does not answer.
func (s *Sender) unblocked(ctx context.Context, v view, p payment) error {
	for _, a := range []common.Address{p.to, p.from.address} {
		t, err := v.constant(ctx, whole, p.from.address, p.token.contract, asks(selectorBlocklist, a))
		switch {
		case err != nil:
			return err
		case t.reverted != "" || len(t.data) != common.HashLength || bigOf(t.data).Sign() == 0:
			continue
		case a == s.hot:
			return fmt.Errorf("the hot wallet is on the blocklist of %s: its %s cannot be moved", p.token.symbol, p.token.symbol)
		case a == p.from.address:
			return fmt.Errorf("%w: the deposit address is on the blocklist of %s", chains.ErrUnpayable, p.token.symbol)
		default:
			return fmt.Errorf("%w: the recipient is on the blocklist of %s", chains.ErrUnpayable, p.token.symbol)
		}
	}
	return nil
}

func short(t token, missing *big.Int) error {
	return &chains.Short{Token: t.symbol, Missing: t.amount(missing)}
}
