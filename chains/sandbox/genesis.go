package sandbox

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/internal/pay"
)

// endowment is what the hot wallet gets of every token at the first block.
var endowment = decimal.New(1, 9)

// The statements of Genesis. Rows are made and locked in the order of their names.
const (
	makeNetworks = `insert into sandbox_networks (network, coin)
	select n.network, n.coin from jsonb_to_recordset(?::jsonb) as n(network text, coin text) order by 1
	on conflict do nothing`

	lockNetworks = `select network from sandbox_networks where network in (?) order by network for update`

	wantedTokens = `select network, symbol from tokens where network in (?)
	union select network, coin from sandbox_networks where network in (?)
	order by 1, 2`

	submitAll = `select count(sandbox_submit(x, false)) from jsonb_array_elements(?::jsonb) x`

	firstBlocks = `select sandbox_mine(array(select network from sandbox_networks where height = 0 and network in (?)), 1)`
)

// Genesis makes these networks where they are missing: a first block in which a faucet pays the hot wallet 1,000,000,000
// of every token of the catalogue. A token that joins the catalogue later is paid out through the mempool. Any number
// of processes may call it at every start.
func Genesis(ctx context.Context, db *bun.DB, networks ...pay.Network) error {
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
		if err := endow(ctx, tx, networks, names); err != nil {
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

// endow submits every funding transaction; those that are on the chain already are known there and change nothing.
func endow(ctx context.Context, tx bun.Tx, networks []pay.Network, names []string) error {
	var wanted []struct{ Network, Symbol string }
	if err := tx.NewRaw(wantedTokens, bun.List(names), bun.List(names)).Scan(ctx, &wanted); err != nil {
		return err
	}
	byName := make(map[string]pay.Network, len(networks))
	for _, n := range networks {
		byName[n.Name] = n
	}
	records := make([]record, len(wanted))
	for i, w := range wanted {
		records[i] = funding(byName[w.Network], w.Symbol)
	}
	return execJSON(ctx, tx, submitAll, records)
}

// funding is the transaction that gives the hot wallet its first tokens. It is always the same one.
func funding(n pay.Network, token string) record {
	txid := txidOf(n.Family, []byte("causeway sandbox genesis|"+n.Name+"|"+token))
	return fromFaucet(n, txid, hotWallet(n), "", token, endowment)
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
