package sandbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

const pursesQuery = "select wanted, broken, digits, held, coins, untaken, top from sandbox_purses($1, $2, $3)"

// errFinal says that nothing is signed in place of earlier bytes here: only time excludes them.
var errFinal = errors.New("no transaction replaces another on this network")

// Prepare checks that the network takes such payouts and the hot wallet can pay them with their fee. Over earlier transactions
// they are dearer than all of these. Without an order the transaction pays nothing to the hot wallet itself.
func (c *chain) Prepare(ctx context.Context, spend chains.Spend) (chains.Draft, error) {
	if most := c.mostOrders(); len(spend.Orders) > most {
		return nil, fmt.Errorf("%s: %d orders, and a transaction pays at most %d", c.net.Name, len(spend.Orders), most)
	}
	if c.exclusion == chains.ByExpiry && len(spend.Over) > 0 {
		return nil, fmt.Errorf("%s: %w", c.net.Name, errFinal)
	}
	d, err := c.draft(spend)
	if err != nil {
		return nil, err
	}
	if c.exclusion == chains.ByNumber && (len(spend.Over) > 0 || len(spend.Orders) == 0) {
		f, err := c.faults(ctx)
		if err != nil {
			return nil, err
		}
		if err := c.pass(f, f.Broadcast); err != nil {
			return nil, err
		}
		return d, nil
	}
	held, err := c.purses.Do(ctx, d.token(), c.readPurses)
	if err != nil {
		return nil, err
	}
	if err := c.pass(held.faults, held.faults.Broadcast); err != nil {
		return nil, err
	}
	if err := c.payable(spend.Orders, held.decimals); err != nil {
		return nil, err
	}
	if c.exclusion == chains.ByCoins {
		return c.withCoins(d, spend.Over, held)
	}
	return c.withBalance(d, held)
}

// draft writes a spend down. Without an order it moves nothing to the hot wallet, or only the change.
func (c *chain) draft(spend chains.Spend) (draft, error) {
	m := message{Network: c.net.Name, From: c.hot, Fee: baseFee}
	if len(spend.Over) > 0 {
		m.Fee = c.replacing(spend.Over)
	}
	for _, o := range spend.Orders {
		to, memo, err := destination(c.net, o.To, o.Memo)
		if err != nil {
			return draft{}, fmt.Errorf("%w: %w", chains.ErrUnpayable, err)
		}
		m.Outputs = append(m.Outputs, output{To: to, Memo: memo, Token: o.Token, Amount: o.Amount})
	}
	if len(spend.Orders) == 0 && c.exclusion != chains.ByCoins {
		m.Outputs = []output{{To: c.hot, Token: c.net.Coin}}
	}
	return draft{chain: c, message: m}, nil
}

// token is the token of the orders, or the coin.
func (d draft) token() string {
	if len(d.message.Outputs) == 0 {
		return d.chain.net.Coin
	}
	return d.message.Outputs[0].Token
}

// payable checks that the network has such amounts.
func (c *chain) payable(orders []chains.Order, decimals int32) error {
	for _, o := range orders {
		if decimals < 0 || !o.Amount.IsPositive() || !o.Amount.Equal(o.Amount.Truncate(decimals)) || c.exclusion == chains.ByCoins && o.Token != c.net.Coin {
			return fmt.Errorf("%w: %s has no amount %s %s", chains.ErrUnpayable, c.net.Name, o.Amount, o.Token)
		}
	}
	return nil
}

// withBalance completes the draft of one order for a wallet with a balance.
func (c *chain) withBalance(d draft, held purse) (chains.Draft, error) {
	needed := d.message.Outputs[0].Amount
	if d.token() == c.net.Coin {
		needed = needed.Add(baseFee)
	}
	if held.amount.LessThan(needed) || held.coins.LessThan(baseFee) {
		return nil, fmt.Errorf("%w: %s of %s %s on %s", chains.ErrShort, held.amount, needed, d.token(), c.net.Name)
	}
	d.spare = chains.Spare{Token: held.amount.Sub(needed), Coin: held.coins.Sub(baseFee), Untaken: &held.untaken}
	if d.token() == c.net.Coin {
		d.spare.Coin = d.spare.Token
	}
	if c.exclusion == chains.ByExpiry {
		until := headAt(held.top).Final + expiry
		d.message.Until, d.spare.From, d.spare.Untaken = &until, new(uint64), nil
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
	top      int64           // the height
}

// readPurses answers for payouts prepared at the same time.
func (c *chain) readPurses(ctx context.Context, tokens []string) ([]purse, error) {
	found := map[string]purse{}
	wanted := slices.Compact(slices.Sorted(slices.Values(tokens)))
	err := c.ask(ctx, pursesQuery, []any{c.net.Name, c.match, wanted}, func(rows *sql.Rows) error {
		var token string
		var p purse
		if err := rows.Scan(&token, asJSON(&p.faults), &p.decimals, &p.amount, &p.coins, &p.untaken, &p.top); err != nil {
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
