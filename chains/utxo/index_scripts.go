package utxo

import (
	"github.com/btcsuite/btcd/btcutil/v2/hdkeychain"

	"causeway/chains/addresses"
)

// How many deposit addresses the index knows at first, and how many more it derives in search of one.
const (
	firstDerived = 500
	farthest     = 20_000
)

// grow adds scripts that the index does not know, and reports whether there were any. It derives deposit addresses until it has found
// them, and twice as many, so that it seldom grows. Scripts of others are added for themselves.
func (c *Connector) grow(scripts map[string]bool) (bool, error) {
	x := &c.index
	if x.scripts == nil {
		x.scripts = map[string]bool{string(c.hotScript): true}
		if cold, err := addresses.Script(c.cfg.Network, c.cfg.Cold); err == nil {
			x.scripts[string(cold)] = true
		}
		if err := c.derive(firstDerived); err != nil {
			return false, err
		}
	}
	missing := map[string]bool{}
	for s := range scripts {
		if !x.scripts[s] {
			missing[s] = true
		}
	}
	if len(missing) == 0 {
		return false, nil
	}
	for limit := x.derived + farthest; len(missing) > 0 && x.derived < limit; {
		if err := c.derive(2 * x.derived); err != nil {
			return false, err
		}
		for s := range missing {
			if x.scripts[s] {
				delete(missing, s)
			}
		}
	}
	for s := range missing {
		x.scripts[s] = true
	}
	return true, nil
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
		c.index.scripts[string(c.coin.ownScript(key.SerializeCompressed()))] = true
	}
	return nil
}
