package utxo

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"causeway/chains/addresses"
	"causeway/chains/nodes"
	"causeway/chains/utxo/client"
)

// dataSize is the data in one transaction of a large block, and largeTxs is how many there are: some 180 MB.
const (
	dataSize = 2 << 20
	largeTxs = 90
)

// largeBlock makes the hex of a block of BitcoinSV full of data, in pieces: what comes first, what is repeated largeTxs times with a number
// in it, and the hash. Its last payment is for the script.
func largeBlock(t *testing.T, script, longProof []byte) (name string, write func(io.Writer)) {
	t.Helper()
	data := bytes.Repeat([]byte{0x6a, 7}, dataSize/2)
	of := func(number uint32) *wire.MsgTx {
		at := wire.NewOutPoint((*chainhash.Hash)(new(double(binary.AppendUvarint(nil, uint64(number))))), number)
		if number == 0 {
			at = wire.NewOutPoint(&chainhash.Hash{}, wire.MaxPrevOutIndex)
		}
		tx := wire.NewMsgTx(1)
		tx.AddTxIn(wire.NewTxIn(at, []byte{1, 2, 3}, nil))
		tx.AddTxOut(wire.NewTxOut(0, data))
		tx.LockTime = number
		return tx
	}
	last := of(largeTxs)
	last.TxIn[0].SignatureScript = longProof
	last.AddTxOut(wire.NewTxOut(700, script))
	level := make([]hash, 0, largeTxs+1)
	for i := range uint32(largeTxs) {
		level = append(level, hash(of(i).TxHash()))
	}
	level = append(level, hash(last.TxHash()))
	root, _ := merkleRoot(level)
	header := make([]byte, 80)
	copy(header[36:], root[:])
	return double(header).String(), func(w io.Writer) {
		out := hex.NewEncoder(w)
		_, _ = out.Write(slices.Concat(header, []byte{0xfd, (largeTxs + 1) & 0xff, (largeTxs + 1) >> 8}))
		for i := range uint32(largeTxs) {
			_ = of(i).Serialize(out)
		}
		_ = last.Serialize(out)
	}
}

// TestALargeBlockTakesLittleMemory: a block of 180 MB is read as it comes, and its data is not held. A payment in it is seen.
func TestALargeBlockTakesLittleMemory(t *testing.T) {
	payee := append(append([]byte{0x76, 0xa9, 20}, make([]byte, 20)...), 0x88, 0xac)
	proof := make([]byte, 400_000)
	name, write := largeBlock(t, payee, proof)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"result":"`)
		write(w)
		_, _ = io.WriteString(w, `","error":null,"id":1}`)
	}))
	t.Cleanup(server.Close)
	node := client.New(server.URL, 5*time.Minute)
	t.Cleanup(node.Close)
	ended, peak := make(chan struct{}), make(chan uint64)
	go func() { peak <- highest(ended) }()
	var b *block
	err := node.Raw(context.Background(), func(r io.Reader) (err error) {
		b, err = bitcoinSV.readBlock(r, name, 900_000, false)
		return err
	}, "getblock", name, 0)
	close(ended)
	if most := <-peak; most > 64<<20 {
		t.Errorf("%d MB were in use", most>>20)
	}
	if err != nil || len(b.txs) != largeTxs+1 {
		t.Fatal(err)
	}
	last := &b.txs[largeTxs]
	if !bytes.Equal(last.outs[1].script, payee) || last.outs[0].script != nil {
		t.Errorf("%+v", last)
	}
}

// highest is the most memory in use until something has ended, beyond that at first.
func highest(ended <-chan struct{}) (most uint64) {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	first := m.HeapInuse
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapInuse-min(first, m.HeapInuse))
		select {
		case <-ended:
			return most
		case <-tick.C:
		}
	}
}

// TestLongScripts: of a script that is too long for an address nothing is kept but the key at its end.
func TestLongScripts(t *testing.T) {
	t.Parallel()
	key := append([]byte{3}, bytes.Repeat([]byte{5}, 32)...)
	for name, c := range map[string]struct {
		script []byte
		shown  bool
	}{
		"at the end":               {append(make([]byte, 5000), key...), true},
		"at the start":             {append(bytes.Clone(key), make([]byte, 5000)...), false},
		"across two parts":         {slices.Concat(make([]byte, 4080), key, make([]byte, 5000)), false},
		"across two parts, later":  {slices.Concat(make([]byte, 4096+4096-endSize-10), key, make([]byte, 5000)), false},
		"nowhere":                  {make([]byte, 9000), false},
		"but for its last byte":    {slices.Concat(make([]byte, 4080), key[:32], make([]byte, 5000)), false},
		"short, in the middle":     {slices.Concat(make([]byte, 50), key, make([]byte, 50)), false},
		"as long as is kept whole": {slices.Concat(key, make([]byte, longest-len(key))), false},
	} {
		tx := wire.NewMsgTx(1)
		tx.AddTxIn(wire.NewTxIn(wire.NewOutPoint(&chainhash.Hash{1}, 0), c.script, nil))
		tx.AddTxOut(wire.NewTxOut(1, c.script))
		var raw bytes.Buffer
		if err := tx.Serialize(&raw); err != nil {
			t.Fatal(err)
		}
		r := blockReader(strings.NewReader(raw.String()))
		got := r.transaction()
		in := &got.ins[0]
		if !r.ended() || got.hash != hash(tx.TxHash()) || (in.key != nil && bytes.Equal(in.key, key)) != c.shown {
			t.Errorf("%s: %+v", name, in)
		}
		if kept := got.outs[0].script; len(c.script) > longest && kept != nil || len(c.script) <= longest && !bytes.Equal(kept, c.script) {
			t.Errorf("%s: %d bytes are kept of an output", name, len(kept))
		}
	}
}

// TestFullBlocksAreReadFewAtATime: a step holds the payments of a few full blocks, or of many that are nearly empty.
func TestFullBlocksAreReadFewAtATime(t *testing.T) {
	t.Parallel()
	_, full := fullBlock(t)
	var empty bytes.Buffer
	tx := wire.NewMsgTx(1)
	tx.AddTxIn(wire.NewTxIn(wire.NewOutPoint(&chainhash.Hash{}, wire.MaxPrevOutIndex), []byte{1, 2, 3}, nil))
	tx.AddTxOut(wire.NewTxOut(5, nil))
	id := tx.TxHash()
	_ = tx.Serialize(&empty)
	for name, c := range map[string]struct {
		block []byte
		want  int
	}{
		"full":  {full, 3},
		"empty": {slices.Concat(make([]byte, 36), id[:], make([]byte, 12), []byte{1}, empty.Bytes()), 25},
	} {
		l := chainOf(t, c.block, 25)
		blocks, err := l.Blocks(t.Context(), 50, 100)
		if err != nil || len(blocks) != c.want {
			t.Errorf("%s: %d blocks, want %d, %v", name, len(blocks), c.want, err)
		}
		if blocks, err := l.Blocks(t.Context(), 50, 2); err != nil || len(blocks) != 2 {
			t.Errorf("%s: %d blocks of 2, %v", name, len(blocks), err)
		}
		if blocks, err := l.Blocks(t.Context(), 75, 100); err != nil || len(blocks) != 0 {
			t.Errorf("%s: %d blocks above the best, %v", name, len(blocks), err)
		}
	}
}

// chainOf is a connector of a node with a block again and again, from height 50 on.
func chainOf(t *testing.T, block []byte, times int) *Connector {
	t.Helper()
	names, texts := make([]string, times), map[string]string{}
	var parent hash
	for i := range names {
		copy(block[4:], parent[:])
		parent = double(block[:80])
		names[i] = parent.String()
		texts[names[i]] = hex.EncodeToString(block)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		type question struct {
			ID     int
			Method string
			Params []any
		}
		var one question
		var many []question
		answer := func(q question) string {
			at, _ := q.Params[0].(float64)
			switch {
			case q.Method == "getblock":
				return fmt.Sprintf(`{"id":%d,"result":"%s"}`, q.ID, texts[q.Params[0].(string)])
			case at == 0:
				return fmt.Sprintf(`{"id":%d,"result":"%s"}`, q.ID, bitcoin.regtest.genesis)
			case int(at) >= 50+times:
				return fmt.Sprintf(`{"id":%d,"error":{"code":-8,"message":"Block height out of range"}}`, q.ID)
			}
			return fmt.Sprintf(`{"id":%d,"result":"%s"}`, q.ID, names[int(at)-50])
		}
		if json.Unmarshal(body, &one) == nil {
			_, _ = io.WriteString(w, answer(one))
			return
		}
		_ = json.Unmarshal(body, &many)
		var out []string
		for _, q := range many {
			out = append(out, answer(q))
		}
		_, _ = io.WriteString(w, "["+strings.Join(out, ",")+"]")
	}))
	t.Cleanup(server.Close)
	cfg := Defaults("Bitcoin")
	cfg.RPC, cfg.Chain = nodes.Addresses{server.URL}, regtestChain
	var err error
	if cfg.XPub, err = addresses.AccountXPub([]byte("causeway tests: never fund this!"), bitcoin.account); err != nil {
		t.Fatal(err)
	}
	c, err := Open(t.Context(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
