package ton

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/xssnick/tonutils-go/tlb"
	"github.com/xssnick/tonutils-go/tvm/cell"

	"causeway/chains"
	"causeway/chains/ton/client"
)

// validFor is how long a message may be carried out after it was prepared, by the clock of blocks. A number that was not used by then is signed for
// again.
const validFor = 2 * time.Minute

const (
	// feeBound is the most that a message of the wallet costs, in nanotons, beside the coins that it carries. Mostly it is a tenth of this.
	feeBound = 50_000_000
	// storage is what stays in the wallet for the chain's rent.
	storage = 10_000_000
	// longestMemo is the most bytes of a comment that is sent.
	longestMemo = 120
	// ahead is how many numbers may be signed for before the first of them is used. A wallet carries out one in a block.
	ahead = 3
)

// Prepare asks the node about a spend of at most one order: whether the wallet holds enough (else ErrShort), and whether the recipient can be paid
// (else ErrUnpayable).
func (s *Sender) Prepare(ctx context.Context, spend chains.Spend) (out chains.Draft, err error) {
	if len(spend.Orders) > 1 || spend.Gather > 0 {
		return nil, fmt.Errorf("prepare: %d orders, and a transaction pays one, out of a balance", len(spend.Orders))
	}
	d, err := s.plan(ctx, spend)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	err = s.node.Use(ctx, func(n node) error {
		began := *d // a second node begins anew
		err := s.begin(ctx, n, &began)
		if err == nil && len(spend.Orders) == 1 {
			err = s.pay(ctx, n, &began, spend.Orders[0])
		}
		if err == nil {
			err = began.enough()
		}
		out = &began
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	return out, nil
}

// plan begins a draft without a node: its wallet, and what was signed before for its number. Messages of another wallet are an error: this one
// cannot replace them.
func (s *Sender) plan(ctx context.Context, spend chains.Spend) (*draft, error) {
	from, err := s.purse(ctx, spend.From)
	if err != nil {
		return nil, err
	}
	d := &draft{sender: s, kept: &kept{}, from: from, most: spend.Most, fee: feeBound + int64(len(spend.Over)), left: -storage - feeBound}
	for _, raw := range spend.Over {
		of, o, _, err := s.readSigned(raw)
		switch {
		case err != nil:
			return nil, fmt.Errorf("what was signed before: %w", err)
		case of != from:
			return nil, fmt.Errorf("what was signed before is of %s, not of %s", of, from)
		case d.number != nil && *d.number != o.seqno:
			return nil, errors.New("what was signed before has several numbers")
		}
		d.number = &o.seqno
	}
	return d, nil
}

// begin asks for the wallet itself.
func (s *Sender) begin(ctx context.Context, n node, d *draft) (err error) {
	if d.tip, err = tipOf(ctx, n); err != nil {
		return err
	}
	now, err := state(ctx, n, d.from.account, d.tip.Seqno)
	if err != nil {
		return err
	}
	if d.next, err = seqnoOf(now); err != nil {
		return err
	}
	waits := max(d.next, s.sent.next(d.from.account, d.tip.Time.Unix()))
	d.deploy, d.spare = !now.Active, chains.Spare{Untaken: &d.next, Next: &waits}
	d.coins(-now.Balance)
	return nil
}

// rent is what storing a deposit address may cost between a top-up and its sweep.
const rent = 1_000_000

// enough fails with what is missing of the coin.
func (d *draft) enough() error {
	switch {
	case d.left >= 0:
		return nil
	case d.from.isHot():
		return short(coin, big.NewInt(-d.left))
	default:
		return short(coin, big.NewInt(rent-d.left))
	}
}

// pay adds an order to a draft.
func (s *Sender) pay(ctx context.Context, n node, d *draft, o chains.Order) error {
	t, ok := s.known.Load().bySymbol[o.Token]
	if !ok {
		return fmt.Errorf("%w: network %s has no token %s", chains.ErrUnpayable, Network, o.Token)
	}
	to, err := s.payable(d.from, o.To)
	if err != nil {
		return fmt.Errorf("%w: %w", chains.ErrUnpayable, err)
	}
	units, err := t.units(o.Amount)
	if err != nil {
		return err
	}
	if len(o.Memo) > longestMemo {
		return fmt.Errorf("%w: the memo is longer than %d bytes", chains.ErrUnpayable, longestMemo)
	}
	if t.native {
		return s.payCoin(ctx, n, d, to, units, o.Memo)
	}
	return s.payJetton(ctx, n, d, t, to, units, o.Memo)
}

// payCoin adds a payment of TON. It bounces if a contract is there, which may not take it; where none is, it never does, and waits for one. If it
// is all there is, its fee comes out of it, and a deposit address keeps what stays.
func (s *Sender) payCoin(ctx context.Context, n node, d *draft, to account, units *big.Int, memo string) error {
	if d.most {
		d.coins(stays - storage - feeBound)
	}
	if left := new(big.Int).Sub(big.NewInt(d.left), units); left.Sign() < 0 {
		return short(coin, left.Neg(left))
	}
	d.coins(units.Int64())
	if d.most {
		units = new(big.Int).Sub(units, big.NewInt(d.fee))
	}
	if units.Sign() <= 0 {
		return short(coin, new(big.Int).Sub(big.NewInt(1), units))
	}
	payee, err := s.payee(ctx, n, d, to)
	if err != nil {
		return err
	}
	d.fixed = &tlb.InternalMessage{IHRDisabled: true, Bounce: payee.Active, DstAddr: to.address(), Amount: tlb.FromNanoTON(units), Body: comment(memo)}
	return nil
}

// payee returns the state of a recipient.
func (s *Sender) payee(ctx context.Context, n node, d *draft, to account) (client.State, error) {
	payee, err := state(ctx, n, to, d.tip.Seqno)
	if err == nil && payee.Frozen {
		err = fmt.Errorf("%w: the recipient's account is frozen", chains.ErrUnpayable)
	}
	return payee, err
}

// payJetton adds a payment of a jetton: an order to our own jetton wallet, with coins for its way.
func (s *Sender) payJetton(ctx context.Context, n node, d *draft, t token, to account, units *big.Int, memo string) error {
	attached := s.cfg.Attach.Shift(coinDecimals).IntPart()
	d.coins(attached)
	d.fee += attached
	own, err := s.wallet(ctx, n, t, d.from.account, d.tip.Seqno)
	if err != nil {
		return err
	}
	held, err := s.holds(ctx, n, t, own, d.from.account, d.tip.Seqno)
	if err != nil {
		return err
	}
	if held == nil {
		held = new(big.Int)
	}
	leaving, err := s.onTheWay(ctx, n, d.from.account, own, d.tip.Seqno, orderedUnits) // of numbers that are used, and so of no promise any more
	if err != nil {
		return err
	}
	left := new(big.Int).Sub(held, leaving.Add(leaving, units))
	if left.Sign() < 0 {
		return short(t, left.Neg(left))
	}
	if _, err := s.payee(ctx, n, d, to); err != nil {
		return err
	}
	d.spare.Token = t.amount(left)
	d.order = func(seqno uint64) (*tlb.InternalMessage, error) {
		body, err := order{seqno, units, to, memo}.body(d.from.account)
		return &tlb.InternalMessage{IHRDisabled: true, Bounce: true, DstAddr: own.address(), Amount: tlb.FromNanoTON(big.NewInt(attached)), Body: body}, err
	}
	return nil
}

// draft is a message of a wallet without its number and its signature.
type draft struct {
	sender *Sender
	from   purse
	most   bool    // the order is for all there is
	number *uint64 // the only number it may have; nil for any
	tip    client.Header
	next   uint64 // the wallet's number in the newest block
	deploy bool   // the wallet has no code yet: its first message brings it
	fee    int64  // the most it can cost
	left   int64  // nanotons beyond the order and its fee; below zero they are missing
	spare  chains.Spare
	fixed  *tlb.InternalMessage                             // of coins
	order  func(seqno uint64) (*tlb.InternalMessage, error) // of a jetton: the number is in it
	kept   *kept
}

// coins takes nanotons off what is left.
func (d *draft) coins(nano int64) {
	d.left -= nano
	d.spare.Coin = whole(d.left)
	d.spare.Token = d.spare.Coin
}

// Spare implements chains.Draft.
func (d *draft) Spare() chains.Spare { return d.spare }

// Sign completes the message. Numbers far ahead are not signed for: their time would be over before it is their turn.
func (d *draft) Sign(slot chains.Slot) (chains.Signed, error) { return d.kept.or(slot, d.sign) }

func (d *draft) sign(slot chains.Slot) (chains.Signed, error) {
	if d.number != nil && *d.number != slot.Number {
		return chains.Signed{}, fmt.Errorf("sign: the replacement is for number %d, not %d", *d.number, slot.Number)
	}
	if slot.Number > d.next+ahead {
		return chains.Signed{}, fmt.Errorf("%w: number %d comes after %d others, and a block carries out one", chains.ErrDown, slot.Number, slot.Number-d.next)
	}
	o := orders{subwallet: uint64(d.from.subwallet), until: uint64(d.tip.Time.Add(validFor).Unix()), seqno: slot.Number}
	message, err := d.fixed, error(nil)
	if d.order != nil {
		message, err = d.order(slot.Number)
	}
	if err != nil {
		return chains.Signed{}, fmt.Errorf("sign: %w", err)
	}
	if message != nil {
		if o.message, err = tlb.ToCell(message); err != nil {
			return chains.Signed{}, fmt.Errorf("sign: %w", err)
		}
	}
	body, err := o.sign(d.sender.keys)
	if err != nil {
		return chains.Signed{}, fmt.Errorf("sign: %w", err)
	}
	raw, err := d.sender.wrapped(d.from, body, d.deploy && slot.Number == 0)
	if err != nil {
		return chains.Signed{}, fmt.Errorf("sign: %w", err)
	}
	_, _, id, err := d.sender.readSigned(raw)
	if err != nil {
		return chains.Signed{}, fmt.Errorf("sign: %w", err)
	}
	return chains.Signed{Txid: id, Raw: raw, Fee: whole(d.fee)}, nil
}

// wrapped writes a signed body as the message that a node takes. The first one brings the wallet's code.
func (s *Sender) wrapped(of purse, body *cell.Cell, deploy bool) ([]byte, error) {
	m := &tlb.ExternalMessage{DstAddr: of.address(), Body: body}
	if deploy {
		_, first, err := walletOf(s.key, of.subwallet)
		if err != nil {
			return nil, err
		}
		m.StateInit = first
	}
	root, err := tlb.ToCell(m)
	if err != nil {
		return nil, err
	}
	return root.ToBOC(), nil
}
