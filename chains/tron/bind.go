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

// leavesAtOnce is how many parts of stakes may be on their way back.
const leavesAtOnce = 32

// bonds are the kinds of contracts for acts.
var bonds = map[chains.Act]int64{chains.ActStake: kindFreezeV2, chains.ActUnstake: kindUnfreezeV2, chains.ActWithdraw: kindWithdraw,
	chains.ActLend: kindDelegate, chains.ActTakeBack: kindUndelegate}

// bonded are the node's answers about a stake of the hot wallet.
type bonded struct {
	facts
	own   *client.Account // the hot wallet at the solid block
	most  int64           // of the stake that can be lent now
	loans client.Loans    // to the address, at the solid block
}

// bind prepares what the hot wallet does with its stake. If the network would refuse it, the error is ErrUnpayable.
func (s *Sender) bind(ctx context.Context, v view, spend chains.Spend) (*draft, error) {
	b, err := s.bond(ctx, spend)
	if err != nil {
		return nil, err
	}
	var f bonded
	if err := s.learnBond(ctx, v, b, &f); err != nil {
		return nil, err
	}
	if why := s.unbindable(b, &f); why != "" {
		return nil, fmt.Errorf("%w: %s", chains.ErrUnpayable, why)
	}
	d, err := s.begin(s.hotWallet(), b.raw(), &f.facts)
	if err != nil {
		return nil, err
	}
	left := new(big.Int).Sub(f.coins, big.NewInt(d.fee))
	gives, loses := f.resources.Energy(), energyOf(b.units, &f.resources) // of the stake, when this is done, and by it
	switch b.kind {
	case kindFreezeV2:
		left.Sub(left, big.NewInt(b.units))
	case kindUnfreezeV2:
		gives = max(0, gives-loses)
	case kindDelegate:
		gives = max(0, gives-loses)
		if burns := new(big.Int).Mul(big.NewInt(loses), big.NewInt(f.prices.energy)); left.Cmp(burns) < 0 {
			return nil, fmt.Errorf("%w: a payout that counts on this energy would have no TRX to burn for it", chains.ErrUnpayable)
		}
	}
	if left.Sign() < 0 {
		return nil, short(coin, left.Neg(left))
	}
	d.spare.Coin = coin.amount(left.Add(left, new(big.Int).Mul(big.NewInt(gives), big.NewInt(f.prices.energy))))
	d.spare.Token = d.spare.Coin
	return d, nil
}

// bond reads the order of an act. The address of a loan is derived from its index.
func (s *Sender) bond(ctx context.Context, spend chains.Spend) (b bond, err error) {
	kind, known := bonds[spend.Act]
	if !known || spend.From != nil || spend.Most || len(spend.Orders) != 1 || spend.Orders[0].Token != coin.symbol || lends(kind) != (spend.To != nil) {
		return b, fmt.Errorf("no spend of a stake is like this: %q", spend.Act)
	}
	b = bond{kind: kind, owner: s.hot}
	to := s.Hot()
	if spend.To != nil {
		w, err := s.wallet(ctx, spend.To)
		if err != nil {
			return b, err
		}
		b.to, to = w.address, spend.To.Address
	}
	if spend.Orders[0].To != to {
		return b, errors.New("the order of a stake goes elsewhere")
	}
	units, err := coin.units(spend.Orders[0].Amount)
	if err != nil {
		return b, err
	}
	if !units.IsInt64() {
		return b, fmt.Errorf("%w: nobody has so much TRX", chains.ErrUnpayable)
	}
	b.units = units.Int64()
	return b, nil
}

// learnBond asks what is needed to know about a stake.
func (s *Sender) learnBond(ctx context.Context, v view, b bond, f *bonded) error {
	to := s.hot
	if lends(b.kind) {
		to = b.to
	}
	if err := s.learn(ctx, v, payment{from: s.hotWallet(), token: coin, to: to}, &f.facts); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(blocksAtOnce)
	group.Go(func() (err error) { f.own, err = v.account(ctx, solid, s.hot); return err })
	if lends(b.kind) {
		group.Go(func() (err error) { f.payee, err = v.account(ctx, solid, b.to); return err })
		group.Go(func() (err error) { f.most, err = v.lendable(ctx); return err })
		group.Go(func() (err error) { f.loans, err = v.loansTo(ctx, b.to); return err })
	}
	return group.Wait()
}

// unbindable says why the network would refuse an act, or the settings do; "" if neither does.
func (s *Sender) unbindable(b bond, f *bonded) string {
	clock := f.solid.Header.Raw.Timestamp
	switch b.kind {
	case kindFreezeV2:
		most := s.cfg.MaxStake.Shift(coinDecimals).IntPart()
		switch all := bound(f.own); {
		case b.units < sunOfTRX:
			return "the least stake is 1 TRX"
		case all > most || b.units > most-all:
			return fmt.Sprintf("%s TRX are staked or on their way back, and max_stake allows %s", sun(all), sun(most))
		}
	case kindUnfreezeV2:
		waiting, _ := leaving(f.own, clock)
		switch {
		case b.units > f.own.Energy():
			return fmt.Sprintf("%s TRX are staked for energy and not lent", sun(f.own.Energy()))
		case waiting >= leavesAtOnce:
			return fmt.Sprintf("%d parts of the stake are on their way back", waiting)
		}
	case kindWithdraw:
		if _, due := leaving(f.own, clock); due == 0 {
			return "nothing has come back of the stake"
		}
	case kindDelegate:
		switch {
		case f.payee.Address == "" || f.payee.Type == "Contract":
			return "the address is new to the chain, and takes no energy"
		case b.units < sunOfTRX:
			return "the least loan is 1 TRX"
		case b.units > f.most:
			return fmt.Sprintf("%s TRX of the stake can be lent now", sun(f.most))
		}
	case kindUndelegate:
		if lent := f.loans.Free(clock); b.units > lent {
			return fmt.Sprintf("%s TRX of the stake are lent to it, and can be taken back", sun(lent))
		}
	}
	return ""
}

// sunOfTRX is how many sun 1 TRX has.
const sunOfTRX = 1_000_000

// leaving counts the parts of stakes that are on their way back at a time, and adds up those that are back.
func leaving(a *client.Account, now int64) (waiting int, due int64) {
	for _, l := range a.Leaving {
		if l.Due <= now {
			due += l.Amount
		} else {
			waiting++
		}
	}
	return waiting, due
}

// lendable asks how much of the hot wallet's stake can be lent now, in sun.
func (v view) lendable(ctx context.Context) (int64, error) {
	var out client.Lendable
	err := v.ask(ctx, &out, whole+"/getcandelegatedmaxsize", map[string]any{"owner_address": hexOf(v.hot), "type": resourceEnergy})
	if err == nil && out.Most < 0 {
		err = odd("%d sun of the stake could be lent", out.Most)
	}
	return out.Most, err
}

// loansTo asks what the hot wallet has lent to an address, at the solid block.
func (v view) loansTo(ctx context.Context, to common.Address) (out client.Loans, err error) {
	err = v.ask(ctx, &out, solid+"/getdelegatedresourcev2", map[string]any{"fromAddress": hexOf(v.hot), "toAddress": hexOf(to)})
	for _, l := range out.List {
		if err == nil && l.Energy < 0 {
			err = odd("a loan of less than nothing to %s", addresses.TronOf(to))
		}
	}
	return out, err
}
