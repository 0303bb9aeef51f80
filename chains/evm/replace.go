package evm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/core/types"

	"causeway/chains"
)

// earlier are the transactions signed before for one nonce.
type earlier struct {
	nonce uint64
	txs   []*types.Transaction
}

// readEarlier reads a wallet's earlier transactions for one nonce. Those of another wallet are an error: a transaction of
// this one cannot replace them.
func (s *Sender) readEarlier(of wallet, over [][]byte) (earlier, error) {
	var e earlier
	for i, raw := range over {
		tx := new(types.Transaction)
		if err := tx.UnmarshalBinary(raw); err != nil {
			return e, fmt.Errorf("what was signed before: %w", err)
		}
		if from, err := types.Sender(s.signer, tx); err != nil || from != of.address {
			return e, fmt.Errorf("what was signed before is of %s, not of %s", from, of)
		}
		if i > 0 && tx.Nonce() != e.nonce {
			return e, errors.New("what was signed before has several nonces")
		}
		e.nonce = tx.Nonce()
		e.txs = append(e.txs, tx)
	}
	return e, nil
}

// fees returns the highest earlier offer.
func (e earlier) fees() fees {
	f := fees{new(big.Int), new(big.Int)}
	for _, tx := range e.txs {
		f = fees{larger(f.tip, tx.GasTipCap()), larger(f.most, tx.GasFeeCap())}
	}
	return f
}

// gas returns the highest earlier gas limit of the same payment, 0 when there was none. Of all there is, another fee left another
// value.
func (e earlier) gas(p payment) (gas uint64) {
	for _, tx := range e.txs {
		if tx.To() != nil && *tx.To() == p.to && (p.lessFees || tx.Value().Cmp(p.value) == 0) && bytes.Equal(tx.Data(), p.data) {
			gas = max(gas, tx.Gas())
		}
	}
	return gas
}

// over prepares a spend in place of the transactions signed before for its nonce: the order again with fees at least a quarter
// above theirs, or without an order a payment of nothing to the wallet itself. A payment signed before is not tried out again:
// the earlier transaction stands in its way on the node.
func (s *Sender) over(ctx context.Context, from wallet, spend chains.Spend) (*draft, error) {
	before, err := s.readEarlier(from, spend.Over)
	if err != nil {
		return nil, err
	}
	p := payment{from: from, token: s.coin, units: new(big.Int), payee: from.address, to: from.address, value: new(big.Int)}
	if len(spend.Orders) > 0 {
		if p, err = s.payment(from, spend.Orders[0], spend.Most); err != nil {
			return nil, err
		}
	}
	return s.replace(ctx, p, before)
}

func (s *Sender) replace(ctx context.Context, p payment, before earlier) (*draft, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	h, m := s.newHoldings(p, "latest"), s.newMarket()
	questions := append(h.questions, m.questions...)
	gas := before.gas(p)
	t := s.newTrial(p)
	if gas == 0 {
		questions = append(questions, t.questions...)
	}
	if err := s.node.Each(ctx, questions...); err != nil {
		return nil, err
	}
	if gas == 0 {
		var err error
		if gas, err = s.gas(ctx, t); err != nil {
			return nil, err
		}
	}
	if most := s.mostGas(p); gas > most { // the operator has lowered it since
		return nil, tooMuch(overBound(gas, most))
	}
	offer, err := m.offer()
	if err != nil {
		return nil, err
	}
	if offer, err = offer.over(before.fees(), m); err != nil {
		return nil, err
	}
	d := &draft{sender: s, payment: p, gas: gas, fees: offer, nonce: &before.nonce}
	if err := s.addOPFees(ctx, d); err != nil {
		return nil, err
	}
	if err := d.takeFees(); err != nil {
		return nil, err
	}
	return d, h.covers(d.payment, d.most())
}
