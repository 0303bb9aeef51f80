package skeleton

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"causeway/chains/chaintest"
)

// fakeNode is a node with a chain in memory. Blocks come by mine and reorg alone.
type fakeNode struct {
	sync.Mutex
	url    string
	blocks []block // by height
	pool   []transfer
	made   int // blocks and transactions, for hashes
}

func startNode(t *testing.T) *fakeNode {
	t.Helper()
	n := &fakeNode{}
	n.mine(t, 1)
	server := httptest.NewServer(n)
	t.Cleanup(server.Close)
	n.url = server.URL
	return n
}

// ServeHTTP answers /head, /blocks and /hash.
func (n *fakeNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.Lock()
	defer n.Unlock()
	number := func(name string) int { i, _ := strconv.Atoi(r.FormValue(name)); return i }
	var answer any
	switch at := n.at(number("at")); r.URL.Path {
	case "/head":
		answer = map[string]any{"Best": n.blocks[len(n.blocks)-1], "At": at}
	case "/blocks":
		from := min(number("from"), len(n.blocks))
		answer = n.blocks[from:min(from+number("limit"), len(n.blocks))]
	case "/hash":
		answer = ""
		top := slices.IndexFunc(n.blocks, func(b block) bool { return b.Hash == r.FormValue("below") })
		if at != nil && (!r.Form.Has("below") || int(at.Height) <= top) {
			answer = at.Hash
		}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func (n *fakeNode) at(height int) *block {
	if height < 0 || height >= len(n.blocks) {
		return nil
	}
	return &n.blocks[height]
}

func (n *fakeNode) name() string {
	n.made++
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strconv.Itoa(n.made))))
}

func (n *fakeNode) pay(_ testing.TB, p chaintest.Payment) string {
	n.Lock()
	defer n.Unlock()
	t := transfer{Txid: n.name(), To: p.To, Units: p.Amount.Shift(decimals).IntPart()}
	n.pool = append(n.pool, t)
	return t.Txid
}

func (n *fakeNode) mine(_ testing.TB, blocks int) {
	n.Lock()
	defer n.Unlock()
	for range blocks {
		b := block{Height: int64(len(n.blocks)), Hash: n.name(), Transfers: n.pool}
		b.Time = time.Date(2026, 1, 1, 0, 0, int(b.Height), 0, time.UTC)
		if below := n.at(len(n.blocks) - 1); below != nil {
			b.Parent = below.Hash
		}
		n.blocks, n.pool = append(n.blocks, b), nil
	}
}

func (n *fakeNode) reorg(t testing.TB, depth int, drop ...string) {
	n.Lock()
	kept := len(n.blocks) - depth
	for _, b := range n.blocks[kept:] {
		n.pool = append(n.pool, b.Transfers...)
	}
	n.pool = slices.DeleteFunc(n.pool, func(t transfer) bool { return slices.Contains(drop, t.Txid) })
	n.blocks = n.blocks[:kept:kept]
	n.Unlock()
	n.mine(t, depth+1)
}
