package lists_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/lists"
	"causeway/internal/store"
)

// searched makes payins of one merchant, numbered 1000 to 3999, each with an address and a transfer.
const searched = `with n as (select n, lpad(n::text, 32, '0')::uuid as id from generate_series(1000, 3999) n),
	m as (insert into merchants (id, name, webhook_secret) values (lpad('', 32, '0')::uuid, 'Shop', 's') returning id as merchant),
	a as (insert into addresses (family, match, address, position, payin_id) select 'evm', 'to' || n, 'to' || n, n, id from n),
	p as (insert into payins (id, merchant_id, reference_id, wallet, token, asset, network, process_by, amount, fiat_currency, percent_rate,
		pays_network_fee, network_fee, minimum_payment, webhook_url, status, expires_at)
		select id, merchant, 'r' || n, 'to' || n, 'ETH', 'ETH', 'Ethereum', 'crypto_amount', 3, 'USD', 0, false, 0, 100, 'https://a.b', 'completed', now() from n, m)
	insert into transfers (id, network, txid, token, position, address, amount, payin_id, status, height)
		select id, 'Ethereum', 'tx' || n, 'ETH', 0, 'to' || n, 3, id, 'final', 7 from n`

// A word finds everything beginning with it, exact matches first. Nothing else is read.
//
// Covers operator §Console: The first four characters
func TestSearchByTheBeginning(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	s.DB.SetMaxOpenConns(1)
	exec(t, s.DB, searched)
	exec(t, s.DB, "insert into keys (id, merchant_id, hash) select 'key-' || n, lpad('', 32, '0')::uuid, decode(lpad(n::text, 64, '0'), 'hex') from generate_series(1000, 1005) n")
	exec(t, s.DB, "vacuum analyze")
	find := func(word string) (kinds, subs []string) {
		hits, err := lists.Search(t.Context(), s, word, 20)
		require.NoError(t, err)
		for _, h := range hits {
			if h.Kind == "merchant" { // its id here is zero, as of any word other than an id
				continue
			}
			kinds, subs = append(kinds, h.Kind), append(subs, h.Sub)
		}
		return kinds, subs
	}
	many := func(kind string, n int) (out []string) {
		for range n {
			out = append(out, kind)
		}
		return out
	}
	for word, want := range map[string][]string{
		"r1234":   {"payin"},
		"R1234":   nil,
		"r123":    many("payin", 10),
		"r12":     nil, // three characters are nobody's beginning
		"tx1234":  {"payin", "transfer"},
		"tx123":   append(many("payin", 10), many("transfer", 10)...),
		"to1234":  {"payin"},
		"TO1234":  {"payin"},
		"to123":   many("payin", 10),
		"key-":    many("key", 6),
		"key-100": many("key", 6),
		"r123%":   nil,
		"r999":    nil,
	} {
		rows, _ := testkit.Touched(t, s.DB)
		kinds, _ := find(word)
		after, _ := testkit.Touched(t, s.DB)
		require.Equal(t, want, kinds, word)
		require.Less(t, after-rows, 700, "%s: 3000 payins are not meant", word)
	}
	exec(t, s.DB, "update payins set reference_id = 'r123' where reference_id = 'r1000'")
	_, subs := find("r123")
	require.Equal(t, "r123 · completed", subs[0], "the word itself comes first")
	require.Len(t, subs, 11)
}
