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

// Prepare checks that the network takes such payouts and the wallet can pay them with their fee. Over earlier transactions
// they are dearer than all of these. Without an order the transaction pays nothing to the wallet itself.
func (c *chain) Prepare(ctx context.Context, spend chains.Spend) (chains.Draft, error) {
	if most := c.mostOrders(); len(spend.Orders) > most {
		return nil, fmt.Errorf("%s: %d orders, and a transaction pays at most %d", c.net.Name, len(spend.Orders), most)
	}
	if c.exclusion == chains.ByExpiry && len(spend.Over) > 0 {
		return nil, fmt.Errorf("%s: %w", c.net.Name, errFinal)
	}
	if spend.Gather != 0 && (c.exclusion != chains.ByCoins || spend.Gather < 0 || len(spend.Orders) > 0 || spend.From != nil) {
		return nil, fmt.Errorf("%s: only coins of the hot wallet are gathered, and without orders", c.net.Name)
	}
	m, err := c.spending(spend)
	if err != nil {
		return nil, err
	}
	d, err := c.draft(spend, m)
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
	held, err := c.purses.Do(ctx, holding{c.Match(d.message.From), d.token()}, c.readPurses)
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
		return c.withCoins(d, spend, held)
	}
	return c.withBalance(d, held)
}

// spending begins the message of a spend: its wallet and its fee. Earlier transactions of another wallet are an error.
func (c *chain) spending(spend chains.Spend) (message, error) {
	m := message{Network: c.net.Name, From: c.hot, Fee: baseFee}
	if w := spend.From; w != nil {
		if m.Index, m.From = &w.Index, c.sender(&w.Index); c.Match(m.From) != w.Address {
			return m, fmt.Errorf("%s: deposit address %d is %q, not %s", c.net.Name, w.Index, m.From, w.Address)
		}
	}
	for _, raw := range spend.Over {
		if earlier, err := c.decode(raw); err == nil && earlier.From != m.From {
			return m, fmt.Errorf("%s: what was signed before is of %s, not of this wallet, %s", c.net.Name, earlier.From, m.From)
		}
	}
	if len(spend.Over) > 0 {
		m.Fee = c.replacing(spend.Over)
	}
	return m, nil
}

// draft writes a spend down. Without an order it moves nothing to the wallet itself, or only the change.
func (c *chain) draft(spend chains.Spend, m message) (draft, error) {
	for _, o := range spend.Orders {
		to, memo, err := destination(c.net, o.To, o.Memo)
		if err != nil {
			return draft{}, fmt.Errorf("%w: %w", chains.ErrUnpayable, err)
		}
		if spend.From != nil && to == m.From {
			return draft{}, fmt.Errorf("%w: %s is the deposit address itself", chains.ErrUnpayable, to)
		}
		m.Outputs = append(m.Outputs, output{To: to, Memo: memo, Token: o.Token, Amount: o.Amount})
	}
	if len(spend.Orders) == 0 && c.exclusion != chains.ByCoins {
		m.Outputs = []output{{To: m.From, Token: c.net.Coin}}
	}
	d := draft{chain: c, message: m}
	if spend.Most && len(spend.Orders) == 1 && d.token() == c.net.Coin {
		return d, d.takeFee()
	}
	return d, nil
}

// smallest is of no token the greatest number of decimals, and below an amount of each.
var smallest = decimal.New(1, -18)

// takeFee takes the fee out of the order, of which something must be left.
func (d draft) takeFee() error {
	o := &d.message.Outputs[0]
	if o.Amount.LessThanOrEqual(d.message.Fee) && o.Amount.IsPositive() {
		return &chains.Short{Token: o.Token, Missing: d.message.Fee.Sub(o.Amount).Add(smallest)}
	}
	o.Amount = o.Amount.Sub(d.message.Fee)
	return nil
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
	if held.amount.LessThan(needed) {
		return nil, &chains.Short{Token: d.token(), Missing: needed.Sub(held.amount)}
	}
	if held.coins.LessThan(baseFee) {
		return nil, &chains.Short{Token: c.net.Coin, Missing: baseFee.Sub(held.coins)}
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

// holding is a wallet's balance of a token.
type holding struct {
	wallet string // in the spelling of Match
	token  string
}

// purse is the state of a wallet for a payout in one token.
type purse struct {
	faults   Faults
	decimals int32 // of the token; -1 when the network has no such token
	amount   decimal.Decimal
	coins    decimal.Decimal // for the fee
	untaken  uint64          // the nonce after the deducted ones
	top      int64           // the height
}

// readPurses answers for payouts prepared at the same time.
func (c *chain) readPurses(ctx context.Context, wanted []holding) ([]purse, error) {
	tokens := map[string][]string{} // by wallet
	for _, w := range wanted {
		tokens[w.wallet] = append(tokens[w.wallet], w.token)
	}
	found := map[holding]purse{}
	for wallet, symbols := range tokens {
		if err := c.readPurse(ctx, wallet, slices.Compact(slices.Sorted(slices.Values(symbols))), found); err != nil {
			return nil, fmt.Errorf("%s: %w: %w", c.net.Name, chains.ErrDown, err)
		}
	}
	out := make([]purse, len(wanted))
	for i, w := range wanted {
		out[i] = found[w]
	}
	return out, nil
}

// readPurse reads the state of one wallet for tokens.
func (c *chain) readPurse(ctx context.Context, wallet string, tokens []string, into map[holding]purse) error {
	err := c.ask(ctx, pursesQuery, []any{c.net.Name, wallet, tokens}, func(rows *sql.Rows) error {
		var token string
		var p purse
		if err := rows.Scan(&token, asJSON(&p.faults), &p.decimals, &p.amount, &p.coins, &p.untaken, &p.top); err != nil {
			return err
		}
		into[holding{wallet, token}] = p
		return nil
	})
	if err == nil && len(into) == 0 {
		err = errNoGenesis
	}
	return err
}
