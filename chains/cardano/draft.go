package cardano

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/cardano/client"
)

// split is the most coins that change is split into, so that the next spends do not wait for this one. A coin of the change is no smaller
// than the orders together, nor than smallChange, as long as there are several.
const (
	split       = 4
	smallChange = 50_000_000
)

// draft is a transaction without its coins, change and signatures.
type draft struct {
	sender *Sender
	params params
	ttl    uint64
	hot    []byte
	outs   []output
	paid   int64    // by outs
	gather int      // so many of the smallest coins are made one; no outs then
	over   []string // the coins of the dearest transaction signed before for the slot
	had    int64    // by those
	beaten int64    // its fee

	signing sync.Mutex
	signed  map[string]chains.Signed // the last, by its coins
}

var _ chains.Chooser = (*draft)(nil)

// Spare implements chains.Draft: the free coins are the balance.
func (d *draft) Spare() chains.Spare { return chains.Spare{} }

// fee returns the fee with so many coins, of so many keys, and outputs of change.
func (d *draft) fee(coins, keys, change int) int64 {
	fee := d.params.fee + d.params.rate*d.size(coins, keys, change)
	if len(d.over) > 0 {
		fee = max(fee, d.beaten+1)
	}
	return fee
}

// size is the most bytes that the transaction has.
func (d *draft) size(coins, keys, change int) int64 {
	size := int64(aroundSize + coins*inputSize + keys*signatureSize)
	for _, o := range d.outs {
		size += outSize(o.Address)
	}
	return size + int64(change)*outSize(d.hot)
}

// needs is the least that so many coins have to be together: there is change always, since less than the least of an output cannot be given
// back.
func (d *draft) needs(coins, keys int) int64 {
	return d.paid + d.fee(coins, keys, 1) + d.params.leastAt(d.hot)
}

// Choose picks the largest coins until they are enough, beside those of the earlier transactions. A new slot begins with the largest of the hot
// wallet itself, however small it is. Where coins are gathered, it picks the smallest, and none beside earlier ones. A mixed coin is left
// where it is: the tokens would have to go along, and anybody can send so many of them that no transaction has room.
func (d *draft) Choose(free []chains.Coin) ([]chains.Coin, error) {
	free = slices.DeleteFunc(slices.Clone(free), func(f chains.Coin) bool {
		return f.Token != coin || f.Mixed || slices.Contains(d.over, f.ID)
	})
	slices.SortFunc(free, func(a, b chains.Coin) int { return cmp.Or(b.Amount.Cmp(a.Amount), strings.Compare(a.ID, b.ID)) })
	own := slices.IndexFunc(free, func(f chains.Coin) bool { return f.At == nil })
	var first []chains.Coin
	if own >= 0 && len(d.over) == 0 && d.gather == 0 {
		first = []chains.Coin{free[own]}
		free = slices.Delete(free, own, own+1)
	}
	least := amountOf(chains.Worthwhile * d.params.coinFee())
	free = append(first, slices.DeleteFunc(free, func(f chains.Coin) bool { return f.Amount.LessThanOrEqual(least) })...)
	if d.gather > 0 {
		return d.smallest(free)
	}
	for n := 0; ; n++ {
		has, coins, keys := d.had, n+len(d.over), keysOf(free[:n])+len(d.over)
		for _, f := range free[:n] {
			has += f.Amount.Shift(decimals).IntPart()
		}
		if coins > 0 && has >= d.needs(coins, keys) {
			return free[:n], nil
		}
		if n == len(free) || coins == mostCoins {
			return nil, fmt.Errorf("what is free: %w", &chains.Short{Token: coin, Missing: amountOf(d.needs(coins+1, keys+1) - has)})
		}
	}
}

// keysOf is how many keys sign for coins.
func keysOf(coins []chains.Coin) int {
	keys := map[string]bool{}
	for _, c := range coins {
		if c.At != nil {
			keys[c.At.Address] = true
		} else {
			keys[""] = true
		}
	}
	return len(keys)
}

// smallest picks the last coins of those that are free, the largest first.
func (d *draft) smallest(free []chains.Coin) ([]chains.Coin, error) {
	most, has := d.gather, d.had
	if len(d.over) > 0 {
		most = 0
	}
	free = free[max(0, len(free)-most):]
	for _, f := range free {
		has += f.Amount.Shift(decimals).IntPart()
	}
	coins := max(1, len(free)+len(d.over))
	if needs := d.needs(coins, coins); has < needs {
		return nil, fmt.Errorf("what is gathered: %w", &chains.Short{Token: coin, Missing: amountOf(needs - has)})
	}
	return free, nil
}

// Sign completes the transaction with the coins of the slot in their order, and with change.
func (d *draft) Sign(slot chains.Slot) (chains.Signed, error) {
	d.signing.Lock()
	defer d.signing.Unlock()
	var name strings.Builder
	for _, c := range slot.Coins {
		fmt.Fprintf(&name, "%s %s %s %+v\n", c.ID, c.Token, c.Amount, c.At)
	}
	if done, already := d.signed[name.String()]; already {
		return done, nil
	}
	done, err := d.sign(slot.Coins)
	if err != nil {
		return chains.Signed{}, fmt.Errorf("sign: %w", err)
	}
	d.signed = map[string]chains.Signed{name.String(): done}
	return done, nil
}

func (d *draft) sign(coins []chains.Coin) (chains.Signed, error) {
	ins, has, err := d.inputs(coins)
	if err != nil {
		return chains.Signed{}, err
	}
	keys := keysOf(coins)
	if needs := d.needs(len(ins), keys); has < needs {
		return chains.Signed{}, fmt.Errorf("the %d coins of the slot are %s, and %s are needed", len(ins), amountOf(has), amountOf(needs))
	}
	change := d.change(has, len(ins), keys)
	b := body{Inputs: ins, Outputs: slices.Concat(d.outs, change), TTL: d.ttl}
	fee := has - b.paid()
	b.Fee = uint64(fee)
	if most := d.fee(len(ins), keys, len(change)) + split; fee <= 0 || fee > most || amountOf(fee).GreaterThan(d.sender.cfg.MaxFee) {
		return chains.Signed{}, fmt.Errorf("%w: a fee of %s: %s is due, and max_fee is %s", chains.ErrDown, amountOf(fee), amountOf(most), d.sender.cfg.MaxFee)
	}
	raw, id := b.write()
	by, err := d.sender.sign(id, coins)
	if err != nil {
		return chains.Signed{}, err
	}
	whole := signed(raw, by)
	if int64(len(whole)) > d.params.most || int64(len(whole)) > d.size(len(ins), keys, len(change)) {
		return chains.Signed{}, fmt.Errorf("it has %d bytes, and at most %d are allowed", len(whole), d.params.most)
	}
	if again, err := parse(whole); err != nil || again.id != id {
		return chains.Signed{}, errors.New("it reads as another transaction")
	}
	return chains.Signed{Txid: id.String(), Raw: whole, Fee: amountOf(fee)}, nil
}

// inputs reads the coins of a slot. A replacement spends all of the earlier transaction, the first one first.
func (d *draft) inputs(coins []chains.Coin) (ins []input, has int64, err error) {
	seen := map[string]bool{}
	for _, c := range coins {
		in, ok := inputOf(c.ID)
		units := c.Amount.Shift(decimals)
		if !ok || seen[c.ID] || c.Token != coin || c.Mixed || !units.IsInteger() || !units.IsPositive() || units.GreaterThan(decimal.NewFromInt(client.Supply)) {
			return nil, 0, fmt.Errorf("%+v is no coin of the wallet", c)
		}
		seen[c.ID] = true
		ins, has = append(ins, in), has+units.IntPart()
	}
	if len(ins) == 0 || len(ins) > mostCoins || len(d.over) > 0 && coins[0].ID != d.over[0] {
		return nil, 0, errors.New("these are not the coins of the slot")
	}
	for _, id := range d.over {
		if !seen[id] {
			return nil, 0, errors.New("the replacement leaves out coin " + id)
		}
	}
	return ins, has, nil
}

// inputOf reads the id of a coin.
func inputOf(id string) (in input, ok bool) {
	name, at, _ := strings.Cut(id, ":")
	index, err := strconv.ParseUint(at, 10, 16)
	from, ok := hashOf(name)
	in = input{ID: from, Index: uint32(index)}
	return in, ok && err == nil && in.coin() == id
}

// change returns what is beyond the orders and the fee to the hot wallet, in several coins if they are not small.
func (d *draft) change(has int64, coins, keys int) (out []output) {
	n := int64(split)
	if d.gather > 0 {
		n = 1
	}
	for ; n > 1 && (has-d.paid-d.fee(coins, keys, int(n)))/n < max(d.paid, smallChange); n-- {
	}
	rest := has - d.paid - d.fee(coins, keys, int(n))
	for i := range n {
		part := rest / n
		if i == 0 {
			part += rest % n
		}
		out = append(out, output{Address: d.hot, Lovelace: uint64(part)})
	}
	return out
}
