package sandbox

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/internal/pay"
)

// Funds is how many USD the first holdings of a hot wallet are worth, of each token, where nothing says otherwise (SANDBOX_FUNDS).
var Funds = decimal.New(100_000, 0)

// unpriced is the assumed price of a token without one, in USD.
var unpriced = decimal.New(100, 0)

// The statements of Genesis. Rows are made and locked in the order of their names.
const (
	makeNetworks = `insert into sandbox_networks (network, coin)
	select n.network, n.coin from jsonb_to_recordset(?::jsonb) as n(network text, coin text) order by 1
	on conflict do nothing`

	lockNetworks = `select network from sandbox_networks where network in (?) order by network for update`

	wantedTokens = `select t.network, t.symbol, coalesce(p.fixed, p.price, 0) as price from (
		select network, symbol from tokens where network in (?) union select network, coin from sandbox_networks where network in (?)) t
	left join prices p on p.base = t.symbol and p.quote = 'USD'
	order by 1, 2`

	submitAll = `select count(sandbox_submit(x, false)) from jsonb_array_elements(?::jsonb) x`

	firstBlocks = `select sandbox_mine(array(select network from sandbox_networks where height = 0 and network in (?)), 1)`
)

// Genesis makes missing networks. In a network's first block a faucet pays the hot wallet an amount of every token of the
// catalogue, worth funds USD by the fixed prices, and rounded to its first digit. A token added to the catalogue later is paid
// out through the mempool. Any number of processes may call it at every start.
func Genesis(ctx context.Context, db *bun.DB, funds decimal.Decimal, networks ...pay.Network) error {
	if len(networks) == 0 {
		return nil
	}
	err := db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		names := make([]string, len(networks))
		rows := make([]map[string]string, len(networks))
		for i, n := range networks {
			names[i] = n.Name
			rows[i] = map[string]string{"network": n.Name, "coin": n.Coin}
		}
		if err := execJSON(ctx, tx, makeNetworks, rows); err != nil {
			return err
		}
		if _, err := tx.NewRaw(lockNetworks, bun.List(names)).Exec(ctx); err != nil {
			return err
		}
		if err := endow(ctx, tx, funds, networks, names); err != nil {
			return err
		}
		_, err := tx.NewRaw(firstBlocks, bun.List(names)).Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("genesis of the sandbox networks: %w", err)
	}
	return nil
}

// endow submits every funding transaction; those on the chain already are known there and change nothing.
func endow(ctx context.Context, tx bun.Tx, funds decimal.Decimal, networks []pay.Network, names []string) error {
	var wanted []struct {
		Network, Symbol string
		Price           decimal.Decimal
	}
	if err := tx.NewRaw(wantedTokens, bun.List(names), bun.List(names)).Scan(ctx, &wanted); err != nil {
		return err
	}
	byName := make(map[string]pay.Network, len(networks))
	for _, n := range networks {
		byName[n.Name] = n
	}
	records := make([]record, len(wanted))
	for i, w := range wanted {
		records[i] = funding(byName[w.Network], w.Symbol, endowment(funds, w.Price))
	}
	return execJSON(ctx, tx, submitAll, records)
}

// endowment is how much of a token the hot wallet gets.
func endowment(funds, price decimal.Decimal) decimal.Decimal {
	if !price.IsPositive() {
		price = unpriced
	}
	exact := funds.Div(price)
	return exact.Round(1 - int32(exact.NumDigits()) - exact.Exponent())
}

// funding is the payment of a token's first amount to the hot wallet. It always has the same txid, so only the first counts.
func funding(n pay.Network, token string, amount decimal.Decimal) record {
	txid := txidOf(n.Family, []byte("causeway sandbox genesis|"+n.Name+"|"+token))
	return fromFaucet(n, txid, hotWallet(n), "", token, amount)
}

func fromFaucet(n pay.Network, txid, to, memo, token string, amount decimal.Decimal) record {
	from := faucet(n)
	return record{
		Network: n.Name, Txid: txid, Sender: from, SenderMatch: match(n, from),
		Recipient: to, RecipientMatch: match(n, to), Memo: memo, Token: token, Amount: amount,
	}
}

func execJSON(ctx context.Context, tx bun.Tx, query string, argument any) error {
	content, err := json.Marshal(argument)
	if err != nil {
		return err
	}
	_, err = tx.NewRaw(query, string(content)).Exec(ctx)
	return err
}
