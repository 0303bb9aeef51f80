package utxo

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/btcsuite/btcd/wire/v2"

	"causeway/chains/utxo/client"
)

// oneTransaction answers for one transaction, several questions together or one alone. It is a fake of a node that knows no other.
func oneTransaction(t *testing.T, tx *wire.MsgTx) string {
	t.Helper()
	var raw bytes.Buffer
	if err := tx.Serialize(&raw); err != nil {
		t.Fatal(err)
	}
	text := hex.EncodeToString(raw.Bytes())
	type question struct {
		ID     int
		Params []any
	}
	answer := func(w io.Writer, q question) {
		if q.Params[0] == tx.TxHash().String() {
			_, _ = fmt.Fprintf(w, `{"id":%d,"error":null,"result":"%s"}`, q.ID, text)
			return
		}
		_, _ = fmt.Fprintf(w, `{"id":%d,"result":null,"error":{"code":-5,"message":"No such mempool or blockchain transaction"}}`, q.ID)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var one question
		var many []question
		if json.Unmarshal(body, &many) != nil {
			_ = json.Unmarshal(body, &one)
			answer(w, one)
			return
		}
		for i, q := range many {
			_, _ = io.WriteString(w, []string{"[", ","}[min(i, 1)])
			answer(w, q)
		}
		_, _ = io.WriteString(w, "]")
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestLargeTransactionsAreReadOneByOne: a stranger's transaction of many megabytes keeps nobody from reading the others, and its data is
// not held.
func TestLargeTransactionsAreReadOneByOne(t *testing.T) {
	t.Parallel()
	d := drafting(t, "BitcoinSV", "1", 1000)
	c := d.sender.Connector
	tx := wire.NewMsgTx(1)
	tx.AddTxIn(wire.NewTxIn(&wire.OutPoint{Index: 7}, []byte{1, 2, 3}, nil))
	tx.AddTxOut(wire.NewTxOut(700, c.hotScript))
	tx.AddTxOut(wire.NewTxOut(0, make([]byte, mostTogether/2+1)))
	node := client.New(oneTransaction(t, tx), time.Minute)
	t.Cleanup(node.Close)
	v := view{c, client.Node{Client: node}}
	id, other := hash(tx.TxHash()), double([]byte("unknown"))
	found, err := v.transactions(t.Context(), []hash{other, id})
	if err != nil || len(found) != 1 || found[id] == nil {
		t.Fatalf("%v, %v", found, err)
	}
	if outs := found[id].outs; outs[0].units != 700 || !bytes.Equal(outs[0].script, c.hotScript) || outs[1].script != nil {
		t.Errorf("%d units", outs[0].units)
	}
	unknown := input{from: id, vout: 2}
	if _, err := v.spentBy(t.Context(), []input{unknown}); err == nil {
		t.Error("it has no third output")
	}
}
