package ripple

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

// life is how many ledgers a transaction may wait for its own: some three minutes. After its last one it is signed again, with the same
// number.
const life = 50

// draft is a transaction without its number and its signature.
type draft struct {
	sender *Sender
	from   wallet
	order  order   // without its number
	number *uint64 // the only number it may have; nil for any
	spare  chains.Spare

	signing sync.Mutex
	signed  map[uint64]chains.Signed // the last, by its slot: a signer elsewhere may sign the same with other bytes
}

// Spare returns what the validated ledger leaves the wallet beyond the order, its fee and the reserve.
func (d *draft) Spare() chains.Spare { return d.spare }

// Sign signs the draft for the number of a slot, its Sequence. A replacement is only signed for the number that it replaces.
func (d *draft) Sign(slot chains.Slot) (chains.Signed, error) {
	if d.number != nil && *d.number != slot.Number {
		return chains.Signed{}, fmt.Errorf("sign: the replacement is for number %d, not %d", *d.number, slot.Number)
	}
	d.signing.Lock()
	defer d.signing.Unlock()
	if done, already := d.signed[slot.Number]; already {
		return done, nil
	}
	o := d.order
	if o.sequence = uint32(slot.Number); uint64(o.sequence) != slot.Number || slot.Number == 0 {
		return chains.Signed{}, fmt.Errorf("sign: %d is no number of a transaction", slot.Number)
	}
	blob, err := d.sender.signed(d.from, o)
	if err != nil {
		return chains.Signed{}, fmt.Errorf("sign: %w", err)
	}
	done := chains.Signed{Txid: txid(blob).String(), Raw: blob, Fee: xrp(o.fee)}
	d.signed = map[uint64]chains.Signed{slot.Number: done}
	return done, nil
}

// draft makes the draft of a payment, or of an AccountSet that changes nothing.
func (s *Sender) draft(from wallet, p *payment, before earlier, f *facts) (*draft, error) {
	fee, err := s.offer(f, before)
	if err != nil {
		return nil, err
	}
	d := &draft{sender: s, from: from, number: before.number, order: order{kind: typeAccountSet, fee: fee, from: from.account, key: from.key,
		last: uint32(f.validated + life)}}
	if s.cfg.NetworkID > lastUnnamed {
		d.order.network = &s.cfg.NetworkID
	}
	needed := fee
	if p != nil {
		d.order.kind, d.order.to, d.order.amount, d.order.tag = typePayment, p.to, p.amount, p.tag
		if needed += p.amount; p.most {
			d.order.amount, needed = p.amount-fee, p.amount
		}
		if d.order.amount <= 0 {
			return nil, short(1 - d.order.amount)
		}
	}
	if f.from == nil {
		return nil, fmt.Errorf("%s has no account on the ledger: %w", from, short(needed+f.base))
	}
	left := f.balance - f.of(f.from.Data.Owners) - needed
	if p == nil { // the reserve may pay for a fee
		left = f.balance - needed
	}
	if left < 0 {
		return nil, short(-left)
	}
	if p != nil {
		if why := f.unpayable(p); why != "" {
			return nil, fmt.Errorf("%w: %s", chains.ErrUnpayable, why)
		}
	}
	first := uint64(f.from.Data.Sequence)
	d.spare = chains.Spare{Token: xrp(left), Coin: xrp(left), From: &first, Next: &f.next}
	return d, nil
}

// lastUnnamed is the last network id that transactions must not name.
const lastUnnamed = 1024

func short(drops int64) error { return &chains.Short{Token: coin, Missing: xrp(drops)} }

// earlier is what was signed before for one number.
type earlier struct {
	number *uint64 // nil for nothing
	fee    int64   // the highest, in drops
	last   uint32  // the last ledger that may have any of them
}

// readEarlier reads a wallet's earlier transactions for one number. Those of another wallet are an error: a transaction of this one cannot
// replace them.
func readEarlier(of wallet, over [][]byte) (e earlier, err error) {
	for _, blob := range over {
		o, signature, err := readOrder(blob)
		if err != nil {
			return e, fmt.Errorf("what was signed before: %w", err)
		}
		if o.from != of.account || !o.signedBy(signature) {
			return e, fmt.Errorf("what was signed before is of %s, not of %s", o.from, of)
		}
		number := uint64(o.sequence)
		if e.number != nil && *e.number != number {
			return e, errors.New("what was signed before has several numbers")
		}
		e.number, e.fee, e.last = &number, max(e.fee, o.fee), max(e.last, o.last)
	}
	return e, nil
}

// offer returns the fee: a fifth above what the open ledger costs, within the operator's bound. With less than that a transaction waits in
// the queue. A replacement offers a quarter more than what it replaces, as the queue wants it.
func (s *Sender) offer(f *facts, before earlier) (int64, error) {
	most := s.cfg.MaxFee.Shift(coinDecimals).IntPart()
	if f.minimum > most {
		return 0, tooDear(f.minimum)
	}
	fee := min(f.open+(f.open+4)/5, most)
	if before.number == nil {
		return fee, nil
	}
	switch dearer := before.fee + before.fee/4 + 1; {
	case dearer <= fee:
	case dearer <= most:
		fee = dearer
	case int64(before.last) > f.validated: // what is over need not be beaten
		return 0, tooDear(dearer)
	}
	return fee, nil
}

func tooDear(drops int64) error {
	return fmt.Errorf("%w: a transaction costs %s XRP, over max_fee", chains.ErrDown, xrp(drops))
}

// Keeps returns the reserve of an account without objects: it stays at each deposit address.
func (c *Connector) Keeps(ctx context.Context) (kept decimal.Decimal, err error) {
	err = c.node.Use(ctx, func(n node) error {
		r, err := c.reserves(ctx, n)
		kept = xrp(r.base)
		return err
	})
	if err != nil {
		return kept, fmt.Errorf("reserve: %w", err)
	}
	return kept, nil
}

// MoveCost returns the most that one transaction can cost now.
func (c *Connector) MoveCost(ctx context.Context, token string) (cost decimal.Decimal, err error) {
	if token != coin {
		return cost, fmt.Errorf("%w: network %s has no token %s", chains.ErrUnpayable, Network, token)
	}
	s := &Sender{Connector: c}
	err = c.node.Use(ctx, func(n node) error {
		f := &facts{}
		if f.fees, err = c.fees(ctx, n); err != nil {
			return err
		}
		fee, err := s.offer(f, earlier{})
		cost = xrp(fee)
		return err
	})
	return cost, err
}
