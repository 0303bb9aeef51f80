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
	"causeway/chains/nodes"
)

// trial is the payment tried out on the node: whether it would go through, and for how much gas.
type trial struct {
	payment   payment
	answer    hexutil.Bytes
	estimate  *hexutil.Uint64
	questions []*client.Question
}

func (s *Sender) newTrial(p payment) *trial {
	t := &trial{payment: p}
	call := t.call()
	t.questions = []*client.Question{
		client.Ask(&t.answer, "eth_call", call, "latest"),
		client.Ask(&t.estimate, "eth_estimateGas", call),
	}
	return t
}

func (t *trial) call() callObject {
	p := &t.payment
	return callObject{From: &p.from.address, To: &p.to, Value: (*hexutil.Big)(p.value), Data: p.data}
}

// lent is the coin of a wallet in a trial, where the node wants a trial's gas paid: more than any fee, and no overflow.
var lent = (*hexutil.Big)(new(big.Int).Lsh(big.NewInt(1), 100))

// lend asks again with coin lent to the wallet, if it spends all there is or has no coin for its gas. Gas has no price in a trial,
// and a few nodes want it paid nevertheless.
func (s *Sender) lend(ctx context.Context, t *trial) error {
	wantsCoin := func(q *client.Question) bool {
		return client.IsClass(q.Err, client.Short) || client.IsClass(q.Err, client.Exhausted)
	}
	if t.payment.from.address == s.hot && !t.payment.lessFees || !slices.ContainsFunc(t.questions, wantsCoin) {
		return nil
	}
	call, with := t.call(), map[common.Address]any{t.payment.from.address: map[string]any{"balance": lent}}
	again := []*client.Question{
		client.Ask(&t.answer, "eth_call", call, "latest", with),
		client.Ask(&t.estimate, "eth_estimateGas", call, "latest", with),
	}
	if err := s.node.Each(ctx, again...); err != nil {
		return err
	}
	lends := func(q *client.Question) bool { return q.Err == nil || client.IsClass(q.Err, client.Reverted) }
	if lends(again[0]) && lends(again[1]) {
		t.questions = again
	}
	return nil
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
			return fmt.Errorf("%w: the token says %s", chains.ErrShort, nodes.Words(reason))
		}
		return fmt.Errorf("%w: %s", chains.ErrUnpayable, nodes.Words(reason))
	case client.Short:
		return fmt.Errorf("%w: %s", chains.ErrShort, e.Text)
	default:
		return err
	}
}
