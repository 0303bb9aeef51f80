package monero

import (
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"causeway/chains/monero/client"
	"causeway/chains/nodes"
)

// TestCoinsAtAddressesNotKnownYet: a wallet that was made in an earlier run has found an output at an address above those known here. It is
// a coin under its own name, since its spend would have none otherwise.
func TestCoinsAtAddressesNotKnownYet(t *testing.T) {
	t.Parallel()
	tx := recorded(t)
	c := &Connector{view: viewOf(t, recordedView)}
	c.node = recordedNode(t)
	c.extend(2) // the second output is at the third address
	e := entry{Units: 5e12, Key: hex.EncodeToString(tx.outs[1].key[:]), Txid: recordedID}
	e.At.Minor = 2
	coins, err := c.coinsOf(t.Context(), []entry{e})
	if err != nil || len(coins) != 1 || coins[0].id != recordedID+":1" {
		t.Fatalf("%+v, %v", coins, err)
	}
	e.At.Minor = mostKnown
	if _, err := c.coinsOf(t.Context(), []entry{e}); err == nil {
		t.Error("a wallet may name any address, and all before it are made known")
	}
}

// recordedNode is no node: it answers what a real one has answered about one transaction.
func recordedNode(t *testing.T) *nodes.Pool[*client.Client] {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/get_transactions" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(`{"status":"OK","txs":[{"tx_hash":"` + recordedID + `","pruned_as_hex":"` + recordedTx + `","prunable_hash":"` + recordedProofs + `"}]}`))
	}))
	t.Cleanup(s.Close)
	p := nodes.New([]string{s.URL}, nodes.Settings[*client.Client]{Timeout: time.Minute, Fault: client.FaultOf,
		Open: func(address string) *client.Client { return client.New(address, time.Minute) }})
	t.Cleanup(p.Close)
	return p
}
