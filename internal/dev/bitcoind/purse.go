package bitcoind

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

// coinbases are the blocks that pay for Send: 50 bitcoins each, or 500,000 dogecoins, and half of it from the 150th on.
const coinbases = 60

// purse is the money of strangers: coins of one key. The tests sign with it, so that a node needs no wallet.
type purse struct {
	key    *btcec.PrivateKey
	script []byte
	coins  []coin            // unspent, as far as is known
	spent  map[string][]coin // by the transactions that spend them
}

type coin struct {
	at    wire.OutPoint
	value int64
}

// endow mines the purse's money.
func (n *Node) endow(t testing.TB) {
	t.Helper()
	n.purse.key, n.purse.spent = keyOf("strangers"), map[string][]coin{}
	n.purse.script = payTo(t, addressOf(t, n.purse.key))
	var hashes []string
	n.Call(t, &hashes, "generatetoaddress", coinbases, addressOf(t, n.purse.key))
	for _, hash := range hashes {
		tx := Parse(t, n.Transactions(t, hash)[0].Raw)
		n.purse.coins = append(n.purse.coins, coin{wire.OutPoint{Hash: tx.TxHash()}, tx.TxOut[0].Value})
	}
	n.Mine(t, n.Maturity)
	if missing := n.Fork - int(n.Height(t)); missing > 0 {
		n.Mine(t, missing)
	}
}

// Output is a payment to a script, in the smallest unit.
type Output struct {
	Script []byte
	Value  int64
}

// Send sends a stranger's money into the mempool, and returns the id of the transaction. Its outputs have the order of the arguments;
// the change comes last.
func (n *Node) Send(t testing.TB, outputs ...Output) string {
	t.Helper()
	var sum, have int64
	for _, o := range outputs {
		sum += o.Value
	}
	var coins []coin
	for have < sum+n.fee(len(coins), len(outputs)) {
		if len(n.purse.coins) == 0 {
			t.Fatalf("the strangers of %s have too little for %d", n.Network, sum)
		}
		next := n.purse.coins[0]
		n.purse.coins = n.purse.coins[1:]
		if n.unspent(t, next) {
			coins, have = append(coins, next), have+next.value
		}
	}
	return n.submit(t, n.build(t, coins, outputs, n.fee(len(coins), len(outputs))))
}

// Replace sends another transaction of the same coins, which pays their owner only, with six times the fee, and returns its id. Where
// nodes replace, it takes the place of the first in the mempool.
func (n *Node) Replace(t testing.TB, txid string) string {
	t.Helper()
	return n.submit(t, n.conflict(t, txid))
}

func (n *Node) conflict(t testing.TB, txid string) *wire.MsgTx {
	t.Helper()
	coins := n.purse.spent[txid]
	if len(coins) == 0 {
		t.Fatalf("%s is no transaction of Send", txid)
	}
	return n.build(t, coins, nil, 6*n.fee(len(coins), 1))
}

func (n *Node) submit(t testing.TB, tx *wire.MsgTx) string {
	t.Helper()
	var txid string
	n.Call(t, &txid, "sendrawtransaction", Raw(t, tx))
	return txid
}

// build spends coins of the purse, with the change to the purse again, which may be used once the transaction is sent. It opts in to
// its replacement.
func (n *Node) build(t testing.TB, coins []coin, outputs []Output, fee int64) *wire.MsgTx {
	t.Helper()
	tx, change := wire.NewMsgTx(2), -fee
	for _, c := range coins {
		tx.AddTxIn(&wire.TxIn{PreviousOutPoint: c.at, Sequence: wire.MaxTxInSequenceNum - 2})
		change += c.value
	}
	for _, o := range outputs {
		tx.AddTxOut(wire.NewTxOut(o.Value, o.Script))
		change -= o.Value
	}
	// Less is dust somewhere.
	if change > 1000*n.Rate {
		tx.AddTxOut(wire.NewTxOut(change, n.purse.script))
	}
	for i := range coins {
		n.sign(t, tx, i, coins[i].value)
	}
	txid := tx.TxHash()
	n.purse.spent[txid.String()] = coins
	if change > 1000*n.Rate {
		n.purse.coins = append(n.purse.coins, coin{wire.OutPoint{Hash: txid, Index: uint32(len(outputs))}, change})
	}
	return tx
}

func (n *Node) sign(t testing.TB, tx *wire.MsgTx, i int, value int64) {
	t.Helper()
	var script []byte
	var err error
	if n.ForkID == 0 {
		script, err = txscript.SignatureScript(tx, i, n.purse.script, txscript.SigHashAll, n.purse.key, true)
	} else {
		// What is signed is that of segwit, whatever the script.
		var digest []byte
		kind := txscript.SigHashAll | txscript.SigHashType(n.ForkID)
		hashes := txscript.NewTxSigHashes(tx, txscript.NewCannedPrevOutputFetcher(n.purse.script, value))
		if digest, err = txscript.CalcWitnessSigHash(n.purse.script, hashes, kind, tx, i, value); err == nil {
			signature := append(ecdsa.Sign(n.purse.key, digest).Serialize(), byte(kind))
			script, err = txscript.NewScriptBuilder().AddData(signature).
				AddData(n.purse.key.PubKey().SerializeCompressed()).Script()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	tx.TxIn[i].SignatureScript = script
}

func (n *Node) fee(inputs, outputs int) int64 {
	return n.Rate * int64(50+150*inputs+40*outputs)
}

// unspent reports whether a coin is there, in the mempool or in a block.
func (n *Node) unspent(t testing.TB, c coin) bool {
	t.Helper()
	var found any
	n.Call(t, &found, "gettxout", c.at.Hash.String(), c.at.Index)
	return found != nil
}

// Address returns an address that is nobody's, the same for the same name, in the spelling of all these nodes: of the key's hash on
// regtest.
func Address(t testing.TB, name string) string { return addressOf(t, keyOf(name)) }

// PayTo returns the script of an Address.
func PayTo(t testing.TB, text string) []byte { return payTo(t, text) }

func keyOf(name string) *btcec.PrivateKey {
	seed := sha256.Sum256([]byte(name))
	key, _ := btcec.PrivKeyFromBytes(seed[:])
	return key
}

func addressOf(t testing.TB, key *btcec.PrivateKey) string {
	t.Helper()
	a, err := address.NewAddressPubKeyHash(address.Hash160(key.PubKey().SerializeCompressed()), &chaincfg.RegressionNetParams)
	if err != nil {
		t.Fatal(err)
	}
	return a.EncodeAddress()
}

func payTo(t testing.TB, text string) []byte {
	t.Helper()
	a, err := address.DecodeAddress(text, &chaincfg.RegressionNetParams)
	if err != nil {
		t.Fatal(err)
	}
	script, err := txscript.PayToAddrScript(a)
	if err != nil {
		t.Fatal(err)
	}
	return script
}

// Raw returns the bytes of a transaction as nodes are given them.
func Raw(t testing.TB, tx *wire.MsgTx) string {
	t.Helper()
	var out bytes.Buffer
	if err := tx.Serialize(&out); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(out.Bytes())
}

// Parse is the reverse of Raw.
func Parse(t testing.TB, raw string) *wire.MsgTx {
	t.Helper()
	tx := &wire.MsgTx{}
	if err := tx.Deserialize(hex.NewDecoder(strings.NewReader(raw))); err != nil {
		t.Fatalf("transaction %s: %v", raw, err)
	}
	return tx
}
