package coinfake

import (
	"bytes"
	"encoding/hex"

	"github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

// methods are the calls that a fake knows. fake_forget and fake_copy are its own: one empties the mempool, the other gives a transaction
// there another id.
var methods map[string]func(*chain, params) (any, *failure)

func init() {
	methods = map[string]func(*chain, params) (any, *failure){
		"getnetworkinfo": (*chain).networkInfo, "getblockchaininfo": (*chain).chainInfo,
		"getblockcount":    func(c *chain, _ params) (any, *failure) { return c.tip().height, nil },
		"getbestblockhash": func(c *chain, _ params) (any, *failure) { return c.tip().hash.String(), nil },
		"getblockhash":     (*chain).blockHash, "getblockheader": (*chain).blockHeader, "getblock": (*chain).block,
		"getchaintips": (*chain).tips, "getrawtransaction": (*chain).transaction, "gettxout": (*chain).txOut, "scantxoutset": (*chain).scan,
		"getmempoolinfo": (*chain).poolInfo, "getrawmempool": (*chain).rawPool, "getmempoolentry": (*chain).poolEntry,
		"estimatesmartfee": (*chain).smartFee, "estimatefee": (*chain).plainFee,
		"testmempoolaccept": (*chain).test, "sendrawtransaction": (*chain).sendRaw,
		"generatetoaddress": (*chain).generate, "invalidateblock": (*chain).invalidate, "reconsiderblock": (*chain).reconsider,
		"validateaddress": (*chain).validateAddress,
		"fake_copy":       (*chain).copy,
		"fake_forget":     func(c *chain, _ params) (any, *failure) { c.pool = nil; return nil, nil },
	}
}

func (c *chain) blockHash(p params) (any, *failure) {
	var height int
	if !p.read(0, &height) {
		return nil, fail(-1, "getblockhash height")
	}
	if height < 0 || height >= len(c.active) {
		return nil, fail(-8, "Block height out of range")
	}
	return c.active[height].hash.String(), nil
}

// find returns the block named by an argument.
func (c *chain) find(p params) (*block, *failure) {
	var text string
	if p.read(0, &text) {
		if hash, err := chainhash.NewHashFromStr(text); err == nil && c.byHash[*hash] != nil {
			return c.byHash[*hash], nil
		}
	}
	return nil, fail(-5, "Block not found")
}

func (c *chain) blockHeader(p params) (any, *failure) {
	b, failed := c.find(p)
	if failed != nil {
		return nil, failed
	}
	if verbose := true; p.read(1, &verbose) && !verbose {
		return hex.EncodeToString(c.headerBytes(b)), nil
	}
	return c.showHeader(b), nil
}

func (c *chain) block(p params) (any, *failure) {
	b, failed := c.find(p)
	if failed != nil {
		return nil, failed
	}
	switch p.verbosity(1, 1) {
	case 0:
		return hex.EncodeToString(c.blockBytes(b)), nil
	case 1:
		return c.showBlock(b, false), nil
	}
	return c.showBlock(b, true), nil
}

// verbosity reads a number, or true for 1 and false for 0.
func (p params) verbosity(i, otherwise int) int {
	var number int
	var flag bool
	switch {
	case p.read(i, &number):
		return number
	case p.read(i, &flag) && flag:
		return 1
	case p.read(i, &flag):
		return 0
	}
	return otherwise
}

// tips are the ends of all chains: the chain's own first, then those taken back.
func (c *chain) tips(params) (any, *failure) {
	out := []object{{"height", c.tip().height, "hash", c.tip().hash.String(), "branchlen", 0, "status", "active"}}
	for i := len(c.blocks) - 1; i >= 0; i-- {
		b, end := c.blocks[i], true
		for _, other := range c.blocks {
			end = end && other.parent != b
		}
		if !end || c.has(b) {
			continue
		}
		status, length := "valid-fork", 0
		for at := b; !c.has(at); at = at.parent {
			length++
		}
		if !b.valid() {
			status = "invalid"
		}
		out = append(out, object{"height", b.height, "hash", b.hash.String(), "branchlen", length, "status", status})
	}
	return out, nil
}

func (c *chain) generate(p params) (any, *failure) {
	var blocks int
	var to string
	if !p.read(0, &blocks) || !p.read(1, &to) {
		return nil, fail(-1, "generatetoaddress nblocks address")
	}
	script, ok := scriptOf(to)
	if !ok {
		return nil, fail(-5, "Error: Invalid address")
	}
	out := make([]string, blocks)
	for i := range out {
		out[i] = c.mine(script, i+1).hash.String()
	}
	return out, nil
}

func (c *chain) invalidate(p params) (any, *failure) {
	b, failed := c.find(p)
	if failed == nil {
		b.invalid = true
		c.reorganise()
	}
	return nil, failed
}

func (c *chain) reconsider(p params) (any, *failure) {
	b, failed := c.find(p)
	if failed == nil {
		for _, other := range c.blocks {
			if other.below(b) || b.below(other) {
				other.invalid = false
			}
		}
		c.reorganise()
	}
	return nil, failed
}

func (c *chain) transaction(p params) (any, *failure) {
	unknown := fail(-5, "No such mempool or blockchain transaction. Use gettransaction for wallet transactions.")
	if c.network == "BitcoinSV" {
		unknown.Message = "No such mempool or blockchain transaction. If using -prune, the transaction may be in a pruned block. " +
			"Use gettransaction for wallet transactions."
	}
	txid, ok := p.hash(0)
	if !ok {
		return nil, unknown
	}
	verbose := p.verbosity(1, 0) > 0
	if w := c.waiting(txid); w != nil {
		if !verbose {
			return rawOf(w.tx), nil
		}
		return c.showTransaction(w.tx, alone, nil, 0), nil
	}
	b := c.mined[txid]
	if b == nil {
		return nil, unknown
	}
	for _, tx := range b.Transactions {
		if tx.TxHash() == txid {
			if !verbose {
				return rawOf(tx), nil
			}
			return c.showTransaction(tx, alone, b, 0), nil
		}
	}
	return nil, unknown
}

func (p params) hash(i int) (chainhash.Hash, bool) {
	var text string
	if !p.read(i, &text) {
		return chainhash.Hash{}, false
	}
	hash, err := chainhash.NewHashFromStr(text)
	if err != nil {
		return chainhash.Hash{}, false
	}
	return *hash, true
}

func (c *chain) txOut(p params) (any, *failure) {
	txid, ok := p.hash(0)
	at, pool := wire.OutPoint{Hash: txid}, true
	if !ok || !p.read(1, &at.Index) {
		return nil, fail(-1, "gettxout txid n")
	}
	p.read(2, &pool)
	out, ok := c.unspent[at]
	if pool {
		out, ok = c.look(at)
		ok = ok && c.spender(at) == nil
	}
	if !ok {
		return nil, nil
	}
	confirmations := 0
	if out.height >= 0 {
		confirmations = c.tip().height - out.height + 1
	}
	version, confiscation := any(absent{}), any(absent{})
	switch c.network {
	case "Dogecoin":
		version = out.version
	case "BitcoinSV":
		confiscation = false
	}
	script, tokens := c.tokens(out.PkScript)
	return object{"bestblock", c.tip().hash.String(), "confirmations", confirmations, "value", money(out.Value),
		"scriptPubKey", showScript(script), "tokenData", tokens, "version", version, "coinbase", out.coinbase, "confiscation", confiscation}, nil
}

func (c *chain) sendRaw(p params) (any, *failure) {
	var text string
	p.read(0, &text)
	tx, failed := c.parse(text)
	if failed != nil {
		return nil, failed
	}
	txid, failed := c.send(tx)
	return txid.String(), failed
}

func (c *chain) parse(text string) (*wire.MsgTx, *failure) {
	raw, err := hex.DecodeString(text)
	tx := &wire.MsgTx{}
	in := bytes.NewReader(raw)
	if err == nil && tx.Deserialize(in) == nil && in.Len() == 0 {
		return tx, nil
	}
	return nil, fail(-22, "TX decode failed"+c.only("BitcoinGold", ". Make sure the tx has at least one input."))
}

func (c *chain) test(p params) (any, *failure) {
	var raws []string
	if !p.read(0, &raws) || len(raws) != 1 {
		return nil, fail(-8, "Array must contain exactly one raw transaction for now")
	}
	tx, failed := c.parse(raws[0])
	if failed != nil {
		return nil, failed
	}
	txid := tx.TxHash().String()
	if c.waiting(tx.TxHash()) != nil {
		return []object{{"txid", txid, "allowed", false, "reject-reason", "txn-already-in-mempool"}}, nil
	}
	w, _, refused := c.judge(tx)
	if refused != nil {
		return []object{{"txid", txid, "allowed", false, "reject-reason", refused.Message}}, nil
	}
	size, fees := any(absent{}), any(absent{})
	if c.network == "BitcoinGold" {
		size, fees = w.size(), object{"base", money(w.fee)}
	}
	return []object{{"txid", txid, "allowed", true, "vsize", size, "fees", fees}}, nil
}

func (c *chain) validateAddress(p params) (any, *failure) {
	var text string
	p.read(0, &text)
	script, ok := scriptOf(text)
	if !ok {
		return object{"isvalid", false}, nil
	}
	out := object{"isvalid", true, "address", text, "scriptPubKey", hex.EncodeToString(script)}
	switch c.network {
	case "BitcoinCash":
		out = append(out, "isscript", txscript.IsPayToScriptHash(script), "istokenaware", false)
	case "BitcoinGold":
		out = append(out, "isscript", txscript.IsPayToScriptHash(script), "iswitness", false)
	}
	return out, nil
}

// scriptOf is the script of an address of regtest.
func scriptOf(text string) ([]byte, bool) {
	to, err := address.DecodeAddress(text, &chaincfg.RegressionNetParams)
	if err != nil {
		return nil, false
	}
	script, err := txscript.PayToAddrScript(to)
	return script, err == nil
}
