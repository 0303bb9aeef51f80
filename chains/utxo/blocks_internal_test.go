package utxo

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/nodes"
)

// fullBlock makes a block as full as those of Bitcoin's main chain: 4,000 transactions, 1.6 MB.
func fullBlock(t testing.TB) (name string, raw []byte) {
	t.Helper()
	var body bytes.Buffer
	level := make([]hash, 4000)
	for i := range level {
		tx := wire.NewMsgTx(2)
		at := wire.NewOutPoint((*chainhash.Hash)(new(double(binary.BigEndian.AppendUint32(nil, uint32(i))))), uint32(i%3))
		if i == 0 {
			at = wire.NewOutPoint(&chainhash.Hash{}, 0xffffffff)
		}
		key := double([]byte{byte(i), byte(i >> 8)})
		for range 1 + i%2*2 {
			in := wire.NewTxIn(at, nil, [][]byte{make([]byte, 71), append([]byte{2}, key[:]...)})
			if i == 0 {
				in = wire.NewTxIn(at, []byte{3, 1, 2, 3}, nil)
			}
			tx.AddTxIn(in)
		}
		for j := range 3 {
			payee := double(key[:], []byte{byte(j)})
			tx.AddTxOut(wire.NewTxOut(int64(1000+i), append([]byte{0, 20}, payee[:20]...)))
		}
		if err := tx.Serialize(&body); err != nil {
			t.Fatal(err)
		}
		level[i] = hash(tx.TxHash())
	}
	root, _ := merkleRoot(level)
	header := make([]byte, 80)
	copy(header[36:], root[:])
	binary.LittleEndian.PutUint32(header[68:], 1_700_000_000)
	return double(header).String(), slices.Concat(header, []byte{0xfd, 0xa0, 0x0f}, body.Bytes())
}

// BenchmarkBlocks reads full blocks of Bitcoin from a node that answers at once.
func BenchmarkBlocks(b *testing.B) {
	name, raw := fullBlock(b)
	text := hex.EncodeToString(raw)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Method string }
		question, _ := io.ReadAll(r.Body)
		if json.Unmarshal(question, &q) != nil { // the hashes of a block and of an old one, together
			_, _ = io.WriteString(w, `[{"id":1,"result":"`+name+`"},{"id":2,"result":"`+name+`"}]`)
			return
		}
		switch q.Method {
		case "getblockhash":
			_, _ = io.WriteString(w, `{"id":1,"result":"`+bitcoin.regtest.genesis+`"}`)
		case "getblock":
			_, _ = io.WriteString(w, `{"id":1,"result":"`+text+`"}`)
		}
	}))
	b.Cleanup(server.Close)
	cfg := Defaults("Bitcoin")
	cfg.RPC, cfg.Chain = nodes.Addresses{server.URL}, regtestChain
	var err error
	if cfg.XPub, err = addresses.AccountXPub([]byte("causeway tests: never fund this!"), bitcoin.account); err != nil {
		b.Fatal(err)
	}
	c, err := Open(b.Context(), cfg, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		blocks, err := c.Blocks(b.Context(), 500, 1)
		if err != nil || len(blocks) != 1 || len(blocks[0].Transfers) < 11_000 {
			b.Fatalf("%d blocks, %v", len(blocks), err)
		}
	}
}

// What a script without an address takes is told: a transaction that pays one is no mere collection of deposits.
func TestAScriptWithoutAddressIsPaid(t *testing.T) {
	t.Parallel()
	c := &Connector{cfg: Defaults("Dogecoin"), coin: coins["Dogecoin"]}
	const toAnyone, unspendable = "\x51", "\x6a"
	paid := c.transfers(nil, &transaction{outs: []output{{units: 7, script: []byte(toAnyone)}, {script: []byte(unspendable), vout: 1}}}, "spend")
	require.Equal(t, []chains.Transfer{{Txid: "spend", Token: "DOGE", Amount: amountOf(7)}}, paid)
}
