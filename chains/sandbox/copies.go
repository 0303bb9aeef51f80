package sandbox

import (
	"context"
	"encoding/json"
)

// copied returns the bytes of a copy of a transaction of coins: it does the same, under another id. Other bytes stay as they are.
func (c *chain) copied(raw []byte) []byte {
	m, err := c.decode(raw)
	if err != nil || len(m.Coins) == 0 {
		return raw
	}
	m.Copied = true
	out, err := json.Marshal(m)
	if err != nil {
		return raw
	}
	return out
}

// copyOf finds the transaction that a mined one is a copy of.
func (c *chain) copyOf(ctx context.Context, txid string, ours [][]byte) (of int, raw []byte, err error) {
	f, err := c.faults(ctx)
	if err != nil {
		return -1, nil, err
	}
	if err := c.pass(f, f.Scan); err != nil {
		return -1, nil, err
	}
	for i := range ours {
		if raw := c.copied(ours[i]); txidOf(c.net.Family, raw) == txid {
			return i, raw, nil
		}
	}
	return -1, nil, nil
}
