package utxo

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"causeway/chains/utxo/client"
)

// call is one question to a real node, with the node's answer.
type call struct {
	Method string
	Params []json.RawMessage
	Note   string
	Answer struct {
		Result json.RawMessage
		Error  json.RawMessage
	}
}

// special is a block in a form that regtest does not show by itself.
type special struct {
	Raw     string
	Decoded struct {
		client.Header
		Root string `json:"merkleroot"`
		Tx   json.RawMessage
	}
}

// recording is what a real node has answered (internal/dev/coinfake/testdata).
type recording struct {
	Dialogue   []call
	MergeMined special `json:"merge_mined"`
	AfterFork  special `json:"after_fork"`
}

func recorded(t testing.TB, file string) recording {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "internal", "dev", "coinfake", "testdata", file+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var r recording
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

var recordings = map[string]*coin{"dogecoin": &dogecoin, "bitcoincash": &bitcoinCash, "bitcoinsv": &bitcoinSV, "bitcoingold": &bitcoinGold}

// TestRecordedBlocks: raw blocks of real nodes have the transactions that the nodes name.
func TestRecordedBlocks(t *testing.T) {
	t.Parallel()
	for file, coin := range recordings {
		r, read := recorded(t, file), 0
		for _, c := range r.Dialogue {
			if c.Method != "getblock" || len(c.Params) != 2 || string(c.Params[1]) != "0" {
				continue
			}
			var name, raw string
			_ = json.Unmarshal(c.Params[0], &name)
			_ = json.Unmarshal(c.Answer.Result, &raw)
			b, err := coin.parseBlock(unhex(t, raw), name, 1, false)
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			read++
			var ids []string
			for i := range b.txs {
				ids = append(ids, b.txs[i].hash.String())
			}
			if told := r.txsOf(name); !slices.Equal(ids, told) || !b.txs[0].coinbase || b.time.IsZero() {
				t.Errorf("%s: block %s has %v, and the node names %v", file, name, ids, told)
			}
		}
		if read == 0 {
			t.Errorf("%s: no raw block", file)
		}
	}
}

// txsOf is what a node has told of a block.
func (r recording) txsOf(name string) []string {
	for _, c := range r.Dialogue {
		var told struct{ Tx []string }
		if c.Method == "getblock" && len(c.Params) == 2 && string(c.Params[1]) == "1" && string(c.Params[0]) == `"`+name+`"` &&
			json.Unmarshal(c.Answer.Result, &told) == nil {
			return told.Tx
		}
	}
	return nil
}

// TestBlocksOfTheirOwnForm: a merge-mined block of Dogecoin, and one of BitcoinGold after its fork, which no other coin reads.
func TestBlocksOfTheirOwnForm(t *testing.T) {
	t.Parallel()
	doge, gold := recorded(t, "dogecoin").MergeMined, recorded(t, "bitcoingold").AfterFork
	for _, c := range []struct {
		of     *coin
		in     special
		name   string
		forked bool
	}{{&dogecoin, doge, doge.Decoded.Hash, false}, {&bitcoinGold, gold, gold.Decoded.Hash, true}} {
		if c.name == "" {
			c.name = c.in.Decoded.Hash
		}
		raw := unhex(t, c.in.Raw)
		if c.name == "" {
			c.name = double(raw[:80]).String()
		}
		b, err := c.of.parseBlock(raw, c.name, 5, c.forked)
		if err != nil || len(b.txs) == 0 {
			t.Errorf("%s: %v", c.of.network, err)
		}
		if _, err := bitcoin.parseBlock(raw, c.name, 5, false); err == nil {
			t.Errorf("a block of %s reads as Bitcoin's", c.of.network)
		}
	}
}

// TestNoByteOfABlockIsLeftOut: a block with any byte changed, cut off or added is refused.
func TestNoByteOfABlockIsLeftOut(t *testing.T) {
	t.Parallel()
	gold := recorded(t, "bitcoingold").AfterFork
	raw := unhex(t, gold.Raw)
	name := gold.Decoded.Hash
	for i := range raw {
		changed := bytes.Clone(raw)
		changed[i] ^= 1
		b, err := bitcoinGold.parseBlock(changed, name, 2010, true)
		if err == nil && !witnessOnly(t, raw, b) {
			t.Errorf("byte %d is changed, and the block is read", i)
		}
		if _, err := bitcoinGold.parseBlock(raw[:i], name, 2010, true); err == nil {
			t.Errorf("the block is read from its first %d bytes", i)
		}
	}
	if _, err := bitcoinGold.parseBlock(append(raw, 0), name, 2010, true); err == nil {
		t.Error("a block with a byte more is read")
	}
}

// witnessOnly reports whether a block has the same transactions: the root covers no witness, and no witness pays.
func witnessOnly(t *testing.T, raw []byte, b *block) bool {
	t.Helper()
	was, err := bitcoinGold.parseBlock(raw, b.hash.String(), 2010, true)
	return err == nil && len(was.txs) == len(b.txs) && was.txs[0].hash == b.txs[0].hash
}

// TestRepeatedTransactionsAreNoBlock: the root of a list is that of the list with its end repeated (CVE-2012-2459).
func TestRepeatedTransactionsAreNoBlock(t *testing.T) {
	t.Parallel()
	one, two, three := double([]byte("1")), double([]byte("2")), double([]byte("3"))
	root, ok := merkleRoot([]hash{one, two, three})
	if !ok || root != double(slices.Concat(double(one[:], two[:]).bytes(), double(three[:], three[:]).bytes())) {
		t.Fatalf("root %s", root)
	}
	if root, ok := merkleRoot([]hash{one, two, three, three}); ok {
		t.Errorf("a repeated transaction has the root %s", root)
	}
	if _, ok := merkleRoot(nil); ok {
		t.Error("no transactions have a root")
	}
}

func (h hash) bytes() []byte { return h[:] }

// TestSignaturesOfRealNodes: transactions that real nodes have taken pass the check that ours pass before they are sent, and no longer
// once a satoshi is changed. BitcoinGold was recorded below the block of its fork, where signatures are Bitcoin's.
func TestSignaturesOfRealNodes(t *testing.T) {
	t.Parallel()
	for file, coin := range recordings {
		if file == "bitcoingold" {
			continue
		}
		r, checked := recorded(t, file), 0
		for _, c := range r.Dialogue {
			var raw string
			if c.Method != "sendrawtransaction" || c.Note != "good" || json.Unmarshal(c.Params[0], &raw) != nil {
				continue
			}
			tx := wire.NewMsgTx(1)
			if err := tx.Deserialize(bytes.NewReader(unhex(t, raw))); err != nil {
				t.Fatal(err)
			}
			spent := r.output(t, tx.TxIn[0].PreviousOutPoint)
			checked++
			for changed := range int64(2) {
				if err := coin.checkRecorded(tx, spent, spent.units+changed); (err == nil) != (changed == 0 || coin.forkID < 0) {
					t.Errorf("%s, %d units changed: %v", file, changed, err)
				}
			}
			tx.TxOut[0].Value--
			if coin.checkRecorded(tx, spent, spent.units) == nil {
				t.Errorf("%s: a changed transaction has its signature still", file)
			}
		}
		if checked == 0 {
			t.Errorf("%s: no transaction", file)
		}
	}
}

func (c *coin) checkRecorded(tx *wire.MsgTx, spent output, units int64) error {
	if c.forkID >= 0 {
		return c.checkForked(tx, 0, units, spent.script)
	}
	prev := txscript.NewCannedPrevOutputFetcher(spent.script, units)
	engine, err := txscript.NewEngine(spent.script, tx, 0, txscript.StandardVerifyFlags, nil, txscript.NewTxSigHashes(tx, prev), units, prev)
	if err != nil {
		return err
	}
	return engine.Execute()
}

// output is an output that the node has told of.
func (r recording) output(t *testing.T, at wire.OutPoint) output {
	t.Helper()
	for _, c := range r.Dialogue {
		var told struct{ Txid, Hex string }
		if c.Method != "getrawtransaction" || json.Unmarshal(c.Answer.Result, &told) != nil {
			continue
		}
		if told.Txid != at.Hash.String() && told.Txid != "" {
			continue
		}
		if read, err := parse(unhex(t, told.Hex)); err == nil && read.hash == hash(at.Hash) {
			o, _ := read.output(at.Index)
			return o
		}
	}
	t.Fatalf("nothing is recorded of %s", at)
	return output{}
}

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	raw, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// parseBlock reads a block that is in memory.
func (c *coin) parseBlock(raw []byte, want string, height int64, forked bool) (*block, error) {
	return c.readBlock(bytes.NewReader(raw), want, height, forked)
}
