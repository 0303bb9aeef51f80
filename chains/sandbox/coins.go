package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

// split is the most coins that change is split into. A coin of the change is no smaller than the orders together, nor than
// smallChange, as long as there are several.
const split = 4

var smallChange = decimal.New(1, -2)

// coinFee is what a coin is said to cost in a transaction. Coins worth no more than a few times as much are left: no fee here depends on
// their number.
var coinFee = decimal.New(1, -6)

// coinDraft is a draft without its number, coins and change.
type coinDraft struct {
	draft
	decimals int32
	gather   int             // so many of the smallest coins, and none for orders
	paid     decimal.Decimal // by the orders
	over     []string        // the coins of the newest transaction signed before for the slot
	has      decimal.Decimal // those coins together
}

// withCoins completes the draft of a spend of coins. Nobody knows here what the books have leased: Choose finds out whether it is enough.
func (c *chain) withCoins(d draft, spend chains.Spend, held purse) (chains.Draft, error) {
	out := coinDraft{draft: d, decimals: held.decimals, gather: spend.Gather}
	for _, o := range d.message.Outputs {
		out.paid = out.paid.Add(o.Amount)
	}
	if err := out.readEarlier(spend); err != nil {
		return nil, err
	}
	return out, nil
}

// readEarlier reads the coins of the newest earlier transaction, the dearest, but for those gone.
func (d *coinDraft) readEarlier(spend chains.Spend) error {
	var newest message
	for i, raw := range spend.Over {
		m, err := d.chain.decode(raw)
		if err != nil {
			return fmt.Errorf("what was signed before: %w", err)
		}
		if i > 0 && m.Coins[0] != newest.Coins[0] {
			return errors.New("what was signed before has several slots")
		}
		if i == 0 || m.Fee.GreaterThan(newest.Fee) {
			newest = m
		}
	}
	d.over, d.has = newest.Coins, newest.Fee
	for _, o := range newest.Outputs {
		d.has = d.has.Add(o.Amount)
	}
	for _, g := range spend.Gone {
		switch at := slices.Index(d.over, g.ID); {
		case at == 0:
			return errors.New("the first coin of the slot is gone")
		case at > 0:
			d.over, d.has = slices.Delete(slices.Clone(d.over), at, at+1), d.has.Sub(g.Amount)
		}
	}
	return nil
}

// goes is what leaves the wallet.
func (d coinDraft) goes() decimal.Decimal { return d.paid.Add(d.message.Fee) }

// Choose picks the largest coin of the hot wallet, however small it is, and some of deposit addresses, which are collected on the way, and then the largest until
// they are enough, beside those of the earlier transactions. A replacement collects nothing. Where coins are gathered, it picks the
// smallest, and none beside earlier ones.
func (d coinDraft) Choose(free []chains.Coin) ([]chains.Coin, error) {
	free = slices.DeleteFunc(slices.Clone(free), func(f chains.Coin) bool { return f.Token != d.chain.net.Coin || slices.Contains(d.over, f.ID) })
	slices.SortFunc(free, func(a, b chains.Coin) int { return cmp.Or(b.Amount.Cmp(a.Amount), strings.Compare(a.ID, b.ID)) })
	begins, first := len(d.over) == 0 && d.gather == 0, ""
	if at := slices.IndexFunc(free, func(f chains.Coin) bool { return f.At == nil }); begins && at >= 0 {
		first = free[at].ID
	}
	small := coinFee.Mul(decimal.NewFromInt(chains.Worthwhile))
	free = slices.DeleteFunc(free, func(f chains.Coin) bool { return f.ID != first && f.Amount.LessThanOrEqual(small) })
	wanted := 0
	if begins {
		free, wanted = onTheWay(free)
	}
	has := d.has
	if d.gather > 0 {
		most := d.gather
		if len(d.over) > 0 {
			most = 0
		}
		free = free[max(0, len(free)-most):]
		for _, f := range free {
			has = has.Add(f.Amount)
		}
		if has.GreaterThan(d.goes()) {
			return free, nil
		}
		return nil, fmt.Errorf("what is free: %w", &chains.Short{Token: d.chain.net.Coin, Missing: d.goes().Sub(has).Add(coinFee)})
	}
	for i, f := range free {
		if i >= wanted && !has.LessThan(d.goes()) {
			return free[:i], nil
		}
		has = has.Add(f.Amount)
	}
	if has.LessThan(d.goes()) {
		return nil, fmt.Errorf("what is free: %w", &chains.Short{Token: d.chain.net.Coin, Missing: d.goes().Sub(has)})
	}
	return free, nil
}

// along is how many coins of deposit addresses a transaction collects on its way.
const along = 2

// onTheWay puts the largest coin of the hot wallet first, and the largest of deposit addresses behind it. It returns how many are taken in
// any case.
func onTheWay(free []chains.Coin) (ordered []chains.Coin, wanted int) {
	deposits := 0
	rank := map[string]int{}
	for _, f := range free {
		switch {
		case f.At == nil && rank[""] == 0:
			rank[f.ID], rank[""] = -2, 1
		case f.At != nil && deposits < along:
			deposits++
			rank[f.ID] = -1
		}
	}
	slices.SortStableFunc(free, func(a, b chains.Coin) int { return cmp.Compare(rank[a.ID], rank[b.ID]) })
	return free, deposits + rank[""]
}

// Sign completes the transaction with the coins of the slot in their order, and with what they are beyond the orders and the fee.
func (d coinDraft) Sign(slot chains.Slot) (chains.Signed, error) {
	c, m, rest := d.chain, d.message, d.goes().Neg()
	m.Nonce = slot.Number
	for _, coin := range slot.Coins {
		m.Coins, rest = append(m.Coins, coin.ID), rest.Add(coin.Amount)
		if coin.At == nil {
			continue
		}
		if at := c.deposit(coin.At.Index); c.Match(at) != coin.At.Address {
			return chains.Signed{}, fmt.Errorf("sign: deposit address %d is %s, not %s", coin.At.Index, at, coin.At.Address)
		}
		if m.Deposits == nil {
			m.Deposits = map[string]uint32{}
		}
		m.Deposits[coin.ID] = coin.At.Index
	}
	if len(m.Coins) == 0 || rest.IsNegative() {
		return chains.Signed{}, fmt.Errorf("sign: the %d coins are less than %s", len(m.Coins), d.goes())
	}
	if len(d.over) > 0 && m.Coins[0] != d.over[0] {
		return chains.Signed{}, fmt.Errorf("sign: the replacement is for coin %s, not %s", d.over[0], m.Coins[0])
	}
	m.Outputs = append(slices.Clone(m.Outputs), d.change(rest)...)
	return d.chain.signed(m)
}

// change returns the rest to the hot wallet, in several coins if they are not small: a coin can be in one payout at a time.
func (d coinDraft) change(rest decimal.Decimal) (out []output) {
	if rest.IsZero() && len(d.message.Outputs) > 0 {
		return nil
	}
	coins := min(split, max(1, rest.Div(decimal.Max(d.paid, smallChange)).IntPart()))
	if d.gather > 0 {
		coins = 1
	}
	part := rest.Div(decimal.NewFromInt(coins)).Truncate(d.decimals)
	for range coins - 1 {
		out, rest = append(out, output{To: d.chain.hot, Token: d.chain.net.Coin, Amount: part}), rest.Sub(part)
	}
	return append(out, output{To: d.chain.hot, Token: d.chain.net.Coin, Amount: rest})
}

// A coin is spent at a height by a transaction in a block up to it.
const unspentQuery = `select n.faults, (select coalesce(jsonb_agg(jsonb_build_object(
	   'id', t.txid || ':' || t.place, 'token', t.token, 'amount', t.amount::text) order by t.height, t.seq), '[]')
	 from sandbox_transactions t where t.network = n.network and t.recipient_match = ?0 and t.state = 'mined' and t.height <= ?1 and t.amount > 0
	 and not exists (select from sandbox_spent s join sandbox_transactions x on x.network = s.network and x.txid = s.txid and x.place = 0
	  where s.network = t.network and s.coin = t.txid || ':' || t.place and x.height <= ?1))
	from sandbox_networks n where n.network = ?2`

// unspent returns the hot wallet's coins once the block at a height was mined, the genesis' ones too.
func (c *chain) unspent(ctx context.Context, height int64) ([]chains.Coin, error) {
	var f Faults
	var out []chains.Coin
	if err := c.read(ctx, unspentQuery, []any{c.match, height, c.net.Name}, asJSON(&f), asJSON(&out)); err != nil {
		return nil, err
	}
	return out, c.pass(f, f.Scan)
}
