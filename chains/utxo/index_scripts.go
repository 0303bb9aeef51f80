package utxo

import (
	"github.com/btcsuite/btcd/btcutil/v2/hdkeychain"

	"causeway/chains/addresses"
)

// How many deposit addresses the index knows at first, and how many beyond twice the last one in use it derives in search of one: more
// than are left out after books were restored.
const (
	firstDerived = 500
	farthest     = 150_000
)

// grow adds scripts that the index does not know, and reports whether there were any. It derives deposit addresses until it has found
// them, and twice as many, so that it seldom grows. Scripts of others are added for themselves.
func (c *Connector) grow(scripts map[string]bool) (bool, error) {
	x := &c.index
	if x.scripts == nil {
		x.scripts = map[string]uint32{string(c.hotScript): 0}
		if cold, err := addresses.Script(c.cfg.Network, c.cfg.Cold); err == nil {
			c.addOther(string(cold))
		}
		if err := c.derive(firstDerived); err != nil {
			return false, err
		}
	}
	missing := x.missing(scripts)
	if len(missing) == 0 {
		return false, nil
	}
	for len(missing) > 0 && x.derived < 2*x.used+farthest {
		if err := c.derive(2 * x.derived); err != nil {
			return false, err
		}
		missing = x.missing(missing)
	}
	for s := range missing {
		c.addOther(s)
	}
	return true, nil
}

// addOther adds a script that is none of ours.
func (c *Connector) addOther(script string) {
	c.index.scripts[script] = 0
	c.index.hidden = c.index.hidden || len(script) != len(c.hotScript) || script[:2] != string(c.hotScript[:2])
}

// missing returns the scripts that the index does not know, and notes those that it does.
func (x *index) missing(scripts map[string]bool) map[string]bool {
	out := map[string]bool{}
	for s := range scripts {
		if place, known := x.scripts[s]; known {
			x.used = max(x.used, place)
		} else {
			out[s] = true
		}
	}
	return out
}

// derive adds deposit addresses up to a number of them.
func (c *Connector) derive(to uint32) error {
	account, err := hdkeychain.NewKeyFromString(c.cfg.XPub)
	if err != nil {
		return addresses.ErrXPub
	}
	branch, err := account.Derive(0)
	if err != nil {
		return addresses.ErrPath
	}
	for ; c.index.derived < to; c.index.derived++ {
		child, err := branch.Derive(c.index.derived)
		if err != nil {
			continue // one index in 2^127 has no key
		}
		key, err := child.ECPubKey()
		if err != nil {
			return addresses.ErrXPub
		}
		c.index.scripts[string(c.coin.ownScript(key.SerializeCompressed()))] = c.index.derived + 1
	}
	return nil
}
