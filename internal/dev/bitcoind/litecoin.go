package bitcoind

import (
	"encoding/hex"
	"strings"
	"testing"
)

// extended is the first block of Litecoin's regtest with an extension block. The node mines it only if it brings money in.
const extended = 432

// Extend mines Litecoin's chain up to its first extension block, and leaves money of the node's wallet in there. From then on each
// block ends in a transaction for its extension block, which has a form of its own.
func (n *Node) Extend(t testing.TB) {
	t.Helper()
	n.Call(t, nil, "createwallet", "extension")
	n.Send(t, Output{n.script(t, n.newAddress(t)), 10 * 1e8})
	n.Mine(t, extended-1-int(n.Height(t)))
	n.Call(t, nil, "sendtoaddress", n.newAddress(t, "", "mweb"), 10, "", "", true)
	n.Mine(t, 2)
}

// PegOut pays whole coins out of the extension block to a script. The last transaction of the next block does the payment. The id
// returned is another: of a transaction within the extension block.
func (n *Node) PegOut(t testing.TB, script []byte, coins int) string {
	t.Helper()
	var decoded struct{ Addresses []string }
	n.Call(t, &decoded, "decodescript", hex.EncodeToString(script))
	if len(decoded.Addresses) != 1 {
		t.Fatalf("script %x is of %d addresses", script, len(decoded.Addresses))
	}
	var txid string
	n.Call(t, &txid, "sendtoaddress", decoded.Addresses[0], coins)
	return txid
}

func (n *Node) newAddress(t testing.TB, kind ...any) (text string) {
	t.Helper()
	n.Call(t, &text, "getnewaddress", kind...)
	return text
}

// script returns the script of an address in the node's spelling.
func (n *Node) script(t testing.TB, text string) []byte {
	t.Helper()
	var told struct{ ScriptPubKey string }
	n.Call(t, &told, "validateaddress", text)
	script, err := hex.DecodeString(told.ScriptPubKey)
	if err != nil || len(script) == 0 || strings.HasPrefix(text, "rltcmweb") {
		t.Fatalf("%s has no script: %v", text, err)
	}
	return script
}
