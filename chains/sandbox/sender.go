package sandbox

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

const pursesQuery = "select wanted, broken, digits, held, coins, untaken from sandbox_purses($1, $2, $3)"

// Prepare checks that the network takes such a payout and the hot wallet can pay it with its fee.
func (c *chain) Prepare(ctx context.Context, order chains.Order) (chains.Draft, error) {
	d, err := c.draft(order, baseFee)
	if err != nil {
		return nil, err
	}
	held, err := c.purses.Do(ctx, order.Token, c.readPurses)
	if err != nil {
		return nil, err
	}
	if err := c.pass(held.faults, held.faults.Broadcast); err != nil {
		return nil, err
	}
	if held.decimals < 0 || !order.Amount.IsPositive() || !order.Amount.Equal(order.Amount.Truncate(held.decimals)) {
		return nil, fmt.Errorf("%w: %s has no amount %s %s", chains.ErrUnpayable, c.net.Name, order.Amount, order.Token)
	}
	needed := order.Amount
	if order.Token == c.net.Coin {
		needed = needed.Add(baseFee)
	}
	if held.amount.LessThan(needed) || held.coins.LessThan(baseFee) {
		return nil, fmt.Errorf("%w: %s of %s %s on %s", chains.ErrShort, held.amount, needed, order.Token, c.net.Name)
	}
	d.spare = chains.Spare{Token: held.amount.Sub(needed), Coin: held.coins.Sub(baseFee), Untaken: &held.untaken}
	if order.Token == c.net.Coin {
		d.spare.Coin = d.spare.Token
	}
	return d, nil
}

// purse is the state of the hot wallet for a payout in one token.
type purse struct {
	faults   Faults
	decimals int32 // of the token; -1 when the network has no such token
	amount   decimal.Decimal
	coins    decimal.Decimal // for the fee
	untaken  uint64          // the nonce after the deducted ones
}

// readPurses answers for payouts prepared at the same time.
func (c *chain) readPurses(ctx context.Context, tokens []string) ([]purse, error) {
	found := map[string]purse{}
	wanted := slices.Compact(slices.Sorted(slices.Values(tokens)))
	err := c.ask(ctx, pursesQuery, []any{c.net.Name, c.match, wanted}, func(rows *sql.Rows) error {
		var token string
		var p purse
		if err := rows.Scan(&token, asJSON(&p.faults), &p.decimals, &p.amount, &p.coins, &p.untaken); err != nil {
			return err
		}
		found[token] = p
		return nil
	})
	if err == nil && len(found) == 0 {
		err = errNoGenesis
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", c.net.Name, chains.ErrDown, err)
	}
	out := make([]purse, len(tokens))
	for i, token := range tokens {
		out[i] = found[token]
	}
	return out, nil
}

// Cancel prepares a transaction of nothing to the hot wallet itself, dearer than the earlier ones of the nonce.
func (c *chain) Cancel(ctx context.Context, _ uint64, over [][]byte) (chains.Draft, error) {
	order := chains.Order{To: c.hot, Token: c.net.Coin}
	return c.again(ctx, order, over)
}

// Bump prepares an order again, dearer than the earlier transactions.
func (c *chain) Bump(ctx context.Context, order chains.Order, over [][]byte) (chains.Draft, error) {
	return c.again(ctx, order, over)
}

func (c *chain) again(ctx context.Context, order chains.Order, over [][]byte) (chains.Draft, error) {
	f, err := c.faults(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.pass(f, f.Broadcast); err != nil {
		return nil, err
	}
	d, err := c.draft(order, c.replacing(over))
	if err != nil {
		return nil, err
	}
	return d, nil
}

func (c *chain) draft(order chains.Order, fee decimal.Decimal) (draft, error) {
	to, memo, err := destination(c.net, order.To, order.Memo)
	if err != nil {
		return draft{}, fmt.Errorf("%w: %w", chains.ErrUnpayable, err)
	}
	m := message{Network: c.net.Name, From: c.hot, To: to, Memo: memo, Token: order.Token, Amount: order.Amount, Fee: fee}
	return draft{chain: c, message: m}, nil
}
