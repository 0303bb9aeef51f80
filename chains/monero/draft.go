package monero

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

// destination is an output in the words of a wallet.
type destination struct {
	Address string `json:"address"`
	Units   uint64 `json:"amount"`
}

// draft is a transaction without its coins.
type draft struct {
	sender *Sender
	outs   []destination
	paid   uint64 // by outs
	gather int    // so many of the smallest coins are made one; no outs then
	back   int    // the rest comes back in so many outputs at most
	rate   uint64 // for a unit of weight
	has    map[string]held
	over   []held // the coins of the transactions signed before for the slot

	signing sync.Mutex
	signed  map[string]chains.Signed // the last, by its coins: a wallet never signs the same twice
}

var _ chains.Chooser = (*draft)(nil)

// Spare implements chains.Draft: the free coins are the balance.
func (d *draft) Spare() chains.Spare { return chains.Spare{} }

// fee is the most that a transaction of so many coins costs.
func (d *draft) fee(coins int) uint64 { return d.rate * weight(coins, len(d.outs)+max(1, d.back)) }

// coinLimit is how many coins the transaction spends at most, within max_fee.
func (d *draft) coinLimit() int {
	n := mostCoins
	for n > 1 && amountOf(d.fee(n)).GreaterThan(d.sender.cfg.MaxFee) {
		n--
	}
	return n
}

// needs is the least that so many coins have to be together: something must come back.
func (d *draft) needs(coins int) uint64 { return d.paid + d.fee(coins) + 1 }

// ripe reports whether a coin may be spent now, and is worth its fee.
func (d *draft) ripe(c chains.Coin) bool {
	h, known := d.has[c.ID]
	return known && h.Unlocked && !h.Spent && c.Token == coin && !c.Amount.LessThanOrEqual(amountOf(chains.Worthwhile*d.rate*(weight(2, 2)-weight(1, 2))))
}

// Choose picks the largest coins until they are enough, beside those of the earlier transactions. A new slot begins with the largest of the
// hot wallet itself. Where coins are gathered, it picks the smallest. Coins that are locked yet are not there: ErrShort says so.
func (d *draft) Choose(free []chains.Coin) ([]chains.Coin, error) {
	free = slices.DeleteFunc(slices.Clone(free), func(f chains.Coin) bool {
		return !d.ripe(f) || slices.ContainsFunc(d.over, func(h held) bool { return h.id == f.ID })
	})
	slices.SortFunc(free, func(a, b chains.Coin) int { return cmp.Or(b.Amount.Cmp(a.Amount), strings.Compare(a.ID, b.ID)) })
	has := uint64(0)
	for _, h := range d.over {
		has += h.Units
	}
	if d.gather > 0 {
		return d.smallest(free, has)
	}
	if own := slices.IndexFunc(free, func(f chains.Coin) bool { return f.At == nil }); own > 0 && len(d.over) == 0 {
		first := free[own]
		free = slices.Insert(slices.Delete(free, own, own+1), 0, first)
	}
	n, limit := 0, d.coinLimit()
	for ; n+len(d.over) == 0 || has < d.needs(n+len(d.over)); n++ {
		if n == len(free) || n+len(d.over) >= limit {
			return nil, d.short("what may be spent now, for max_fee", d.needs(n+len(d.over)+1)-has)
		}
		has += unitsOf(free[n].Amount)
	}
	return free[:n], nil
}

// smallest picks the last coins of those that are free, the largest first.
func (d *draft) smallest(free []chains.Coin, has uint64) ([]chains.Coin, error) {
	want := d.gather
	if len(d.over) > 0 {
		want = 0
	}
	free = free[max(0, len(free)-want):]
	for _, f := range free {
		has += unitsOf(f.Amount)
	}
	if needs := d.needs(max(1, len(free)+len(d.over))); has < needs {
		return nil, d.short("what is gathered", needs-has)
	}
	return free, nil
}

func (d *draft) short(what string, units uint64) error {
	return fmt.Errorf("%s: %w", what, &chains.Short{Token: coin, Missing: amountOf(units)})
}

func unitsOf(amount decimal.Decimal) uint64 { return amount.Shift(decimals).BigInt().Uint64() }

// longestSign is how long Sign may take. The books hold the wallet's row meanwhile, so a wallet that reads blocks is not waited for.
const longestSign = time.Minute

// Sign has the signer's wallet spend exactly the coins of the slot, and checks what it has made. Nothing is sent.
func (d *draft) Sign(slot chains.Slot) (chains.Signed, error) {
	d.signing.Lock()
	defer d.signing.Unlock()
	name := fmt.Sprint(slot.Coins)
	if done, already := d.signed[name]; already {
		return done, nil
	}
	ctx, cancel := context.WithTimeout(d.sender.open, min(longestSign, d.sender.cfg.WalletTimeout))
	defer cancel()
	done, err := d.sign(ctx, slot)
	if err != nil {
		return chains.Signed{}, fmt.Errorf("sign: %w", err)
	}
	d.signed = map[string]chains.Signed{name: done}
	return done, nil
}

// sign makes the transaction while nobody else has the wallet. All coins are frozen but those of the slot, so no other can be spent.
func (d *draft) sign(ctx context.Context, slot chains.Slot) (out chains.Signed, err error) {
	w := d.sender.spender
	give, err := w.take(ctx)
	if err != nil {
		return out, err
	}
	defer give()
	if err := w.unlock(ctx); err != nil {
		return out, err
	}
	coins, err := d.coinsFor(ctx, slot)
	if err != nil {
		return out, err
	}
	if err := w.leave(ctx, coins); err != nil {
		return out, err
	}
	made, err := w.make(ctx, coins, d)
	if err != nil {
		return out, err
	}
	return d.checked(made, coins)
}

// coinsFor reads the coins of a slot, as the wallet has them.
func (d *draft) coinsFor(ctx context.Context, slot chains.Slot) ([]held, error) {
	all, err := d.sender.coins(ctx)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var out []held
	for _, c := range slot.Coins {
		h, known := all[c.ID]
		minor := uint32(0)
		if c.At != nil {
			minor = c.At.Index + 1
		}
		switch {
		case !known || seen[c.ID] || c.Token != coin || !c.Amount.Equal(amountOf(h.Units)):
			return nil, fmt.Errorf("%+v is no coin of the wallet", c)
		case h.At.Minor != minor || c.At != nil && c.At.Address != d.sender.view.address(minor):
			return nil, fmt.Errorf("coin %s lies at another address than the books say", c.ID)
		case h.Spent || !h.Unlocked && !h.Frozen:
			return nil, fmt.Errorf("coin %s is spent, or locked yet", c.ID)
		}
		seen[c.ID] = true
		out = append(out, h)
	}
	if len(out) == 0 {
		return nil, errors.New("the slot has no coins")
	}
	return out, nil
}

// checked compares what the wallet has made with what it was asked for: these coins and no other, each order's amount at its address, a fee
// within the limit, and all the rest back at the hot wallet.
func (d *draft) checked(m made, coins []held) (out chains.Signed, err error) {
	t, ok := parseWhole(m.raw)
	if !ok || !t.hidden || t.unlock != 0 {
		return out, errors.New("the wallet has made no transaction")
	}
	has, spent := uint64(0), map[string]bool{}
	for _, image := range t.images {
		spent[image.String()] = true
	}
	for _, h := range coins {
		if !spent[h.Image] {
			return out, fmt.Errorf("it does not spend coin %s", h.id)
		}
		has += h.Units
	}
	back := uint64(0)
	for _, a := range d.sender.view.arrivals(t, d.sender.among) {
		if a.minor == 0 {
			back += a.units
		}
	}
	switch {
	case len(t.images) != len(coins):
		return out, errors.New("it spends other coins too")
	case amountOf(t.fee).GreaterThan(d.sender.cfg.MaxFee):
		return out, fmt.Errorf("%w: a fee of %s, and max_fee is %s", chains.ErrDown, amountOf(t.fee), d.sender.cfg.MaxFee)
	case has != back+t.fee+d.paid:
		return out, fmt.Errorf("it spends %s, pays %s and %s of fee, and %s come back", amountOf(has), amountOf(d.paid), amountOf(t.fee), amountOf(back))
	}
	if err := m.pays(d.sender.view, t, d.outs, len(d.rests(has-d.paid))); err != nil {
		return out, err
	}
	return chains.Signed{Txid: t.id.String(), Raw: m.raw, Fee: amountOf(t.fee)}, nil
}

// leave freezes all coins but these.
func (w *wallet) leave(ctx context.Context, coins []held) error {
	all, err := w.list(ctx)
	if err != nil {
		return err
	}
	for _, e := range all {
		used := slices.ContainsFunc(coins, func(h held) bool { return h.Key == e.Key && h.Txid == e.Txid })
		if e.Spent || used != e.Frozen {
			continue
		}
		act := "freeze"
		if used {
			act = "thaw"
		}
		if err := w.server.Call(ctx, nil, act, map[string]any{"key_image": e.Image}); err != nil {
			return fmt.Errorf("%s: %w", act, err)
		}
	}
	return nil
}

// make has the wallet spend all that is not frozen. What the orders leave goes to the main address, less the fee: so the wallet needs each
// of the coins, and no other change is there.
func (w *wallet) make(ctx context.Context, coins []held, d *draft) (out made, err error) {
	has, minors := uint64(0), []uint32{}
	for _, h := range coins {
		has += h.Units
		if !slices.Contains(minors, h.At.Minor) {
			minors = append(minors, h.At.Minor)
		}
	}
	if d.paid >= has {
		return out, errors.New("the coins of the slot are too little")
	}
	to := []destination{}
	for _, units := range d.rests(has - d.paid) {
		to = append(to, destination{w.view.main, units})
	}
	var told struct {
		Blob    string `json:"tx_blob"`
		Secrets string `json:"tx_key"`
	}
	err = w.server.Call(ctx, &told, "transfer", account(map[string]any{"destinations": append(to, d.outs...), "subtract_fee_from_outputs": []int{0},
		"subaddr_indices": minors, "priority": priority, "do_not_relay": true, "get_tx_hex": true, "get_tx_key": true}))
	if err != nil {
		return out, err
	}
	if out.raw, err = hex.DecodeString(told.Blob); err != nil {
		return out, err
	}
	out.secrets, err = readSecrets(told.Secrets)
	return out, err
}
