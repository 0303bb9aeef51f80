package utxo

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/addresses"
)

// split is the most coins that change is split into, so that the next spends do not wait for this one. A coin of the change is no smaller
// than the orders together, nor than smallChange times dust, as long as there are several.
const (
	split       = 4
	smallChange = 1000
)

// draft is a transaction without its coins, change and signatures.
type draft struct {
	sender *Sender
	outs   []output
	paid   int64           // by outs
	gather int             // so many of the smallest coins are made one; no outs then
	rate   decimal.Decimal // to offer
	over   []held          // the coins of the dearest transaction signed before for the slot
	most   int64           // its fee
	least  int64           // of the fee, to replace it
	relay  decimal.Decimal // by how much a replacement is dearer for each byte

	signing sync.Mutex
	signed  map[string]chains.Signed // the last, by its coins: a signer elsewhere may sign the same with other bytes
}

var _ chains.Chooser = (*draft)(nil)

// Spare implements chains.Draft: the free coins are the balance.
func (d *draft) Spare() chains.Spare { return chains.Spare{} }

// fee returns the fee with so many coins and outputs of change.
func (d *draft) fee(coins, change int) int64 {
	scripts := make([][]byte, 0, len(d.outs)+change)
	for _, o := range d.outs {
		scripts = append(scripts, o.script)
	}
	for range change {
		scripts = append(scripts, d.sender.hotScript)
	}
	size := d.sender.coin.size(coins, scripts)
	fee := max(feeOf(d.rate, size), d.least)
	if len(d.over) > 0 {
		fee = max(fee, d.most+feeOf(d.relay, size))
	}
	return fee
}

// needs is the least that so many coins have to be together.
func (d *draft) needs(coins int) int64 {
	if len(d.outs) == 0 {
		return d.fee(coins, 1) + d.sender.coin.dust
	}
	return d.paid + d.fee(coins, 0)
}

// Choose picks the largest coins until they are enough, beside those of the earlier transactions. A new slot begins with the largest of the
// hot wallet itself, however small it is: without one no payout is paid. Where coins are gathered, it picks the smallest, and none beside
// earlier ones.
func (d *draft) Choose(free []chains.Coin) ([]chains.Coin, error) {
	symbol, has := d.sender.symbol(), int64(0)
	taken := make([]string, len(d.over))
	for i, h := range d.over {
		taken[i] = h.place.id()
		has += h.units
	}
	free = slices.DeleteFunc(slices.Clone(free), func(f chains.Coin) bool { return f.Token != symbol || slices.Contains(taken, f.ID) })
	slices.SortFunc(free, func(a, b chains.Coin) int { return cmp.Or(b.Amount.Cmp(a.Amount), strings.Compare(a.ID, b.ID)) })
	own := slices.DeleteFunc(slices.Clone(free), func(f chains.Coin) bool { return f.At != nil })
	free = slices.DeleteFunc(free, d.isSmall)
	if d.gather > 0 {
		return d.smallest(free, has)
	}
	if len(own) > 0 && len(d.over) == 0 {
		free = slices.Insert(slices.DeleteFunc(free, func(f chains.Coin) bool { return f.ID == own[0].ID }), 0, own[0])
	}
	n := 0
	for ; n+len(d.over) == 0 || has < d.needs(n+len(d.over)); n++ {
		if n == len(free) || n+len(d.over) == mostCoins {
			return nil, fmt.Errorf("what is free: %w", &chains.Short{Token: symbol, Missing: amountOf(d.needs(n+len(d.over)+1) - has)})
		}
		has += free[n].Amount.Shift(decimals).IntPart()
	}
	return d.leaving(free, n, has, len(own)), nil
}

// isSmall reports whether a coin is not worth the fee of spending it.
func (d *draft) isSmall(f chains.Coin) bool {
	return f.Amount.LessThanOrEqual(amountOf(chains.Worthwhile * d.sender.coin.coinFee(d.rate)))
}

// leaving returns the first n coins, and more of them as long as nothing would be left at the hot wallet: neither another coin of its own nor
// change. The next payout would have to wait until a person sends it a coin.
func (d *draft) leaving(free []chains.Coin, n int, has int64, own int) []chains.Coin {
	for _, f := range free[:n] {
		if f.At == nil {
			own--
		}
	}
	for ; own <= 0 && n < len(free) && n+len(d.over) < mostCoins && len(d.change(has, n+len(d.over))) == 0; n++ {
		has += free[n].Amount.Shift(decimals).IntPart()
	}
	return free[:n]
}

// smallest picks the last coins of those that are free, the largest first. Has is what the earlier transactions spend.
func (d *draft) smallest(free []chains.Coin, has int64) ([]chains.Coin, error) {
	most := d.gather
	if len(d.over) > 0 {
		most = 0
	}
	free = free[max(0, len(free)-most):]
	for _, f := range free {
		has += f.Amount.Shift(decimals).IntPart()
	}
	if needs := d.needs(max(1, len(free)+len(d.over))); has < needs {
		return nil, fmt.Errorf("what is gathered: %w", &chains.Short{Token: d.sender.symbol(), Missing: amountOf(needs - has)})
	}
	return free, nil
}

// Sign completes the transaction with the coins of the slot in their order, and with change. It asks the node what the coins are, and
// checks the signatures before it returns them.
func (d *draft) Sign(slot chains.Slot) (chains.Signed, error) {
	d.signing.Lock()
	defer d.signing.Unlock()
	name := nameOf(slot.Coins)
	if done, already := d.signed[name]; already {
		return done, nil
	}
	done, err := d.sign(slot)
	if err != nil {
		return chains.Signed{}, fmt.Errorf("sign: %w", err)
	}
	d.signed = map[string]chains.Signed{name: done}
	return done, nil
}

// nameOf tells the coins of a slot apart from others.
func nameOf(coins []chains.Coin) string {
	var name strings.Builder
	for _, c := range coins {
		fmt.Fprint(&name, c.ID, " ", c.Token, " ", c.Amount)
		if c.At != nil {
			fmt.Fprint(&name, " ", c.At.Index, " ", c.At.Address)
		}
		name.WriteByte('\n')
	}
	return name.String()
}

func (d *draft) sign(slot chains.Slot) (chains.Signed, error) {
	coins, err := d.coins(slot)
	if err != nil {
		return chains.Signed{}, err
	}
	has := int64(0)
	for _, h := range coins {
		has += h.units
	}
	if len(coins) == 0 || has < d.needs(len(coins)) {
		return chains.Signed{}, fmt.Errorf("the %d coins of the slot are %s, and %s are needed", len(coins), amountOf(has), amountOf(d.needs(len(coins))))
	}
	outs := slices.Concat(d.outs, d.change(has, len(coins)))
	fee := has
	for _, o := range outs {
		fee -= o.units
	}
	s := d.sender
	if most := feeOf(s.cfg.MaxFeeRate, s.coin.size(len(coins), nil)) + d.fee(len(coins), 1) + s.coin.dust; fee > most {
		return chains.Signed{}, fmt.Errorf("a fee of %s, and no more than %s is due", amountOf(fee), amountOf(most))
	}
	if err := s.confirm(coins); err != nil {
		return chains.Signed{}, err
	}
	txid, raw, err := s.signed(coins, outs)
	if err != nil {
		return chains.Signed{}, err
	}
	return chains.Signed{Txid: txid, Raw: raw, Fee: amountOf(fee)}, nil
}

// coins reads the coins of a slot. A replacement spends all of the earlier transaction, the first one first.
func (d *draft) coins(slot chains.Slot) ([]held, error) {
	out := make([]held, len(slot.Coins))
	seen := map[place]bool{}
	for i, c := range slot.Coins {
		at, ok := placeOf(c.ID)
		units := c.Amount.Shift(decimals)
		if !ok || seen[at] || c.Token != d.sender.symbol() || !units.IsInteger() || !units.IsPositive() ||
			units.GreaterThan(decimal.NewFromInt(d.sender.coin.supply)) {
			return nil, fmt.Errorf("%+v is no coin of the wallet", c)
		}
		seen[at] = true
		script, err := d.sender.scriptOf(c.At)
		if err != nil {
			return nil, fmt.Errorf("coin %s: %w", c.ID, err)
		}
		out[i] = held{place: at, units: units.IntPart(), script: script, at: c.At}
	}
	if len(d.over) > 0 && (len(out) == 0 || out[0].place != d.over[0].place) {
		return nil, fmt.Errorf("the replacement is for coin %s", d.over[0].place.id())
	}
	for _, h := range d.over {
		if !seen[h.place] {
			return nil, errors.New("the replacement leaves out coin " + h.place.id())
		}
	}
	return out, nil
}

// scriptOf is the script at which coins of a deposit address lie, or those of the hot wallet. A deposit address of another index is an error.
func (c *Connector) scriptOf(at *chains.Wallet) (string, error) {
	if at == nil {
		return string(c.hotScript), nil
	}
	derived, err := addresses.FromXPub(c.cfg.Network, c.cfg.XPub, at.Index)
	if err != nil {
		return "", fmt.Errorf("deposit address %d: %w", at.Index, err)
	}
	if c.Match(derived) != at.Address {
		return "", fmt.Errorf("deposit address %d is %s, not %s", at.Index, derived, at.Address)
	}
	script, err := addresses.Script(c.cfg.Network, derived)
	return string(script), err
}

// placeOf reads the id of a coin.
func placeOf(id string) (place, bool) {
	name, at, _ := strings.Cut(id, ":")
	from, ok := hashOf(name)
	var vout uint32
	if _, err := fmt.Sscanf(at, "%d", &vout); err != nil || !ok {
		return place{}, false
	}
	p := place{from, vout}
	return p, p.id() == id
}

// change returns what is beyond the orders and the fee to the hot wallet, in several coins if they are not small.
func (d *draft) change(has int64, coins int) (out []output) {
	dust := d.sender.coin.dust
	most := int64(split)
	if d.gather > 0 {
		most = 1
	}
	for n := most; n > 0; n-- {
		rest := has - d.paid - d.fee(coins, int(n))
		part := rest / n
		if part < dust || n > 1 && part < max(d.paid, smallChange*dust) {
			continue
		}
		for i := range n {
			units := part
			if i == 0 {
				units += rest % n
			}
			out = append(out, output{vout: uint32(len(d.outs)) + uint32(i), units: units, script: d.sender.hotScript})
		}
		return out
	}
	return nil
}
