package evm

import (
	"context"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"causeway/chains"
	"causeway/chains/evm/client"
)

// fees are an offer for one unit of gas, in wei. On a chain without EIP-1559 both are the gas price.
type fees struct {
	tip, most *big.Int
}

// market is the network's present price of gas.
type market struct {
	legacy  bool
	ceiling *big.Int
	most    *big.Int // as a tip
	latest  *client.Header
	tip     *hexutil.Big
	price   *hexutil.Big // base fee and tip; all there is on a legacy chain

	questions []*client.Question
}

func (c *Connector) newMarket() *market {
	m := &market{legacy: c.cfg.Legacy, ceiling: c.cfg.MaxFeeGwei.Shift(gweiDecimals).BigInt(), most: c.cfg.MaxTipGwei.Shift(gweiDecimals).BigInt()}
	m.questions = []*client.Question{
		client.Ask(&m.price, "eth_gasPrice"),
		client.Ask(&m.latest, "eth_getBlockByNumber", "latest", false),
		client.Ask(&m.tip, "eth_maxPriorityFeePerGas"),
	}
	if m.legacy {
		m.questions = m.questions[:1]
	}
	return m
}

// offer returns fees sufficient until the base fee doubles, but never more than the operator's ceiling. If the network asks for
// more than the ceiling, the payout waits.
func (m *market) offer() (fees, error) {
	for _, q := range m.questions {
		if q.Err != nil && !(q.Result == &m.tip && client.IsClass(q.Err, client.Unsupported)) {
			return fees{}, q.Err
		}
	}
	switch {
	case m.price == nil:
		return fees{}, odd("a gas price that is no number")
	case m.legacy:
		price := m.price.ToInt()
		if err := m.allows(price); err != nil {
			return fees{}, err
		}
		price = raised(price) // it may rise before the transaction is taken
		if price.Cmp(m.ceiling) > 0 {
			price = m.ceiling
		}
		return fees{price, price}, nil
	case m.latest == nil || m.latest.BaseFee == nil:
		return fees{}, odd("a block without a base fee: is this a legacy chain?")
	}
	base := m.latest.BaseFee.ToInt()
	tip := m.tipOver(base)
	if err := m.allows(new(big.Int).Add(base, tip)); err != nil {
		return fees{}, err
	}
	most := new(big.Int).Lsh(base, 1)
	most.Add(most, tip)
	if most.Cmp(m.ceiling) > 0 {
		most = m.ceiling
	}
	return fees{tip, most}, nil
}

// patient returns the offer of a sweep, enough until the base fee has risen by a quarter. A sweep can wait, and what it leaves of the
// coin for its fee lies on an address that may never see another one.
func (m *market) patient(offer fees) fees {
	if m.legacy {
		return offer
	}
	base := m.latest.BaseFee.ToInt()
	price := new(big.Int).Add(base, new(big.Int).Rsh(base, 2))
	return m.within(offer, price.Add(price, offer.tip))
}

// within returns an offer of at most a price, or the offer itself if the price may be too low for the next block.
func (m *market) within(offer fees, price *big.Int) fees {
	least := m.price.ToInt()
	if !m.legacy {
		base := m.latest.BaseFee.ToInt()
		least = new(big.Int).Add(base, new(big.Int).Rsh(base, 3)) // a block raises it by at most an eighth
		least.Add(least, offer.tip)
	}
	if price.Cmp(offer.most) >= 0 || price.Cmp(least) < 0 {
		return offer
	}
	if m.legacy {
		return fees{price, price}
	}
	return fees{offer.tip, price}
}

// tipOver returns the tip, at most the operator's bound. If the node suggests none, it is the gas price less the base fee.
func (m *market) tipOver(base *big.Int) *big.Int {
	tip := larger(new(big.Int).Sub(m.price.ToInt(), base), new(big.Int))
	if m.tip != nil {
		tip = m.tip.ToInt()
	}
	if tip.Cmp(m.most) > 0 {
		return m.most
	}
	return tip
}

func (m *market) allows(price *big.Int) error {
	if price.Cmp(m.ceiling) <= 0 {
		return nil
	}
	gwei := func(wei *big.Int) string { return token{decimals: gweiDecimals}.amount(wei).String() }
	return fmt.Errorf("%w: gas costs %s gwei, over the ceiling of %s", chains.ErrDown, gwei(price), gwei(m.ceiling))
}

// over returns fees to replace an earlier offer: a quarter more on both, since nodes want at least a tenth, and no less than
// the network asks for now.
func (f fees) over(before fees, m *market) (fees, error) {
	least := fees{raised(before.tip), raised(before.most)}
	if err := m.allows(least.most); err != nil {
		return fees{}, err
	}
	return fees{larger(f.tip, least.tip), larger(f.most, least.most)}, nil
}

// raised returns five quarters, rounded up, and at least one more.
func raised(wei *big.Int) *big.Int {
	more := new(big.Int).Mul(wei, big.NewInt(5))
	more.Add(more, big.NewInt(3)).Rsh(more, 2)
	return larger(more, new(big.Int).Add(wei, big.NewInt(1)))
}

func larger(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

// gasPriceOracle is the contract of OP chains with the fees beside gas.
var gasPriceOracle = common.HexToAddress("0x420000000000000000000000000000000000000F")

// addOPFees asks for the draft's fee for its data, and for the fee of the chain's operator if there is one. It adds a half:
// both are only known when mined. An oracle older than the operator's fee does not know it.
func (s *Sender) addOPFees(ctx context.Context, d *draft) error {
	d.beside = new(big.Int)
	if !s.cfg.L1Fee && !s.cfg.MayL1Fee {
		return nil
	}
	raw, err := d.transaction(0).MarshalBinary()
	if err != nil {
		return fmt.Errorf("write the transaction: %w", err)
	}
	var data, operator hexutil.Bytes
	questions := []*client.Question{
		client.Ask(&data, "eth_call", callObject{To: &gasPriceOracle, Data: l1FeeCall(raw)}, "latest"),
		client.Ask(&operator, "eth_call", callObject{To: &gasPriceOracle, Data: operatorFeeCall(d.gas)}, "latest"),
	}
	if err := s.node.Each(ctx, questions...); err != nil {
		return err
	}
	switch {
	case questions[0].Err != nil:
		return questions[0].Err
	case len(data) == 0 && len(operator) == 0 && questions[1].Err == nil && !s.cfg.L1Fee:
		return nil // there is no such contract: it is no OP chain yet
	case len(data) != common.HashLength:
		return odd("no fee for data: is this an OP chain?")
	case questions[1].Err != nil && !client.IsClass(questions[1].Err, client.Reverted):
		return questions[1].Err
	case questions[1].Err == nil && len(operator) != common.HashLength:
		return odd("a fee of the operator that is no number")
	}
	fee := new(big.Int).SetBytes(data)
	fee.Add(fee, new(big.Int).SetBytes(operator))
	d.beside = fee.Add(fee, new(big.Int).Rsh(fee, 1))
	return nil
}
