package sandbox

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/chains"
)

const (
	statusQuery = "select top, broken, known, stands, mined, cost, (" + forksSelect + "$1) from sandbox_status($1, $2)"

	// The balance spendable now, less the amounts received above the height, plus those not yet sent by then.
	holdingsQuery = `select n.faults, (select coalesce(jsonb_object_agg(h.address, h.amount), '{}') from (
		select x.address, sum(x.amount) as amount from (
			select h.address, h.amount from sandbox_holdings h where h.network = n.network and h.token = ? and h.address in (?)
			union all
			select t.recipient_match, -t.amount from sandbox_transactions t
			where t.network = n.network and t.state = 'mined' and t.height > ? and t.token = ? and t.recipient_match in (?)
			union all
			select t.recipient_match, t.cost - t.beside from sandbox_transactions t
			where t.network = n.network and t.state = 'mined' and t.height > ? and t.beside > 0 and n.coin = ? and t.recipient_match in (?)
			union all
			select t.sender_match, case when t.token = ? then t.amount else 0 end + case when n.coin = ? then t.fee else 0 end
			from sandbox_transactions t
			where t.network = n.network and (t.state = 'mined' and t.height > ? or t.state = 'pending' and t.height is null)
			and t.nonce is not null and t.coins is null and t.place = 0 and t.sender_match in (?)
			union all
			select c.address, c.amount from sandbox_transactions t, lateral sandbox_coins(t.network, t.coins) c
			where t.network = n.network and (t.state = 'mined' and t.height > ? or t.state = 'pending' and t.height is null)
			and t.coins is not null and c.token = ? and c.address in (?)) x
		group by x.address) h)
	from sandbox_networks n where n.network = ?`
)

// states translates the words of the table. A dropped or replaced transaction is unknown to a node.
var states = map[string]chains.TxState{"pending": chains.TxPending, "mined": chains.TxMined, "rejected": chains.TxRejected}

// Status returns the states of transactions; those unknown to the network are missing.
func (c *chain) Status(ctx context.Context, txids []string) (map[string]chains.TxStatus, error) {
	out := make(map[string]chains.TxStatus, len(txids))
	if len(txids) == 0 {
		return out, nil
	}
	var f Faults
	var forks []fork
	asked := false
	for _, txid := range txids {
		out[txid] = chains.TxStatus{State: chains.TxMissing}
	}
	err := c.ask(ctx, statusQuery, []any{c.net.Name, txids}, func(rows *sql.Rows) error {
		var top int64
		var txid, state *string
		var height *int64
		var fee decimal.NullDecimal
		var faults, shown sql.RawBytes
		err := rows.Scan(&top, &faults, &txid, &state, &height, &fee, &shown)
		if err == nil && !asked { // the first row: the others say the same
			asked, err = true, errors.Join(json.Unmarshal(faults, &f), json.Unmarshal(shown, &forks))
		}
		if err == nil && txid != nil {
			out[*txid] = c.statusOf(states[*state], height, fee.Decimal, top, forks)
		}
		return err
	})
	if err == nil && !asked {
		err = errNoGenesis
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", c.net.Name, chains.ErrDown, err)
	}
	return out, c.pass(f, f.Scan)
}

func (c *chain) statusOf(state chains.TxState, height *int64, fee decimal.Decimal, top int64, forks []fork) chains.TxStatus {
	if state != chains.TxMined {
		return chains.TxStatus{State: state}
	}
	return chains.TxStatus{State: state, Height: *height, Block: blockHash(c.net, forks, *height), Fee: fee, Final: *height <= headAt(top).Final}
}

// Holdings returns each address's balance of a token once the block at height was mined.
func (c *chain) Holdings(ctx context.Context, token string, addresses []string, height int64) ([]decimal.Decimal, error) {
	if len(addresses) == 0 {
		return nil, nil
	}
	matches := make([]string, len(addresses))
	for i, a := range addresses {
		matches[i] = c.Match(a)
	}
	ours := bun.List(matches)
	var f Faults
	var held map[string]decimal.Decimal
	args := []any{token, ours, height, token, ours, height, token, ours, token, token, height, ours, height, token, ours, c.net.Name}
	if err := c.read(ctx, holdingsQuery, args, asJSON(&f), asJSON(&held)); err != nil {
		return nil, err
	}
	if err := c.pass(f, f.Scan); err != nil {
		return nil, err
	}
	out := make([]decimal.Decimal, len(matches))
	for i, match := range matches {
		out[i] = held[match]
	}
	return out, nil
}
