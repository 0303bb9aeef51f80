package utxo

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"causeway/chains/utxo/client"
)

// TestAShownKeyIsNoSpend: whoever writes the hot wallet's key into an input has not spent a coin of it. The output that is spent decides.
func TestAShownKeyIsNoSpend(t *testing.T) {
	t.Parallel()
	d := drafting(t, "Dogecoin", "1000")
	other := d.sender.coin.ownScript(append([]byte{d.sender.hotKey[0] ^ 1}, d.sender.hotKey[1:]...))
	raws := map[string]string{}
	earlier := func(lock byte, script []byte) hash { // a transaction with one output
		raw := slices.Concat([]byte{1, 0, 0, 0, 1}, make([]byte, 36), []byte{0}, []byte{255, 255, 255, 255, 1}, []byte{9, 0, 0, 0, 0, 0, 0, 0},
			[]byte{byte(len(script))}, script, []byte{lock, 0, 0, 0})
		raws[double(raw).String()] = hex.EncodeToString(raw)
		return double(raw)
	}
	ours, strangers := earlier(1, d.sender.hotScript), earlier(2, other)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var many []struct {
			ID     int
			Params []json.RawMessage
		}
		body, _ := io.ReadAll(r.Body)
		if json.Unmarshal(body, &many) != nil {
			_, _ = fmt.Fprintf(w, `{"id":1,"result":%q}`, dogecoin.regtest.genesis)
			return
		}
		answers := make([]map[string]any, len(many))
		for i, q := range many {
			var name string
			_ = json.Unmarshal(q.Params[0], &name)
			answers[i] = map[string]any{"id": q.ID, "result": raws[name]}
		}
		_ = json.NewEncoder(w).Encode(answers)
	}))
	t.Cleanup(server.Close)
	cfg := Defaults("Dogecoin")
	c := &Connector{cfg: cfg, coin: &dogecoin, chain: dogecoin.regtest, hotKey: d.sender.hotKey, hotScript: d.sender.hotScript, hot: "hot"}
	c.node = client.New(server.URL, cfg.Timeout)
	spend := transaction{hash: double([]byte("spend")), ins: []input{{from: ours, key: d.sender.hotKey}, {from: strangers, key: d.sender.hotKey}}}
	shown := transaction{hash: double([]byte("shown")), ins: []input{{from: strangers, key: d.sender.hotKey}}}
	own, err := c.ownSpends(t.Context(), []transaction{spend, shown})
	if err != nil || len(own) != 1 || len(own[spend.hash]) != 1 || own[spend.hash][0].from != ours {
		t.Errorf("%v, %v", own, err)
	}
	if _, err := c.ownSpends(t.Context(), []transaction{{ins: []input{{from: ours, vout: 7, key: d.sender.hotKey}}}}); err == nil {
		t.Error("a coin that the node does not know is spent, and nothing is wrong")
	}
}
