package evm

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/evm/client"
)

// payment is an order in the terms of the chain.
type payment struct {
	from     wallet
	token    token
	units    *big.Int
	payee    common.Address
	to       common.Address // of the transaction: the payee, or the token's contract
	value    *big.Int
	data     []byte
	lessFees bool // the fees come out of units: the order is for all coin there is
}

func (s *Sender) payment(from wallet, order chains.Order, most bool) (payment, error) {
	t, ok := s.tokens()[order.Token]
	if !ok {
		return payment{}, fmt.Errorf("%w: network %s has no token %s", chains.ErrUnpayable, s.cfg.Network, order.Token)
	}
	payee, err := s.payee(from, order.To)
	if err != nil {
		return payment{}, fmt.Errorf("%w: %w", chains.ErrUnpayable, err)
	}
	units, err := t.units(order.Amount)
	if err != nil {
		return payment{}, err
	}
	if t.native {
		return payment{from, t, units, payee, payee, units, nil, most}, nil
	}
	return payment{from, t, units, payee, t.contract, new(big.Int), transferCall(payee, units), false}, nil
}

// Prepare asks the node about a spend of one order: first whether the wallet holds enough (else ErrShort), then whether the
// network would take it (else ErrUnpayable, with the contract's reason) and at which fees. A spend without an order replaces
// earlier transactions alone.
func (s *Sender) Prepare(ctx context.Context, spend chains.Spend) (chains.Draft, error) {
	d, err := s.prepare(ctx, spend)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	return d, nil
}

func (s *Sender) prepare(ctx context.Context, spend chains.Spend) (*draft, error) {
	from, err := s.wallet(ctx, spend.From)
	switch {
	case err != nil:
		return nil, err
	case len(spend.Orders) > 1:
		return nil, fmt.Errorf("%d orders, and a transaction pays one", len(spend.Orders))
	case len(spend.Over) > 0:
		return s.over(ctx, from, spend)
	case len(spend.Orders) == 0:
		return nil, errors.New("no order, and nothing was signed before")
	}
	p, err := s.payment(from, spend.Orders[0], spend.Most)
	if err != nil {
		return nil, err
	}
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	var head *hexutil.Uint64
	if err := s.node.Call(ctx, &head, "eth_blockNumber"); err != nil {
		return nil, err
	}
	if head == nil {
		return nil, odd("no block")
	}
	h, t, m := s.newHoldings(p, head.String(), "pending"), s.newTrial(p), s.newMarket()
	questions := append(append(h.questions, t.questions...), m.questions...)
	if err := s.node.Each(ctx, questions...); err != nil {
		return nil, err
	}
	return s.draft(ctx, p, h, t, m)
}

func (s *Sender) draft(ctx context.Context, p payment, h *holding, t *trial, m *market) (*draft, error) {
	if err := h.covers(p, new(big.Int)); err != nil {
		return nil, err
	}
	gas, err := s.gas(ctx, t)
	if errors.Is(err, chains.ErrUnpayable) {
		return nil, s.stillCovered(ctx, p, err)
	}
	if err != nil {
		return nil, err
	}
	offer, err := m.offer()
	if err != nil {
		return nil, err
	}
	if p.from.branch == addresses.DepositBranch {
		offer = m.patient(offer)
	}
	d := &draft{sender: s, payment: p, gas: gas, fees: offer}
	if err := s.addOPFees(ctx, d); err != nil {
		return nil, err
	}
	if err := d.fit(h, m); err != nil {
		return nil, err
	}
	if err := d.takeFees(); err != nil {
		return nil, err
	}
	if err := h.covers(d.payment, d.most()); err != nil {
		return nil, err
	}
	d.spare, err = h.beyond(d.payment, d.most())
	return d, err
}

// stillCovered returns unpayable, unless the wallet holds too little for the payment by now: another of its transactions
// may have come between the balances and the trial.
func (s *Sender) stillCovered(ctx context.Context, p payment, unpayable error) error {
	h := s.newHoldings(p, "latest", "pending")
	if err := s.node.Each(ctx, h.questions...); err != nil {
		return err
	}
	if err := h.covers(p, new(big.Int)); err != nil {
		return err
	}
	return unpayable
}

// holding is a wallet's balance: the least of the blocks asked for, so money on its way out or not yet in does not count.
// It also has the number of its transactions up to each of these blocks.
type holding struct {
	coin      token
	native    []*balance
	tokens    []*balance
	counts    []*hexutil.Uint64
	questions []*client.Question
}

func (s *Sender) newHoldings(p payment, blocks ...string) *holding {
	h := &holding{coin: s.coin, counts: make([]*hexutil.Uint64, len(blocks))}
	for i, at := range blocks {
		h.questions = append(h.questions, client.Ask(&h.counts[i], "eth_getTransactionCount", p.from.address, at))
		n := &balance{}
		h.native = append(h.native, n)
		h.questions = append(h.questions, n.ask(s.coin, p.from.address, at))
		if !p.token.native {
			b := &balance{}
			h.tokens = append(h.tokens, b)
			h.questions = append(h.questions, b.ask(p.token, p.from.address, at))
		}
	}
	return h
}

// covers checks that the wallet holds a payment and its highest possible fees.
func (h *holding) covers(p payment, fees *big.Int) error {
	native, err := h.least(h.native)
	if err != nil {
		return err
	}
	if err := covers(h.coin, native, new(big.Int).Add(p.value, fees)); err != nil {
		return err
	}
	if p.token.native {
		return nil
	}
	tokens, err := h.least(h.tokens)
	if err != nil {
		return err
	}
	return covers(p.token, tokens, p.units)
}

// beyond returns the first block's balance beyond the payment and its fees. Its count of transactions says exactly which are
// deducted. A mempool does not: some nodes have none, and several behind one address have several.
func (h *holding) beyond(p payment, fees *big.Int) (spare chains.Spare, err error) {
	if slices.ContainsFunc(h.counts, func(n *hexutil.Uint64) bool { return !isNonce(n) }) {
		return spare, errors.Join(odd("no count of transactions"), h.failure())
	}
	spare.From, spare.Next = (*uint64)(h.counts[0]), (*uint64)(h.counts[len(h.counts)-1])
	coins, err := h.native[0].units()
	if err != nil {
		return spare, err
	}
	spare.Coin = h.coin.amount(new(big.Int).Sub(coins, new(big.Int).Add(p.value, fees)))
	spare.Token = spare.Coin
	if !p.token.native {
		tokens, err := h.tokens[0].units()
		if err != nil {
			return spare, err
		}
		spare.Token = p.token.amount(new(big.Int).Sub(tokens, p.units))
	}
	return spare, nil
}

// least returns the least of the balances answered; the first, of the latest block, must be among them.
func (h *holding) least(balances []*balance) (*big.Int, error) {
	least, err := balances[0].units()
	if err != nil {
		return nil, errors.Join(err, h.failure())
	}
	for _, b := range balances[1:] {
		if units, err := b.units(); err == nil && units.Cmp(least) < 0 {
			least = units
		}
	}
	return least, nil
}

func (h *holding) failure() error {
	for _, q := range h.questions {
		if q.Err != nil {
			return q.Err
		}
	}
	return nil
}

func covers(t token, held, wanted *big.Int) error {
	if held.Cmp(wanted) >= 0 {
		return nil
	}
	return &chains.Short{Token: t.symbol, Missing: t.amount(new(big.Int).Sub(wanted, held))}
}
