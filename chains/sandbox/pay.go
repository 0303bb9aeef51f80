package sandbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"

	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/chains"
	"causeway/internal/pay"
)

// Payment is money from outside: from the network's faucet to an address.
type Payment struct {
	Network, Token, To string
	Amount             decimal.Decimal
	Memo               string // "" = none, or the tag within the address
	Txid               string // "" = chosen by the network
	// Beside is coin that comes along and is no payment, Cost what the network then takes of it from the recipient, as where contracts
	// are called. Not where coins are spent whole.
	Beside, Cost decimal.Decimal
}

var txidForm = regexp.MustCompile(`^[0-9A-Za-z_.:-]{1,128}$`)

// ReadTxid reads a chosen txid.
func ReadTxid(text string) (string, error) {
	if !txidForm.MatchString(text) {
		return "", fmt.Errorf("%q is no txid, which has 1 to 128 letters, digits or one of _ . : -", text)
	}
	return text, nil
}

// ErrKnown says that a chosen txid is taken.
var ErrKnown = errors.New("already has a transaction")

// Pay puts a payment into the mempool and returns its txid. A txid already on the network is an error. After a reorganisation
// has dropped it, the same payment may be made once more.
func (o Operator) Pay(ctx context.Context, p Payment) (txid string, err error) {
	n, err := called(p.Network)
	if err != nil {
		return "", err
	}
	to, memo, err := destination(n, p.To, p.Memo)
	if err != nil {
		return "", fmt.Errorf("pay on %s: %w", n.Name, err)
	}
	if p.Txid != "" {
		if _, err := ReadTxid(p.Txid); err != nil {
			return "", err
		}
	}
	token, err := o.token(ctx, n, p.Token, p.Amount)
	if err != nil {
		return "", err
	}
	if p.Beside.IsPositive() && exclusionOf(n.Family) == chains.ByCoins {
		return "", fmt.Errorf("on %s no coin comes beside a payment", n.Name)
	}
	err = o.locked(ctx, n, func(ctx context.Context, tx bun.Tx) error {
		if txid = p.Txid; txid == "" {
			if txid, err = nextTxid(ctx, tx, n); err != nil {
				return err
			}
		}
		r := fromFaucet(n, txid, to, memo, token, p.Amount)
		r.Beside, r.Cost = p.Beside, p.Cost
		answer, err := submit(ctx, tx, r)
		if err == nil && answer != sent {
			err = fmt.Errorf("%s %w %s", n.Name, ErrKnown, txid)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return txid, nil
}

// token checks that the chain has such an amount of the token and returns its symbol.
func (o Operator) token(ctx context.Context, n pay.Network, symbol string, amount decimal.Decimal) (string, error) {
	var decimals int32
	const query = `select symbol, decimals from tokens where network = ? and lower(symbol) = lower(?) order by symbol = ? desc limit 1`
	err := o.DB.NewRaw(query, n.Name, symbol, symbol).Scan(ctx, &symbol, &decimals)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", fmt.Errorf("there is no token %s on %s", symbol, n.Name)
	case err != nil:
		return "", fmt.Errorf("read the token: %w", err)
	case !amount.IsPositive():
		return "", errors.New("the amount must be more than zero")
	case !amount.Equal(amount.Truncate(decimals)):
		return "", fmt.Errorf("%s on %s has %d decimals", symbol, n.Name, decimals)
	}
	return symbol, nil
}

func nextTxid(ctx context.Context, tx bun.Tx, n pay.Network) (string, error) {
	var number int64
	const query = `update sandbox_networks set payments = payments + 1 where network = ? returning payments`
	if err := tx.NewRaw(query, n.Name).Scan(ctx, &number); err != nil {
		return "", fmt.Errorf("number the payment: %w", err)
	}
	return txidOf(n.Family, fmt.Appendf(nil, "causeway sandbox payment|%s|%d", n.Name, number)), nil
}
