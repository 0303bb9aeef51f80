package utxo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/nodes"
)

// mainNode answers for a few blocks of a main chain: hashes by height, and raw headers by hash.
func mainNode(t *testing.T, hashes map[int64]string, headers map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Method string
			Params []json.RawMessage
		}
		_ = json.NewDecoder(r.Body).Decode(&q)
		var height int64
		var name string
		_ = json.Unmarshal(q.Params[0], &height)
		_ = json.Unmarshal(q.Params[0], &name)
		answer := hashes[height]
		if q.Method == "getblockheader" {
			answer = headers[name]
		}
		if answer == "" {
			_, _ = io.WriteString(w, `{"id":1,"error":{"code":-8,"message":"Block height out of range"}}`)
			return
		}
		_, _ = fmt.Fprintf(w, `{"id":1,"result":%q}`, answer)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestKinHaveOneFirstBlock: Bitcoin, BitcoinCash, BitcoinSV and BitcoinGold have the same first block, so a later one tells them apart. A
// node that has not read so far is no proof of another chain.
func TestKinHaveOneFirstBlock(t *testing.T) {
	t.Parallel()
	first := bitcoin.main.genesis
	bitcoins, cashs, svs := bitcoin.main.fork, bitcoinCash.main.fork, bitcoinSV.main.fork
	gold := recorded(t, "bitcoingold").AfterFork
	header := unhex(t, gold.Raw)
	r := readerOf(header)
	goldHeaderOf(r, true)
	rest, _ := io.ReadAll(r.from)
	golden := strings.TrimSuffix(gold.Raw, fmt.Sprintf("%x", rest))
	plainRaw := unhex(t, golden)[:80]
	plainName := double(plainRaw).String()
	other := strings.Repeat("0", 63) + "7"
	for _, c := range []struct {
		network string
		hashes  map[int64]string
		headers map[string]string
		want    error
		says    string
	}{
		{"Bitcoin", map[int64]string{0: first, bitcoins.height: bitcoins.hash}, nil, nil, ""},
		{"Bitcoin", map[int64]string{0: first, bitcoins.height: other, cashs.height: cashs.hash}, nil, ErrChain, "its block 840000"},
		{"Bitcoin", map[int64]string{0: first}, nil, chains.ErrDown, "still syncing"},
		{"BitcoinCash", map[int64]string{0: first, cashs.height: cashs.hash}, nil, nil, ""},
		{"BitcoinCash", map[int64]string{0: first, cashs.height: other, bitcoins.height: bitcoins.hash}, nil, ErrChain, "its block 661648"},
		{"BitcoinSV", map[int64]string{0: first, svs.height: svs.hash}, nil, nil, ""},
		{"BitcoinSV", map[int64]string{0: first, svs.height: other}, nil, ErrChain, "its block 556767"},
		{"BitcoinGold", map[int64]string{0: first, 491_407: gold.Decoded.Hash}, map[string]string{gold.Decoded.Hash: golden}, nil, ""},
		{"BitcoinGold", map[int64]string{0: first, 491_407: plainName}, map[string]string{plainName: fmt.Sprintf("%x", plainRaw)}, ErrChain, "no header of BitcoinGold"},
		{"BitcoinGold", map[int64]string{0: first}, nil, chains.ErrDown, "still syncing"},
		{"Litecoin", map[int64]string{0: litecoin.main.genesis}, nil, nil, ""},
		{"Litecoin", map[int64]string{0: first}, nil, ErrChain, "its first block"},
		{"Dogecoin", map[int64]string{0: dogecoin.main.genesis}, nil, nil, ""},
		{"Dogecoin", map[int64]string{0: litecoin.main.genesis}, nil, ErrChain, "its first block"},
	} {
		cfg := Defaults(c.network)
		cfg.RPC, cfg.AcceptRisk, cfg.Start = nodes.Addresses{mainNode(t, c.hashes, c.headers)}, true, 1
		var err error
		if cfg.XPub, err = addresses.AccountXPub([]byte("causeway tests: never fund this!"), coins[c.network].account); err != nil {
			t.Fatal(err)
		}
		opened, err := Open(t.Context(), cfg, nil)
		if errors.Is(c.want, ErrChain) {
			if !errors.Is(err, ErrChain) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s %v: opens with %v", c.network, c.hashes, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %v: %v", c.network, c.hashes, err)
			continue
		}
		err = opened.nodes.Ready(t.Context())
		if !errors.Is(err, c.want) || err != nil && (errors.Is(err, ErrChain) || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s %v: %v, want %v", c.network, c.hashes, err, c.want)
		}
	}
}
