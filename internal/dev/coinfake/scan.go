package coinfake

import (
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/btcutil/v2/hdkeychain"
	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/btcsuite/btcd/txscript/v2"
)

// scan is scantxoutset with "start" and descriptors of the forms raw(SCRIPT), and pkh(TPUB/0/*) with a range. BitcoinCash's does not say
// of which block it is.
func (c *chain) scan(p params) (any, *failure) {
	var act string
	var objects []json.RawMessage
	if !p.read(0, &act) || act != "start" || !p.read(1, &objects) {
		return nil, fail(-8, "Invalid command")
	}
	wanted := map[string]bool{}
	for _, o := range objects {
		if !describe(o, wanted) {
			return nil, fail(-5, "A function is needed within P2SH")
		}
	}
	var total int64
	unspents := []object{}
	for at, out := range c.unspent {
		script := hex.EncodeToString(out.PkScript)
		if !wanted[script] {
			continue
		}
		total += out.Value
		unspents = append(unspents, object{"txid", at.Hash.String(), "vout", at.Index, "scriptPubKey", script,
			"desc", c.notOf("BitcoinCash", "raw("+script+")"), "amount", money(out.Value), "height", out.height})
	}
	if c.network == "BitcoinCash" {
		return object{"success", true, "searched_items", len(c.unspent), "unspents", unspents, "total_amount", money(total), "token_total_amounts", object{}}, nil
	}
	return object{"success", true, "txouts", len(c.unspent), "height", c.tip().height, "bestblock", c.tip().hash.String(),
		"unspents", unspents, "total_amount", money(total)}, nil
}

// notOf is a value that one network's answers do not have.
func (c *chain) notOf(network string, value any) any {
	if c.network == network {
		return absent{}
	}
	return value
}

// describe adds the scripts of a descriptor, in hex.
func describe(o json.RawMessage, scripts map[string]bool) bool {
	var raw string
	if json.Unmarshal(o, &raw) == nil {
		inner, is := strings.CutPrefix(raw, "raw(")
		script, _, closed := strings.Cut(inner, ")")
		scripts[script] = true
		return is && closed
	}
	var many struct {
		Desc  string
		Range [2]uint32
	}
	if json.Unmarshal(o, &many) != nil || many.Range[1] < many.Range[0] || many.Range[1]-many.Range[0] >= 1_000_000 {
		return false
	}
	key, is := strings.CutPrefix(many.Desc, "pkh(")
	key, closed := strings.CutSuffix(key, "/0/*)")
	account, err := hdkeychain.NewKeyFromString(key)
	if !is || !closed || err != nil || !account.IsForNet(&chaincfg.RegressionNetParams) {
		return false
	}
	branch, err := account.Derive(0)
	for i := many.Range[0]; err == nil && i <= many.Range[1]; i++ {
		var child *hdkeychain.ExtendedKey
		if child, err = branch.Derive(i); err != nil {
			break
		}
		var to *address.AddressPubKeyHash
		if to, err = child.Address(&chaincfg.RegressionNetParams); err == nil {
			var script []byte
			script, err = txscript.PayToAddrScript(to)
			scripts[hex.EncodeToString(script)] = true
		}
	}
	return err == nil
}
