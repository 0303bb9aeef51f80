package ton

import (
	"context"
	"encoding/hex"
	"fmt"

	"causeway/chains"
	"causeway/chains/ton/client"
)

// seqnoOf is the number of a wallet's next transaction: the first 32 bits of its data. A wallet without code has sent none.
func seqnoOf(s client.State) (uint64, error) {
	if !s.Active {
		return 0, nil
	}
	number, err := s.Data.BeginParse().LoadUInt(32)
	if err != nil {
		return 0, odd("a wallet without a seqno")
	}
	return number, nil
}

// NextNonce returns the first seqno of an address that is unused, also by what this process has sent and no block has yet.
func (c *Connector) NextNonce(ctx context.Context, address string) (next uint64, err error) {
	err = c.node.Use(ctx, func(n node) error {
		tip, err := tipOf(ctx, n)
		if err != nil {
			return err
		}
		a, err := readAccount(address)
		if err != nil {
			return err
		}
		next, err = c.seqnoAt(ctx, n, a, tip.Seqno)
		next = max(next, c.sent.next(a, tip.Time.Unix()))
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("next seqno: %w", err)
	}
	return next, nil
}

// NonceAt returns the first seqno of an address unused in the blocks up to a height.
func (c *Connector) NonceAt(ctx context.Context, address string, height int64) (number uint64, err error) {
	err = c.node.Use(ctx, func(n node) error {
		a, err := readAccount(address)
		if err != nil {
			return err
		}
		number, err = c.seqnoAt(ctx, n, a, height)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("seqno at block %d: %w", height, err)
	}
	return number, nil
}

func (c *Connector) seqnoAt(ctx context.Context, n node, a account, height int64) (uint64, error) {
	s, err := state(ctx, n, a, height)
	if err != nil {
		return 0, err
	}
	return seqnoOf(s)
}

// Origin returns where a transaction has come from.
func (c *Connector) Origin(ctx context.Context, txid string) (out chains.Origin, err error) {
	if raw, wrong := hex.DecodeString(txid); wrong != nil || len(raw) != len(client.Hash{}) {
		return chains.Origin{}, c.node.Ready(ctx) // no transaction here has such an id
	}
	err = c.node.Use(ctx, func(n node) error {
		out = chains.Origin{}
		tip, err := tipOf(ctx, n)
		if err != nil {
			return err
		}
		if err := c.lookUp(ctx, n, []string{txid}, tip.Seqno); err != nil {
			return err
		}
		if t := c.past.find(txid); t != nil {
			out = chains.Origin{Txid: txid, From: t.account.String(), Nonce: numberIn(t.signed)}
		} else if w, waits := c.sent.find(txid, tip.Time.Unix()); waits {
			out = chains.Origin{Txid: txid, From: w.of.String(), Nonce: int64(w.seqno)}
		}
		return nil
	})
	if err != nil {
		return chains.Origin{}, fmt.Errorf("origin: %w", err)
	}
	return out, nil
}
