package utxo_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains/nodes"
	"causeway/chains/utxo"
	"causeway/internal/dev/bitcoind"
	"causeway/internal/dev/coinfake"
)

// searches are the questions of a connector for coins.
type searches struct {
	sync.Mutex
	bodies [][]byte
}

// listen returns the address of a node behind something that hears its searches.
func (s *searches) listen(t *testing.T, node *bitcoind.Node) string {
	t.Helper()
	to, err := url.Parse(node.URL)
	check(t, err)
	password, _ := to.User.Password()
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.SetBasicAuth(to.User.Username(), password)
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte("scantxoutset")) {
			s.Lock()
			s.bodies = append(s.bodies, body)
			s.Unlock()
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// ranges are those of the last search, and how many other scripts it was for.
func (s *searches) ranges(t *testing.T) (out [][2]int, others int) {
	t.Helper()
	s.Lock()
	defer s.Unlock()
	body := s.bodies[len(s.bodies)-1]
	if len(body) > 5000 {
		t.Errorf("a search of %d bytes", len(body))
	}
	var question struct{ Params []json.RawMessage }
	var objects []json.RawMessage
	check(t, json.Unmarshal(body, &question))
	check(t, json.Unmarshal(question.Params[1], &objects))
	for _, o := range objects {
		var many struct{ Range [2]int }
		if json.Unmarshal(o, &many) != nil {
			others++
		} else {
			out = append(out, many.Range)
		}
	}
	return out, others
}

// TestCoinsAreSearchedInRanges: the node derives the deposit addresses itself, so a search is short however many there are. It takes so
// many in one range, and all ranges are of one search, and so of one block. Coins at the ends of ranges are found, as are those of the hot
// wallet and of a cold address of another form.
func TestCoinsAreSearchedInRanges(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"Bitcoin", "Litecoin", "BitcoinGold"} {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			node := realOrFake(t, network)
			heard := &searches{}
			l := on(t, node, func(c *utxo.Config) { c.RPC = nodes.Addresses{heard.listen(t, node)} })
			l.SearchInRanges(128)
			indexes := []uint32{0, 127, 128, 383, 384, 499}
			var of []string
			for i, index := range indexes {
				to, err := l.Derive(t.Context(), index)
				check(t, err)
				of = append(of, to)
				l.pay(t, to, decimal.New(1, int32(i)-3))
			}
			l.node.Mine(t, 1)
			height := l.node.Height(t)
			l.wantHeld(t, height, "111.111", of...)
			if got, others := heard.ranges(t); !slices.Equal(got, [][2]int{{0, 127}, {128, 255}, {256, 383}, {384, 499}}) || others != 1 {
				t.Errorf("ranges %v, and %d others", got, others)
			}
			far, err := l.Derive(t.Context(), 3000)
			check(t, err)
			l.pay(t, far, amount("7"))
			l.node.Mine(t, 1)
			l.SearchInRanges(0)
			l.wantHeld(t, height+1, "1118.111", append(of, far, l.Hot())...)
			if got, _ := heard.ranges(t); !slices.Equal(got, [][2]int{{0, 3999}}) {
				t.Errorf("ranges %v", got)
			}
		})
	}
}

// realOrFake starts a node, or a fake where there is none.
func realOrFake(t *testing.T, network string) *bitcoind.Node {
	t.Helper()
	for _, kind := range bitcoind.Kinds {
		if path, _ := kind.Where(t); kind.Network == network && path == "" && !kind.Packaged() {
			return bitcoind.At(t, network, coinfake.Start(t, network).URL)
		}
	}
	return bitcoind.Start(t, network)
}
