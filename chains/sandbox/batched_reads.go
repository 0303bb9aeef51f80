package sandbox

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"causeway/internal/batch/gather"
)

// batchedReads answers simultaneous questions of several networks' followers, in one statement for each kind. A statement sees
// one moment of every chain.
type batchedReads struct {
	db     *bun.DB
	heads  gather.Group[string, *headSeen]
	ranges gather.Group[blockRange, *rangeSeen]
}

// headSeen is where a network stands.
type headSeen struct {
	height  int64
	minedAt time.Time
	faults  Faults
	forks   []fork
}

// blockRange is a range of blocks of a network.
type blockRange struct {
	network     string
	first, last int64
}

// rangeSeen is a range as it was read, but for its transactions.
type rangeSeen struct {
	reach
	busy bool // it has transactions
}

const (
	headsQuery = `select a.n, n.height, n.mined_at, n.faults, ` + forksColumn + `
	from unnest(?0::text[]) with ordinality as a(network, n) join sandbox_networks n on n.network = a.network`

	rangeQuery = `select a.n, n.height, n.mined_at, n.faults, ` + forksColumn + `,
	exists (select from sandbox_transactions t where t.network = n.network and t.height between a.first and a.last and t.state = 'mined')
	from unnest(?0::text[], ?1::bigint[], ?2::bigint[]) with ordinality as a(network, first, last, n) join sandbox_networks n on n.network = a.network`
)

// readHeads returns where networks stand; nil for one without genesis.
func (l *batchedReads) readHeads(ctx context.Context, networks []string) ([]*headSeen, error) {
	out := make([]*headSeen, len(networks))
	return out, l.each(ctx, func(rows *sql.Rows) error {
		var n int
		var seen headSeen
		if err := rows.Scan(&n, &seen.height, &seen.minedAt, asJSON(&seen.faults), asJSON(&seen.forks)); err != nil {
			return err
		}
		out[n-1] = &seen
		return nil
	}, headsQuery, pgdialect.Array(networks))
}

// readRanges returns the state of ranges of blocks; nil for one of a network without genesis.
func (l *batchedReads) readRanges(ctx context.Context, asked []blockRange) ([]*rangeSeen, error) {
	networks, firsts, lasts := make([]string, len(asked)), make([]int64, len(asked)), make([]int64, len(asked))
	for i, s := range asked {
		networks[i], firsts[i], lasts[i] = s.network, s.first, s.last
	}
	out := make([]*rangeSeen, len(asked))
	return out, l.each(ctx, func(rows *sql.Rows) error {
		var n int
		var seen rangeSeen
		var faults, forks sql.RawBytes
		if err := rows.Scan(&n, &seen.height, &seen.minedAt, &faults, &forks, &seen.busy); err != nil {
			return err
		}
		out[n-1] = &seen
		return errors.Join(json.Unmarshal(faults, &seen.faults), json.Unmarshal(forks, &seen.forks))
	}, rangeQuery, pgdialect.Array(networks), pgdialect.Array(firsts), pgdialect.Array(lasts))
}

func (l *batchedReads) each(ctx context.Context, do func(*sql.Rows) error, query string, args ...any) error {
	rows, err := l.db.QueryContext(ctx, query, args...)
	return eachRow(rows, err, do)
}
