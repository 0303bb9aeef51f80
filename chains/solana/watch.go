package solana

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"causeway/chains/solana/client"
)

// watch is what is known of the accounts that are looked at.
type watch struct {
	sync.Mutex
	addresses func(ctx context.Context) ([]string, error) // of deposits; nil for none
	seen      map[key]seen
}

// seen is what an account held at the end of a slot.
type seen struct {
	slot   int64
	units  uint64
	newest int64 // the slot of its newest transaction, as far as its list was read; it may be above the blocks told
}

// AskFor names the deposit addresses that payments are awaited at, in the spelling of Match.
func (c *Connector) AskFor(addresses func(ctx context.Context) ([]string, error)) {
	c.watch.Lock()
	defer c.watch.Unlock()
	c.watch.addresses = addresses
}

// owners returns the owners whose accounts are looked at: the hot wallet first, the cold address, and the deposit addresses.
func (c *Connector) owners(ctx context.Context) ([]key, error) {
	c.watch.Lock()
	addresses := c.watch.addresses
	c.watch.Unlock()
	out := []key{c.hot}
	known := map[key]bool{c.hot: true}
	var names []string
	if addresses != nil {
		var err error
		if names, err = addresses(ctx); err != nil {
			return nil, fmt.Errorf("addresses to ask for: %w", err)
		}
	}
	for _, name := range append(names, c.cfg.Cold) {
		if k, ok := readKey(name); ok && !known[k] {
			known[k] = true
			out = append(out, k)
		}
	}
	return out, nil
}

// look is one reading of accounts and of the transactions that have changed them.
type look struct {
	view
	from, to int64 // the slots to be told
	tables   *tables
	mu       sync.Mutex
	lists    map[key][]client.Entry // by account, the newest first
}

// changes returns the transactions of our accounts in some slots, and up to which slot: all of them, or fewer where there are very many. Every
// change of a balance is explained by them, or none is returned: a list of the node may lack some.
func (v view) changes(ctx context.Context, owners []key, from, to int64) ([]*done, *tables, int64, error) {
	tables, err := v.tokens(ctx)
	if err != nil {
		return nil, nil, 0, err
	}
	l := &look{view: v, from: from, to: to, tables: tables, lists: map[key][]client.Entry{}}
	all, now, err := l.balances(ctx, owners)
	if err != nil {
		return nil, nil, 0, err
	}
	asked, err := l.listWanted(ctx, all, now)
	if err != nil {
		return nil, nil, 0, err
	}
	l.cut()
	read, err := l.read(ctx, func(e client.Entry) bool { return e.Slot <= l.to })
	if err != nil {
		return nil, nil, 0, err
	}
	told, err := l.explain(ctx, asked, read)
	if err != nil {
		return nil, nil, 0, err
	}
	l.remember(all, now, told)
	return read, tables, l.to, nil
}

// listWanted reads the lists of accounts whose transactions may be missing. That of the hot wallet is always read, and its transactions up to
// now: the proof that one is dead rests on them, and they name accounts that were emptied since.
func (l *look) listWanted(ctx context.Context, all []watched, now []seen) (map[watched]seen, error) {
	hot := slices.IndexFunc(all, func(w watched) bool { return w.at == l.hot })
	asked := map[watched]seen{all[hot]: now[hot]}
	if err := l.list(ctx, asked); err != nil {
		return nil, err
	}
	mine, err := l.read(ctx, func(client.Entry) bool { return true })
	if err != nil {
		return nil, err
	}
	more := map[watched]seen{}
	for i, w := range all {
		if i != hot && l.wanted(w, now[i], mine) {
			more[w], asked[w] = now[i], now[i]
		}
	}
	return asked, l.list(ctx, more)
}

// balances reads all accounts of the owners.
func (l *look) balances(ctx context.Context, owners []key) ([]watched, []seen, error) {
	var all []watched
	for _, t := range append([]token{coin}, l.tables.usable()...) {
		of, err := watchedOf(owners, t)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, of...)
	}
	keys := make([]key, len(all))
	for i, w := range all {
		keys[i] = w.at
	}
	answers, err := l.accounts(ctx, keys, l.to)
	if err != nil {
		return nil, nil, err
	}
	now := make([]seen, len(all))
	for i, a := range answers {
		units, err := all[i].holds(a.account)
		if err != nil {
			return nil, nil, err
		}
		now[i] = seen{slot: a.slot, units: units}
	}
	return all, now, nil
}

// wanted reports whether transactions of an account may be missing: its balance is another one than at the end of the slots told, it holds
// something and is not known, it had a transaction in these slots at an earlier look, or a transaction of the hot wallet names it.
func (l *look) wanted(w watched, now seen, mine []*done) bool {
	was, known := l.before(w.at)
	if !known && now.units > 0 || known && was.units != now.units || l.newest(w.at) >= l.from {
		return true
	}
	return slices.ContainsFunc(mine, func(d *done) bool { return d.slot >= l.from && d.names(w.at) })
}

// before is what an account held at the end of the slots told last. What is too long ago is not known: another process has told the slots
// since, and their transactions would all have to be read again.
func (l *look) before(at key) (seen, bool) {
	l.watch.Lock()
	defer l.watch.Unlock()
	was, known := l.watch.seen[at]
	return was, known && was.slot < l.from && was.slot >= l.from-longestGap
}

// longestGap is how many slots are at most between two looks of one process that know of each other.
const longestGap = 100 * slotsOfGroup

// remember keeps the balances at the end of the slots told.
func (l *look) remember(all []watched, now []seen, told map[key]uint64) {
	l.watch.Lock()
	defer l.watch.Unlock()
	fresh := make(map[key]seen, len(all))
	for i, w := range all {
		kept := seen{slot: l.to, units: now[i].units, newest: l.watch.seen[w.at].newest}
		entries, listed := l.lists[w.at]
		if units, known := told[w.at]; known {
			kept.units = units
		} else if listed {
			continue
		}
		if len(entries) > 0 {
			kept.newest = entries[0].Slot
		}
		fresh[w.at] = kept
	}
	l.watch.seen = fresh
}
