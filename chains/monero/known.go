package monero

import (
	"context"
	"fmt"
	"sync"

	"filippo.io/edwards25519"

	"causeway/chains/addresses"
)

// ahead is how many subaddresses are known beyond the last that was given out or paid.
const ahead = 2_000

// known are the subaddresses by which outputs are recognised: the main address, and the deposit addresses from the first on without gaps.
type known struct {
	turn   sync.Mutex
	minor  map[hash]uint32 // by public spend key
	newest uint32          // the greatest minor index that was given out or paid

	given func(ctx context.Context) ([]string, error) // nil for nobody
}

// extend makes the subaddresses below a minor index known.
func (c *Connector) extend(below uint32) {
	k := &c.known
	k.turn.Lock()
	defer k.turn.Unlock()
	if k.minor == nil {
		k.minor = map[hash]uint32{}
	}
	for minor := uint32(len(k.minor)); minor < below; minor++ {
		spend, _ := c.view.spendKey(minor)
		k.minor[spend] = minor
	}
}

// among returns the subaddress of a public spend key.
func (c *Connector) among(spend hash) (uint32, bool) {
	c.known.turn.Lock()
	defer c.known.turn.Unlock()
	minor, ours := c.known.minor[spend]
	return minor, ours
}

// saw notes that a subaddress was given out or paid, and makes those behind it known.
func (c *Connector) saw(minor uint32) {
	c.known.turn.Lock()
	c.known.newest = max(c.known.newest, minor)
	c.known.turn.Unlock()
	c.extend(minor + ahead)
}

// size is how many subaddresses are known.
func (c *Connector) size() uint32 {
	c.known.turn.Lock()
	defer c.known.turn.Unlock()
	return uint32(len(c.known.minor))
}

// mostKnown ends the search for an address that was given out. A hundred bytes of memory are kept for each.
const mostKnown = 20_000_000

// Reach names the newest deposit addresses. They and all before them are recognised.
func (c *Connector) Reach(newest func(ctx context.Context) ([]string, error)) {
	c.known.turn.Lock()
	defer c.known.turn.Unlock()
	c.known.given = newest
}

// recognise makes known all addresses that were given out. It returns the greatest minor index that was given out or paid.
func (c *Connector) recognise(ctx context.Context) (newest uint32, err error) {
	c.extend(ahead)
	defer func() {
		c.known.turn.Lock()
		newest = c.known.newest
		c.known.turn.Unlock()
	}()
	c.known.turn.Lock()
	given := c.known.given
	c.known.turn.Unlock()
	if given == nil {
		return 0, nil
	}
	all, err := given(ctx)
	if err != nil {
		return 0, fmt.Errorf("the newest deposit addresses: %w", err)
	}
	for _, address := range all {
		spend, public, err := addresses.MoneroKeys(address)
		if err != nil || !c.view.sees(spend, public) {
			continue // of a former seed, or of a simulated network
		}
		for _, is := c.among(spend); !is; _, is = c.among(spend) {
			if c.size() >= mostKnown {
				return 0, odd("address %s is not among the first %d", address, mostKnown)
			}
			c.extend(c.size() + ahead)
		}
		minor, _ := c.among(spend)
		c.saw(minor)
	}
	return 0, nil
}

// spendKey returns the public spend key of subaddress 0/minor.
func (v *view) spendKey(minor uint32) (hash, *edwards25519.Point) {
	if minor == 0 {
		return bytesOf(v.spend), v.spend
	}
	spend := new(edwards25519.Point).ScalarBaseMult(v.offset(minor))
	spend.Add(spend, v.spend)
	return bytesOf(spend), spend
}

// sees reports whether an address with these keys is of the account's view key.
func (v *view) sees(spend, public [32]byte) bool {
	p, err := new(edwards25519.Point).SetBytes(spend[:])
	return err == nil && bytesOf(p.ScalarMult(v.secret, p)) == public
}
