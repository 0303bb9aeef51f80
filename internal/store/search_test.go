package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
)

// A word finds what begins with it, what is the word itself first. What else there is, is not read.
//
// Covers operator §Console: The first four characters
func TestSearchByTheBeginning(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	s.DB.SetMaxOpenConns(1)
	exec(t, s.DB, planPaid, 1000, 3000, "final", "completed")
	exec(t, s.DB, "insert into keys (id, merchant_id, hash) select 'key-' || n, lpad('', 32, '0')::uuid, decode(lpad(n::text, 64, '0'), 'hex') from generate_series(1000, 1005) n")
	exec(t, s.DB, "update transfers set network = 'Ethereum'") // as the catalogue has it
	exec(t, s.DB, "vacuum analyze")
	find := func(word string) (kinds, subs []string) {
		hits, err := s.Search(t.Context(), word, 20)
		require.NoError(t, err)
		for _, h := range hits {
			if h.Kind == "merchant" { // its id here is zero, as of a word that is no id
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
		rows, _ := touched(t, s)
		kinds, _ := find(word)
		after, _ := touched(t, s)
		require.Equal(t, want, kinds, word)
		require.Less(t, after-rows, 700, "%s: 3000 payins are not meant", word)
	}
	exec(t, s.DB, "update payins set reference_id = 'r123' where reference_id = 'r1000'")
	_, subs := find("r123")
	require.Equal(t, "r123 · completed", subs[0], "the word itself comes first")
	require.Len(t, subs, 11)
}
