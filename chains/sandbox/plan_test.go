package sandbox_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"causeway/chains"
)

// A statement planned by a connection while the simulated network was empty reads its own rows, and not the whole network.
func TestPlansOfAnEmptyNetwork(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(n *chains.Network, db *bun.DB, number int) error{
		"submit": func(_ *chains.Network, db *bun.DB, number int) error {
			_, err := db.ExecContext(t.Context(), together, "["+submission(fmt.Sprint("mine", number), number, 1, false)+"]")
			return err
		},
		"submit coins": func(_ *chains.Network, db *bun.DB, number int) error {
			spends := strings.Replace(submission(fmt.Sprint("mine", number), number, 1, false), "{", fmt.Sprintf(`{"coins": ["tx%d:0"], `, 999+number), 1)
			_, err := db.ExecContext(t.Context(), together, "["+spends+"]")
			return err
		},
		"mine": func(_ *chains.Network, db *bun.DB, _ int) error {
			_, err := db.ExecContext(t.Context(), "select sandbox_mine('{Ethereum}', 1)")
			return err
		},
		"status": func(n *chains.Network, _ *bun.DB, number int) error {
			found, err := n.Watcher.Status(t.Context(), []string{fmt.Sprint("tx", number), "unknown"})
			require.Len(t, found, 2)
			return err
		},
		"prepare": func(n *chains.Network, _ *bun.DB, _ int) error {
			o := chains.Order{To: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", Token: "USDT", Amount: decimal.NewFromInt(1)}
			_, err := n.Sender.Prepare(t.Context(), one(o))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, db := open(t, "Ethereum")
			db.SetMaxOpenConns(1)
			execute := func(query string, args ...any) {
				t.Helper()
				_, err := db.ExecContext(t.Context(), query, args...)
				require.NoError(t, err)
			}
			many := func(first, count int, state string) {
				t.Helper()
				execute(`insert into sandbox_transactions (network, txid, sender, sender_match, nonce, recipient, recipient_match, token, amount, state, height)
					select 'Ethereum', 'tx' || n, 'other', 'other', n, 'shop', 'shop', 'USDT', 1, ?2, case ?2 when 'mined' then 1 end
					from generate_series(?0::int, ?0 + ?1 - 1) n`, first, count, state)
				execute(`insert into sandbox_holdings select 'Ethereum', 'holder' || n, 'USDT', 1 from generate_series(?0::int, ?0 + ?1 - 1) n`, first, count)
			}
			for _, table := range []string{"sandbox_transactions", "sandbox_holdings"} {
				execute("alter table " + table + " set (autovacuum_enabled = off)")
			}
			execute("insert into sandbox_holdings values ('Ethereum', 'payer', 'USDT', 100), ('Ethereum', 'payer', 'ETH', 1)")
			execute("analyze")
			many(1, 1, "pending")
			require.NoError(t, run(n, db, 1))
			many(1000, 500, "mined")
			many(10, 1, "pending")

			before := fetched(t, db)
			require.NoError(t, run(n, db, 10))
			require.Less(t, fetched(t, db)-before, 50, "500 are not meant")
		})
	}
}

// fetched returns how many rows of the simulated networks a test's only connection has read by now.
func fetched(t *testing.T, db *bun.DB) (rows int) {
	t.Helper()
	for _, q := range []string{"select pg_stat_force_next_flush()", "select pg_stat_clear_snapshot()"} {
		_, err := db.ExecContext(t.Context(), q)
		require.NoError(t, err)
	}
	require.NoError(t, db.NewRaw(`select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) from pg_stat_user_tables
		where relname in ('sandbox_transactions', 'sandbox_holdings')`).Scan(t.Context(), &rows))
	return rows
}
