package sandbox

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"causeway/chains"
)

// reach is a range of the chain as it was read.
type reach struct {
	height  int64
	minedAt time.Time
	faults  Faults
	forks   []fork
	moves   []moved
}

// readReach reads the blocks of two heights and between them.
func (c *chain) readReach(ctx context.Context, from, last int64) (r reach, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w: %w", c.net.Name, chains.ErrDown, err)
		}
	}()
	rows, err := c.db.QueryContext(ctx, blocksQuery, c.net.Name, from, last)
	if err != nil {
		return reach{}, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	return scanReach(rows)
}

func scanReach(rows *sql.Rows) (r reach, err error) {
	err = errNoGenesis
	for rows.Next() {
		var m moved
		var faults, forks sql.RawBytes
		if err := rows.Scan(&r.height, &r.minedAt, &faults, &forks, &m.Txid, &m.Token, &m.From, &m.To, &m.Memo, &m.Amount, &m.Height,
			&m.MinedAt, &m.Place, &m.Ours, &m.Coins, &m.Beside, &m.Cost); err != nil {
			return r, err
		}
		if errors.Is(err, errNoGenesis) { // the first row: the others say the same
			err = errors.Join(json.Unmarshal(faults, &r.faults), json.Unmarshal(forks, &r.forks))
		}
		if m.Txid != "" {
			r.moves = append(r.moves, m)
		}
	}
	return r, errors.Join(err, rows.Err())
}

// blocks makes blocks of a range read. An empty block's time is nowhere written: it is the time of the next known one.
func (c *chain) blocks(r reach, from, to int64) []chains.Block {
	if to < from {
		return nil
	}
	out := make([]chains.Block, to-from+1)
	times := make([]time.Time, len(out))
	for i := range out {
		height := from + int64(i)
		out[i] = chains.Block{Height: height, Hash: blockHash(c.net, r.forks, height), Parent: blockHash(c.net, r.forks, height-1)}
	}
	for _, m := range r.moves {
		i := m.Height - from
		times[i] = m.MinedAt
		if m.Amount.IsPositive() {
			out[i].Transfers = append(out[i].Transfers, m.transfer())
		}
		out[i].Transfers = append(out[i].Transfers, m.besides(c.net.Coin)...)
		out[i].Costs = append(out[i].Costs, m.costs()...)
		out[i].Spent = append(out[i].Spent, m.spent()...)
		if c.exclusion == chains.ByExpiry {
			out[i].Sent = append(out[i].Sent, chains.Sending{Txid: m.Txid, From: c.Match(m.From)})
		}
	}
	now := r.minedAt
	for i := len(out) - 1; i >= 0; i-- {
		if !times[i].IsZero() {
			now = times[i]
		}
		out[i].Time = now
	}
	return out
}
