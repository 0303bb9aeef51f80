package ogmios_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/address/v2/bech32"
	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/fxamacker/cbor/v2"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/blake2b"

	"causeway/internal/dev/ogmios"
)

// asking is a connection to a node.
type asking struct {
	*testing.T
	node *ogmios.Node
	conn *websocket.Conn
}

func open(t *testing.T) *asking {
	t.Helper()
	n := ogmios.Start(t, ogmios.Options{})
	conn, response, err := websocket.Dial(t.Context(), n.URL, nil)
	require.NoError(t, err)
	if response.Body != nil {
		require.NoError(t, response.Body.Close())
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &asking{t, n, conn}
}

// failure is an error of Ogmios.
type failure struct {
	Code int
	Data json.RawMessage
}

// ask asks a question, and returns the code of an error.
func (a *asking) ask(into any, method string, params any) (f failure) {
	a.Helper()
	require.NoError(a, wsjson.Write(a.Context(), a.conn, map[string]any{"jsonrpc": "2.0", "method": method, "params": params, "id": 7}))
	var out struct {
		Result json.RawMessage
		Error  failure
		ID     int
	}
	require.NoError(a, wsjson.Read(a.Context(), a.conn, &out))
	require.Equal(a, 7, out.ID)
	if into != nil && out.Error.Code == 0 {
		require.NoError(a, json.Unmarshal(out.Result, into))
	}
	return out.Error
}

// output is an output of a transaction to be written.
type output struct {
	to       string
	lovelace uint64
}

// spending is a transaction to be written.
type spending struct {
	inputs []string // ids; each of the output 0
	outs   []output
	fee    uint64
	ttl    uint64
	by     string // the name of a stranger
}

// hex writes and signs a transaction.
func (s spending) hex(t *testing.T) string {
	t.Helper()
	body := map[int]any{2: s.fee}
	var ins, outs []any
	for _, id := range s.inputs {
		raw, err := hex.DecodeString(id)
		require.NoError(t, err)
		ins = append(ins, []any{raw, 0})
	}
	for _, o := range s.outs {
		_, data, err := bech32.DecodeNoLimit(o.to)
		require.NoError(t, err)
		raw, err := bech32.ConvertBits(data, 5, 8, false)
		require.NoError(t, err)
		outs = append(outs, map[int]any{0: raw, 1: o.lovelace})
	}
	body[0], body[1] = ins, outs
	if s.ttl > 0 {
		body[3] = s.ttl
	}
	mode, err := cbor.CoreDetEncOptions().EncMode()
	require.NoError(t, err)
	raw, err := mode.Marshal(body)
	require.NoError(t, err)
	witness := map[int]any{}
	if s.by != "" {
		seed := sha256.Sum256([]byte("stranger " + s.by))
		key := ed25519.NewKeyFromSeed(seed[:])
		id := blake2b.Sum256(raw)
		witness[0] = []any{[]any{[]byte(key.Public().(ed25519.PublicKey)), ed25519.Sign(key, id[:])}}
	}
	tx, err := mode.Marshal([]any{cbor.RawMessage(raw), witness, true, nil})
	require.NoError(t, err)
	return hex.EncodeToString(tx)
}

// submit sends a transaction.
func (a *asking) submit(s spending) (txid string, f failure) {
	a.Helper()
	var out struct{ Transaction struct{ ID string } }
	f = a.ask(&out, "submitTransaction", map[string]any{"transaction": map[string]any{"cbor": s.hex(a.T)}})
	return out.Transaction.ID, f
}

// funded gives a stranger 10 ADA, and returns the stranger's address and the id.
func (a *asking) funded(name string) (address, txid string) {
	a.Helper()
	address, err := a.node.Stranger(name)
	require.NoError(a, err)
	txid, err = a.node.Pay(ogmios.Payment{To: address, Lovelace: 10_000_000})
	require.NoError(a, err)
	require.NoError(a, a.node.Mine(1))
	return address, txid
}

// TestTransactionsAreJudged holds what a node refuses, and by which code.
func TestTransactionsAreJudged(t *testing.T) {
	t.Parallel()
	a := open(t)
	alice, coin := a.funded("alice")
	fine := spending{inputs: []string{coin}, outs: []output{{alice, 9_800_000}}, fee: 200_000, ttl: 1000, by: "alice"}
	for code, change := range map[int]func(*spending){
		3101: func(s *spending) { s.by = "" },
		3117: func(s *spending) { s.inputs = append(s.inputs, strings.Repeat("ab", 32)) },
		3118: func(s *spending) { s.ttl = 80 },
		3122: func(s *spending) { s.fee, s.outs = 100_000, []output{{alice, 9_900_000}} },
		3123: func(s *spending) { s.outs = []output{{alice, 9_800_001}} },
		3124: func(s *spending) { s.outs = []output{{testnet(t, alice), 9_800_000}} },
		3125: func(s *spending) { s.outs = []output{{alice, 9_300_000}, {alice, 500_000}} },
		3997: func(s *spending) { s.inputs = []string{strings.Repeat("ab", 32)} },
	} {
		s := fine
		s.inputs = append([]string{}, fine.inputs...)
		change(&s)
		_, f := a.submit(s)
		require.Equal(t, code, f.Code, string(f.Data))
	}
	txid, f := a.submit(fine)
	require.Zero(t, f.Code, string(f.Data))
	_, f = a.submit(fine)
	require.Equal(t, 3997, f.Code, "it is in the mempool: all its inputs are spent")
	second := spending{inputs: []string{txid}, outs: []output{{alice, 9_600_000}}, fee: 200_000, by: "alice"}
	_, f = a.submit(second)
	require.Zero(t, f.Code, "a node lets the mempool's outputs be spent: %s", f.Data)
	require.NoError(t, a.node.Mine(1))
	var held []struct {
		Value struct{ ADA struct{ Lovelace int64 } }
	}
	require.Zero(t, a.ask(&held, "queryLedgerState/utxo", map[string]any{"addresses": []string{alice}}).Code)
	require.Len(t, held, 1)
	require.EqualValues(t, 9_600_000, held[0].Value.ADA.Lovelace)
}

// testnet is the same key's address on a test network.
func testnet(t *testing.T, address string) string {
	t.Helper()
	_, data, err := bech32.DecodeNoLimit(address)
	require.NoError(t, err)
	raw, err := bech32.ConvertBits(data, 5, 8, false)
	require.NoError(t, err)
	raw[0] &= 0xf0
	data, err = bech32.ConvertBits(raw, 8, 5, true)
	require.NoError(t, err)
	text, err := bech32.Encode("addr_test", data)
	require.NoError(t, err)
	return text
}

// next is an answer about the next block.
type next struct {
	Direction string
	Point     json.RawMessage
	Tip       struct{ Height int64 }
	Block     struct {
		ID, Ancestor string
		Height, Slot int64
		Transactions []struct{ ID, Spends string }
	}
}

// read reads blocks to the tip.
func (a *asking) read() (all []next) {
	a.Helper()
	for {
		var n next
		require.Zero(a, a.ask(&n, "nextBlock", nil).Code)
		all = append(all, n)
		if n.Direction == "forward" && n.Block.Height == n.Tip.Height {
			return all
		}
	}
}

// TestBlocksAreLinkedAndUndone reads the chain to its tip, and again after a reorganisation.
func TestBlocksAreLinkedAndUndone(t *testing.T) {
	t.Parallel()
	a := open(t)
	_, gone := a.funded("alice")
	_, stays := a.funded("bob")
	require.Zero(t, a.ask(nil, "findIntersection", map[string]any{"points": []string{"origin"}}).Code)
	all := a.read()
	require.Equal(t, "backward", all[0].Direction)
	for i := 2; i < len(all); i++ {
		require.Equal(t, all[i-1].Block.ID, all[i].Block.Ancestor)
		require.Equal(t, int64(i), all[i].Block.Height)
	}
	require.Equal(t, stays, all[5].Block.Transactions[0].ID)
	require.NoError(t, a.node.Reorg(2, gone))
	again := a.read()
	require.Equal(t, "backward", again[0].Direction)
	require.JSONEq(t, `{"slot": 60, "id": "`+all[3].Block.ID+`"}`, string(again[0].Point))
	require.Equal(t, stays, again[1].Block.Transactions[0].ID)
	require.Len(t, again, 4, "three blocks in place of two")
	require.Equal(t, 1000, a.ask(nil, "findIntersection", map[string]any{"points": []any{map[string]any{"slot": 100, "id": all[5].Block.ID}}}).Code)
}

// TestPastStates asks for outputs as they were after a block.
func TestPastStates(t *testing.T) {
	t.Parallel()
	a := open(t)
	var before struct {
		Slot int64  `json:"slot"`
		ID   string `json:"id"`
	}
	require.Zero(t, a.ask(&before, "queryLedgerState/tip", nil).Code)
	alice, coin := a.funded("alice")
	count := func() int {
		var held []struct{}
		require.Zero(t, a.ask(&held, "queryLedgerState/utxo", map[string]any{"outputReferences": []any{
			map[string]any{"transaction": map[string]any{"id": coin}, "index": 0}}}).Code)
		return len(held)
	}
	require.Equal(t, 1, count())
	require.Zero(t, a.ask(nil, "acquireLedgerState", map[string]any{"point": before}).Code)
	require.Zero(t, count())
	require.Zero(t, a.ask(nil, "releaseLedgerState", nil).Code)
	require.Equal(t, 1, count())
	before.ID = strings.Repeat("00", 32)
	require.Equal(t, 2000, a.ask(nil, "acquireLedgerState", map[string]any{"point": before}).Code)
	require.NotEmpty(t, alice)
}

// TestFailedScripts has a transaction spend its collateral alone.
func TestFailedScripts(t *testing.T) {
	t.Parallel()
	a := open(t)
	alice, coin := a.funded("alice")
	failed, err := a.node.Fail(ogmios.Failure{Input: coin + "#0", To: alice, Lovelace: 5_000_000, Back: 2_000_000})
	require.NoError(t, err)
	require.NoError(t, a.node.Mine(1))
	require.Zero(t, a.ask(nil, "findIntersection", map[string]any{"points": []string{"origin"}}).Code)
	all := a.read()
	last := all[len(all)-1].Block.Transactions[0]
	require.Equal(t, failed, last.ID)
	require.Equal(t, "collaterals", last.Spends)
	var held []struct{ Index int }
	require.Zero(t, a.ask(&held, "queryLedgerState/utxo", map[string]any{"addresses": []string{alice}}).Code)
	require.Len(t, held, 2, "what it named is not spent, and the rest of the collateral came back")
}
