package sandbox_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"
)

// submission writes a payment of the payer's for sandbox_submit_all.
func submission(txid string, nonce, amount int, reject bool) string {
	return fmt.Sprintf(`{"network": "Ethereum", "txid": %q, "sender": "payer", "sender_match": "payer", "nonce": %d, "recipient": "shop",
		"recipient_match": "shop", "memo": "", "token": "USDT", "amount": %d, "fee": 0.1, "reject": %t}`, txid, nonce, amount, reject)
}

// valid gives a submission its last block.
func valid(submission string, until int) string {
	return strings.Replace(submission, "{", fmt.Sprintf(`{"until": %d, `, until), 1)
}

const (
	together = "select unnest(sandbox_submit_all(?::jsonb))"
	inTurn   = `select sandbox_submit(x, (x->>'reject')::boolean) from jsonb_array_elements(?::jsonb) with ordinality as g(x, n) order by n`
)

// submitted returns the answers of a way to submit, and the rows it leaves in the tables; nothing of it lasts.
func submitted(t *testing.T, db *bun.DB, query, txs string) (answers []string, left string) {
	t.Helper()
	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, tx.NewRaw(query, txs).Scan(t.Context(), &answers))
	require.NoError(t, tx.NewRaw(`select coalesce((select string_agg(concat_ws(' ', txid, nonce, amount, fee, state), ', ' order by txid) from sandbox_transactions), '')
		|| '; ' || (select string_agg(concat_ws(' ', token, amount::float8), ', ' order by token) from sandbox_holdings where address = 'payer')`).Scan(t.Context(), &left))
	require.NoError(t, tx.Rollback())
	return answers, left
}

// Transactions submitted together have the same outcome as one after the other.
func TestWhatIsSubmittedTogetherEndsAsInTurn(t *testing.T) {
	t.Parallel()
	_, db := open(t, "Ethereum")
	for _, q := range []string{
		"insert into sandbox_holdings values ('Ethereum', 'payer', 'USDT', 100), ('Ethereum', 'payer', 'ETH', 1)",
		"select sandbox_submit('" + submission("before", 0, 10, false) + "', false)",
	} {
		_, err := db.ExecContext(t.Context(), q)
		require.NoError(t, err)
	}
	for name, c := range map[string]struct {
		group []string
		want  []string
	}{
		"all new":         {[]string{submission("a", 1, 40, false), submission("b", 2, 50, false)}, []string{"sent", "sent"}},
		"one rejected":    {[]string{submission("a", 1, 40, true), submission("b", 2, 50, false)}, []string{"rejected", "sent"}},
		"one known":       {[]string{submission("before", 0, 10, false), submission("b", 1, 50, false)}, []string{"known", "sent"}},
		"one twice":       {[]string{submission("a", 1, 40, false), submission("a", 1, 40, false)}, []string{"sent", "known"}},
		"one nonce twice": {[]string{submission("a", 1, 40, false), submission("b", 1, 50, false)}, []string{"sent", "rejected"}},
		"a nonce taken":   {[]string{submission("a", 1, 40, false), submission("b", 0, 50, false)}, []string{"sent", "rejected"}},
		"another's id":    {[]string{submission("before", 1, 40, false), submission("b", 2, 50, false)}, []string{"known", "sent"}},
		"over":            {[]string{valid(submission("a", 1, 40, false), 1), valid(submission("b", 1, 50, false), 2)}, []string{"over", "sent"}},
		"one number twice, by expiry": {[]string{valid(submission("a", 1, 40, false), 2), valid(submission("b", 1, 50, false), 2)},
			[]string{"sent", "sent"}},
		"one of coins": {[]string{submission("a", 1, 40, false), strings.Replace(submission("b", 2, 50, false), "{", `{"coins": ["a:0"], `, 1)},
			[]string{"sent", "missing"}},
		"too little": {[]string{submission("a", 1, 40, false), submission("b", 2, 51, false), submission("c", 3, 50, false)},
			[]string{"sent", "short", "sent"}},
	} {
		txs := "[" + strings.Join(c.group, ",") + "]"
		answers, left := submitted(t, db, together, txs)
		require.Equal(t, c.want, answers, name)
		alone, same := submitted(t, db, inTurn, txs)
		require.Equal(t, c.want, alone, name)
		require.Equal(t, same, left, name)
	}
}
