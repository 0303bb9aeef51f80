// Package coinfake has fakes of the four kin of Bitcoin that no package of Debian has: Dogecoin, BitcoinCash, BitcoinSV and
// BitcoinGold. A fake is not a node. It has no peers, no proof of work, and of all scripts it runs Bitcoin's own and payments to a
// key. It reads real transactions, keeps the set of unspent outputs, checks signatures, and refuses as its node does. A test holds
// its answers to recorded ones of real nodes.
package coinfake

import (
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Node is a fake that runs. It has no blocks but the first.
type Node struct {
	URL string // with its user and password

	mu sync.Mutex
	chain
}

// Start starts the fake of a network on regtest.
func Start(t testing.TB, network string) *Node {
	t.Helper()
	coin, ok := coins[network]
	if !ok {
		t.Fatalf("there is no fake of %q", network)
	}
	n := &Node{chain: newChain(coin)}
	server := httptest.NewServer(n)
	t.Cleanup(server.Close)
	n.URL = strings.Replace(server.URL, "://", "://test:test@", 1)
	return n
}
