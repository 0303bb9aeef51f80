package coinfake

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"

	"causeway/internal/dev/bitcoind"
)

var record = flag.Bool("record", false, "write down what the real nodes in the folder NODES say at the edges")

// scripts are outputs of every kind that wallets make, and some that none does.
var scripts = []struct{ kind, script string }{
	{"a key's hash", "76a914" + twenty + "88ac"},
	{"a script's hash", "a914" + twenty + "87"},
	{"a script's hash of 32 bytes", "aa20" + thirtyTwo + "87"},
	{"a witness to a key's hash", "0014" + twenty},
	{"a witness to a script's hash", "0020" + thirtyTwo},
	{"a witness of version 1", "5120" + thirtyTwo},
	{"a key", "210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798ac"},
	{"data", "6a0401020304"},
	{"100 bytes of data", "6a4c64" + hundred},
	{"a script that nobody knows", "7551"},
}

var (
	twenty    = strings.Repeat("11", 20)
	thirtyTwo = strings.Repeat("22", 32)
	hundred   = strings.Repeat("33", 100)
)

// edges are the answers of a node at the edges: to the smallest outputs of each kind, to tokens, and to long requests.
func edges(t *testing.T, n *bitcoind.Node) map[string]any {
	t.Helper()
	out := map[string]any{"tokens": tokens(t, n)} // first: they are made of a miner's coin
	for _, s := range scripts {
		out["the least to "+s.kind] = least(t, n, s.script)
	}
	out["a search of coins"] = searched(t, n)
	for _, length := range []int{31 << 20, 32<<20 - 1, 32 << 20, 33 << 20} {
		out[fmt.Sprintf("a request of %d bytes", length)] = long(t, n, length)
	}
	return out
}

// least looks for the smallest amount that a node passes on, and says why it takes no less.
func least(t *testing.T, n *bitcoind.Node, script string) string {
	t.Helper()
	taken, refused := int64(2_000_001), int64(-1)
	var why error
	for taken-refused > 1 {
		value := (taken + refused) / 2
		if taken > 2_000_000 {
			value = 2_000_000
		}
		_, err := n.Offer(t, func(wire.OutPoint) []bitcoind.Output { return []bitcoind.Output{{Script: unhex(script), Value: value}} })
		switch {
		case err == nil:
			taken = value
			n.Mine(t, 1)
		case value == 2_000_000:
			return "none: " + err.Error()
		default:
			refused, why = value, err
		}
	}
	if why == nil {
		return fmt.Sprint(taken)
	}
	return fmt.Sprintf("%d, below it %v", taken, why)
}

// tokens makes tokens out of nothing, and asks for the output that has them. Where they are unknown, such an output is a script of its own.
func tokens(t *testing.T, n *bitcoind.Node) any {
	t.Helper()
	txid, err := n.Offer(t, func(of wire.OutPoint) []bitcoind.Output {
		category := hex.EncodeToString(of.Hash[:])
		return []bitcoind.Output{
			{Script: unhex("ef" + category + "10fd1027" + "76a914" + twenty + "88ac"), Value: 2_000_000},
			{Script: unhex("ef" + category + "71" + "03abcdef" + "01" + "76a914" + twenty + "88ac"), Value: 2_000_000},
		}
	})
	if err != nil {
		return err.Error()
	}
	n.Mine(t, 1)
	var decoded, unspent map[string]any
	n.Call(t, &decoded, "getrawtransaction", txid, 1)
	n.Call(t, &unspent, "gettxout", txid, 0)
	outputs := decoded["vout"].([]any)[:2]
	for _, o := range outputs {
		nameless(o.(map[string]any))
	}
	nameless(unspent)
	return map[string]any{"outputs": outputs, "unspent": map[string]any{"scriptPubKey": unspent["scriptPubKey"], "tokenData": unspent["tokenData"]}}
}

// searched looks for coins by their script, and returns the names of what the node tells of them.
func searched(t *testing.T, n *bitcoind.Node) any {
	t.Helper()
	var told map[string]any
	if err := n.Try(&told, "scantxoutset", "start", []string{"raw(76a914" + twenty + "88ac)"}); err != nil {
		return err.Error()
	}
	found := told["unspents"].([]any)
	if len(found) == 0 {
		t.Error("no coin is found")
		return nil
	}
	return map[string]any{"told": slices.Sorted(maps.Keys(told)), "of each": slices.Sorted(maps.Keys(found[0].(map[string]any)))}
}

// nameless checks that there is a category, which is never the same, and takes it away.
func nameless(output map[string]any) {
	if data, ok := output["tokenData"].(map[string]any); ok && hash.MatchString(fmt.Sprint(data["category"])) {
		data["category"] = "a txid"
	}
	script := output["scriptPubKey"].(map[string]any)
	delete(script, "addresses")
	delete(script, "address")
}

// long sends a request of so many bytes.
func long(t *testing.T, n *bitcoind.Node, length int) string {
	t.Helper()
	head, foot := `{"jsonrpc": "1.0", "id": 1, "method": "getblockcount", "params": [`, `]}`
	body := head + strings.Repeat(" ", length-len(head)-len(foot)) + foot
	answer, err := http.Post(n.URL, "application/json", strings.NewReader(body))
	if err != nil {
		return "refused" // without waiting for its end
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode == http.StatusRequestEntityTooLarge {
		return "refused"
	}
	return fmt.Sprint(answer.StatusCode)
}

const edgesFile = "testdata/edges.json"

// TestEdges holds the fakes to what real nodes were seen to answer at the edges, and the real nodes that are there too.
func TestEdges(t *testing.T) {
	seen := map[string]map[string]any{}
	text, err := os.ReadFile(filepath.FromSlash(edgesFile))
	if err == nil {
		err = json.Unmarshal(text, &seen)
	}
	if err != nil && !*record {
		t.Fatal(err)
	}
	for network := range coins {
		if path, _ := bitcoind.Of(t, network).Where(t); path != "" {
			t.Run("real "+network, func(t *testing.T) {
				got := edges(t, bitcoind.Start(t, network))
				if *record {
					seen[network] = got
					return
				}
				wantEdges(t, seen[network], got)
			})
		}
		t.Run(network, func(t *testing.T) {
			if *record {
				return
			}
			wantEdges(t, seen[network], edges(t, bitcoind.At(t, network, Start(t, network).URL)))
		})
	}
	if !*record {
		return
	}
	out := bytes.Buffer{}
	lines := json.NewEncoder(&out)
	lines.SetIndent("", "  ")
	if err := errors.Join(lines.Encode(seen), os.WriteFile(filepath.FromSlash(edgesFile), out.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func wantEdges(t *testing.T, want, got map[string]any) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("%d answers, want %d", len(got), len(want))
	}
	for what := range got {
		if a, b := marshal(want[what]), marshal(got[what]); !bytes.Equal(a, b) {
			t.Errorf("%s: %s, want %s", what, b, a)
		}
	}
}

// TestNoSignatureHoldsAtTheFork: on top of the very block of BitcoinGold's fork the mempool takes no transaction, on real nodes as here.
func TestNoSignatureHoldsAtTheFork(t *testing.T) {
	nodes := []*bitcoind.Node{bitcoind.At(t, "BitcoinGold", Start(t, "BitcoinGold").URL)}
	if path, _ := bitcoind.Of(t, "BitcoinGold").Where(t); path != "" {
		nodes = append(nodes, bitcoind.Start(t, "BitcoinGold"))
	}
	for _, n := range nodes {
		pay := func(wire.OutPoint) []bitcoind.Output {
			return []bitcoind.Output{{Script: unhex("76a914" + twenty + "88ac"), Value: 1000}}
		}
		n.Call(t, nil, "invalidateblock", n.Hash(t, n.Height(t)))
		if _, err := n.Offer(t, pay); n.Height(t) != 2000 || err == nil || !strings.Contains(err.Error(), noSign) {
			t.Errorf("at block %d: %v", n.Height(t), err)
		}
		n.Mine(t, 1)
		if _, err := n.Offer(t, pay); err != nil {
			t.Errorf("at block %d: %v", n.Height(t), err)
		}
	}
}
