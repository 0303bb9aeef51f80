package sandbox

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/chains"
)

// Refill sends an amount from the cold address of a network to its hot wallet, as its holder does, and returns the txid. The fee is
// the cold address's.
func (o Operator) Refill(ctx context.Context, network, token string, amount decimal.Decimal) (txid string, err error) {
	n, err := called(network)
	if err != nil {
		return "", err
	}
	if exclusionOf(n.Family) == chains.ByCoins {
		return "", fmt.Errorf("%s: the sandbox does not spend coins of its cold address", n.Name)
	}
	if token, err = o.token(ctx, n, token, amount); err != nil {
		return "", err
	}
	err = o.locked(ctx, n, func(ctx context.Context, tx bun.Tx) error {
		if txid, err = nextTxid(ctx, tx, n); err != nil {
			return err
		}
		r := fromFaucet(n, txid, hotWallet(n), "", token, amount)
		r.Sender, r.Fee = coldWallet(n), baseFee
		r.SenderMatch = match(n, r.Sender)
		var next uint64
		const query = `select coalesce(max(nonce) + 1, 0) from sandbox_transactions where network = ? and sender_match = ?`
		if err := tx.NewRaw(query, n.Name, r.SenderMatch).Scan(ctx, &next); err != nil {
			return fmt.Errorf("number the refill: %w", err)
		}
		r.Nonce = &next
		answer, err := submit(ctx, tx, r)
		if err == nil && answer != sent {
			err = fmt.Errorf("refill %s on %s: %s", token, n.Name, answer)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return txid, nil
}
