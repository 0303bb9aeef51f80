package api

import (
	"encoding/csv"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// manyMovements gives the merchant n deposits of 1, 2, 3 and so on, seven at each moment.
func (s *shop) manyMovements(n int) {
	s.t.Helper()
	s.exec(`with made as (insert into entries (subject, kind, turn, digest)
			select gen_random_uuid(), 'unclaimed_assigned', 0, '\x' from generate_series(1, ?1) returning id)
		insert into postings (id, created_at, from_account, to_account, merchant_id, asset, amount, movement, balance_after, network, types)
		select id * 16 + 1, now() - id / 7 * interval '1 second', 1, 2, ?0, 'USDT', row_number() over (order by id), 'DEPOSIT', 0, 'Tron', 'DEPOSIT' from made`,
		s.merchant, n)
}

func (s *shop) csvRequest(target string) *http.Request {
	r := request(http.MethodGet, target, s.key, "")
	r.Header.Set("Accept", "text/csv")
	return r
}

// A CSV has every movement of its filter once, in order, however many pieces it is read in; a requested page stays a page.
//
// Covers api-v1 §Extensions: A CSV has every movement of the filter
// Covers api-v1 §Extensions: With page or per_page
// Covers api-v1 §Extensions: bom is 1 or true
func TestACSVHasEveryMovement(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	const movements = 2*linesOfPiece + 3
	s.manyMovements(movements)
	var ordered []string
	s.read(&ordered, "select p.id::text from postings p where p.merchant_id = ? order by p.created_at desc, p.id desc", s.merchant)
	for query, want := range map[string]int{
		"": movements, "?page=": movements, "?balance=USDT&network=Tron&type=deposit": movements, "?min_amount=3": movements - 2, "?max_amount=500": 500,
		"?type=DEPOSIT&direction=out": 0, "?reference_id=nobody": 0, "?per_page=100": 100, "?page=2": 50, "?page=1": 50, "?bom=0": movements,
	} {
		a := ask(t, s.front, s.csvRequest("/v1/statements"+query))
		rows, err := csv.NewReader(strings.NewReader(a.text)).ReadAll()
		require.NoError(t, err, query)
		require.Len(t, rows, want+1, query)
		seen := map[string]bool{}
		for i, row := range rows[1:] {
			seen[row[0]] = true
			if want == movements && row[0] != ordered[i] {
				t.Fatalf("%s: line %d is %s and not %s", query, i, row[0], ordered[i])
			}
		}
		require.Len(t, seen, want, query)
	}
	marked := ask(t, s.front, s.csvRequest("/v1/statements?max_amount=2&bom=1"))
	require.True(t, strings.HasPrefix(marked.text, "\ufeffid,type,"), marked.text)
	page := ask(t, s.front, s.csvRequest("/v1/statements?per_page=1&bom=true"))
	require.True(t, strings.HasPrefix(page.text, "\ufeffid,type,"), page.text)
	ask(t, s.front, s.csvRequest("/v1/statements?bom=yes")).is(t, 400, "invalid_format")
	ask(t, s.front, s.csvRequest("/v1/statements?date_from=2024-01-01&date_to=2026-01-01")).is(t, 400, "date_range_too_wide")
}

// pieceTaker is a client doing something between one piece and the next.
type pieceTaker struct {
	*httptest.ResponseRecorder
	taken func()
}

func (p pieceTaker) Write(piece []byte) (int, error) {
	p.taken()
	return p.ResponseRecorder.Write(piece)
}

// taking returns how an answer to a client ended: nil, or the panic ending the connection.
func (s *shop) taking(taken func()) (end any) {
	defer func() { end = recover() }()
	s.front.ServeHTTP(pieceTaker{httptest.NewRecorder(), taken}, s.csvRequest("/v1/statements"))
	return nil
}

// A client taking a piece keeps no place and no connection from others. An answer unable to go on is broken off: a revoked key
// reads no further, and a client never takes a part for the whole.
//
// Covers api-v1 §Extensions: A CSV that cannot be read to its end
// Covers addendum §10: A whole CSV is read in pieces
func TestAWholeCSVIsReadInPieces(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.manyMovements(linesOfPiece + 1)
	pieces := 0
	require.Nil(t, s.taking(func() {
		pieces++
		s.operations.Queries.long.mu.Lock()
		defer s.operations.Queries.long.mu.Unlock()
		require.Empty(t, s.operations.Queries.long.of, "a place is kept while the client reads")
		require.Zero(t, s.db.DB.Stats().InUse, "a connection is kept while the client reads")
	}))
	require.Equal(t, 2, pieces)
	pieces = 0
	end := s.taking(func() {
		pieces++
		s.exec("update keys set revoked_at = now()")
	})
	require.Equal(t, http.ErrAbortHandler, end)
	require.Equal(t, 1, pieces)
	require.Contains(t, s.log.String(), "a statement was broken off")
}
