package evm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"causeway/chains"
	"causeway/chains/evm/client"
)

// payment is an order in the terms of the chain.
type payment struct {
	token token
	units *big.Int
	payee common.Address
	to    common.Address // of the transaction: the payee, or the token's contract
	value *big.Int
	data  []byte
}

func (s *Sender) payment(order chains.Order) (payment, error) {
	t, ok := s.tokens()[order.Token]
	if !ok {
		return payment{}, fmt.Errorf("%w: network %s has no token %s", chains.ErrUnpayable, s.cfg.Network, order.Token)
	}
	to, err := s.Validate(order.To)
	if err != nil {
		return payment{}, fmt.Errorf("%w: %w", chains.ErrUnpayable, err)
	}
	units, err := t.units(order.Amount)
	if err != nil {
		return payment{}, err
	}
	payee := common.HexToAddress(to)
	if t.native {
		return payment{t, units, payee, payee, units, nil}, nil
	}
	return payment{t, units, payee, t.contract, new(big.Int), transferCall(payee, units)}, nil
}

// Prepare asks the node about a spend of one order: first whether the hot wallet holds enough (else ErrShort), then whether the
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
	switch {
	case len(spend.Orders) > 1:
		return nil, fmt.Errorf("%d orders, and a transaction pays one", len(spend.Orders))
	case len(spend.Over) > 0:
		return s.over(ctx, spend)
	case len(spend.Orders) == 0:
		return nil, errors.New("no order, and nothing was signed before")
	}
	p, err := s.payment(spend.Orders[0])
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
	d := &draft{sender: s, payment: p, gas: gas, fees: offer}
	if err := s.addOPFees(ctx, d); err != nil {
		return nil, err
	}
	if err := h.covers(p, d.most()); err != nil {
		return nil, err
	}
	d.spare, err = h.beyond(p, d.most())
	return d, err
}

// stillCovered returns unpayable, unless the hot wallet holds too little for the payment by now: another of its transactions
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

// holding is the hot wallet's balance: the least of the blocks asked for, so money on its way out or not yet in does not count.
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
		h.questions = append(h.questions, client.Ask(&h.counts[i], "eth_getTransactionCount", s.hot, at))
		n := &balance{}
		h.native = append(h.native, n)
		h.questions = append(h.questions, n.ask(s.coin, s.hot, at))
		if !p.token.native {
			b := &balance{}
			h.tokens = append(h.tokens, b)
			h.questions = append(h.questions, b.ask(p.token, s.hot, at))
		}
	}
	return h
}

// covers checks that the hot wallet holds a payment and its highest possible fees.
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
	missing := new(big.Int).Sub(wanted, held)
	return fmt.Errorf("%w: %s %s are missing", chains.ErrShort, t.amount(missing), t.symbol)
}

// trial is the payment tried out on the node: whether it would go through, and for how much gas.
type trial struct {
	payment   payment
	answer    hexutil.Bytes
	estimate  *hexutil.Uint64
	questions []*client.Question
}

func (s *Sender) newTrial(p payment) *trial {
	t := &trial{payment: p}
	call := callObject{From: &s.hot, To: &p.to, Value: (*hexutil.Big)(p.value), Data: p.data}
	t.questions = []*client.Question{
		client.Ask(&t.answer, "eth_call", call, "latest"),
		client.Ask(&t.estimate, "eth_estimateGas", call),
	}
	return t
}

// takes returns the gas of the payment. A revert is ErrUnpayable, unless the token says that too little is held (ErrShort): the
// node tried on another state than the one of its balances.
func (t *trial) takes() (uint64, error) {
	for _, q := range t.questions {
		if err := unpayable(q.Err, len(t.payment.data) > 0); err != nil {
			return 0, err
		}
	}
	if len(t.payment.data) > 0 && len(t.answer) >= common.HashLength && new(big.Int).SetBytes(t.answer).Sign() == 0 {
		return 0, fmt.Errorf("%w: the token answers false", chains.ErrUnpayable)
	}
	if t.estimate == nil || uint64(*t.estimate) < plainGas || uint64(*t.estimate) > 1<<32 {
		return 0, odd("a gas estimate that cannot be")
	}
	return uint64(*t.estimate), nil
}

// selectorShort is of ERC20InsufficientBalance(address,uint256,uint256) (ERC-6093).
var selectorShort = []byte{0xe4, 0x50, 0xd3, 0x8c}

func unpayable(err error, ofToken bool) error {
	var e *client.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Class {
	case client.Reverted:
		reason := said(e.Data)
		if reason == "" {
			reason = e.Text
		}
		if ofToken && (bytes.HasPrefix(e.Data, selectorShort) || strings.Contains(strings.ToLower(reason), "exceeds balance")) {
			return fmt.Errorf("%w: the token says %s", chains.ErrShort, client.Clean(reason))
		}
		return fmt.Errorf("%w: %s", chains.ErrUnpayable, client.Clean(reason))
	case client.Short:
		return fmt.Errorf("%w: %s", chains.ErrShort, e.Text)
	default:
		return err
	}
}
