package monero

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"causeway/chains/monero/client"
	"causeway/chains/nodes"
)

// fakeNode is no node: it has some blocks, one of which was recorded, and answers what a real one answers about them. It knows no others.
type fakeNode struct {
	blobs   map[int64][]byte
	blocks  map[int64]*parsedBlock
	best    int64
	txs     map[string]map[string]any // by id
	mempool []string
	verdict map[string]any // on a transaction that it is sent
	url     string
}

const recordedHeight = 91

// recordedNode has ten blocks around the recorded one.
func recordedNode(t *testing.T) *fakeNode {
	t.Helper()
	f := &fakeNode{blobs: map[int64][]byte{}, blocks: map[int64]*parsedBlock{}, best: recordedHeight + 5,
		txs: map[string]map[string]any{recordedID: {"tx_hash": recordedID, "pruned_as_hex": recordedTx, "prunable_hash": recordedProofs,
			"block_height": recordedHeight, "in_pool": false}}}
	raw, err := hex.DecodeString(recordedBlock)
	if err != nil {
		t.Fatal(err)
	}
	for height := int64(recordedHeight - 4); height <= f.best; height++ {
		if height != recordedHeight {
			f.put(t, height, blockOf(raw, height))
		}
	}
	f.put(t, recordedHeight, raw)
	s := httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(s.Close)
	f.url = s.URL
	return f
}

// put has the node have a block at a height.
func (f *fakeNode) put(t *testing.T, height int64, blob []byte) {
	t.Helper()
	b, ok := parseBlock(blob)
	if !ok || b.height != height {
		t.Fatalf("block %d cannot be read: %+v", height, b)
	}
	f.blobs[height], f.blocks[height] = blob, b
}

// blockOf is the recorded block at another height, with some transactions beside the miner's.
func blockOf(recorded []byte, height int64, ids ...hash) []byte {
	at := slices.Index(recorded[43:], madeInput) + 43 + 1
	blob := binary.AppendUvarint(slices.Clone(recorded[:at]), uint64(height))
	blob = append(blob, recorded[at+1:len(recorded)-33]...)
	blob = append(blob, byte(len(ids)))
	for _, id := range ids {
		blob = append(blob, id[:]...)
	}
	return blob
}

// pool asks the node, and more of them after it.
func (f *fakeNode) pool(t *testing.T, more ...*fakeNode) *nodes.Pool[*client.Client] {
	t.Helper()
	log := logrus.New()
	log.SetOutput(t.Output())
	urls := []string{f.url}
	for _, m := range more {
		urls = append(urls, m.url)
	}
	p := nodes.New(urls, nodes.Settings[*client.Client]{Timeout: time.Minute, Fault: client.FaultOf, Log: log,
		Open: func(address string) *client.Client { return client.New(address, time.Minute) }})
	t.Cleanup(p.Close)
	return p
}

func (f *fakeNode) serve(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Method string
		Params struct{ Height int64 }
		Ids    []string `json:"txs_hashes"`
	}
	answer := map[string]any{}
	switch err := json.NewDecoder(r.Body).Decode(&asked); {
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	case r.URL.Path == "/send_raw_transaction":
		if answer = f.verdict; answer == nil {
			http.Error(w, "away", http.StatusBadGateway)
			return
		}
	case r.URL.Path == "/get_transaction_pool_hashes":
		answer = map[string]any{"status": "OK", "tx_hashes": f.mempool}
	case r.URL.Path == "/get_transactions":
		answer = f.transactions(asked.Ids)
	default:
		answer["result"] = f.call(asked.Method, asked.Params.Height)
		if answer["result"] == nil {
			answer["error"] = map[string]any{"code": -2, "message": fmt.Sprintf("Requested block height: %d greater than current top block height", asked.Params.Height)}
		}
	}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		panic(err)
	}
}

func (f *fakeNode) transactions(ids []string) map[string]any {
	found := []any{}
	for _, id := range ids {
		if tx, is := f.txs[id]; is {
			found = append(found, tx)
		}
	}
	return map[string]any{"status": "OK", "txs": found}
}

// call answers one question of JSON-RPC; nil for an error.
func (f *fakeNode) call(method string, height int64) any {
	switch method {
	case "get_info":
		return map[string]any{"height": f.best + 1, "target_height": 0, "nettype": "fakechain", "status": "OK"}
	case "get_last_block_header":
		height = f.best
	case "get_block", "get_block_header_by_height":
	default:
		return nil
	}
	b, has := f.blocks[height]
	if !has {
		return nil
	}
	header := map[string]any{"hash": b.id.String(), "prev_hash": b.parent.String(), "height": height, "timestamp": b.made}
	return map[string]any{"status": "OK", "block_header": header, "blob": hex.EncodeToString(f.blobs[height])}
}
