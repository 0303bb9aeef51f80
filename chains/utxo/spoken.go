package utxo

import (
	"encoding/hex"
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains/utxo/client"
)

// decimals of all coins of the family.
const decimals = 8

// spokenBlock reads a block that a node has told in words. Inputs and outputs of Litecoin's extension blocks are left out: they have
// no coin, and no script to pay to.
func spokenBlock(told *client.Block, want string, height int64) (*block, error) {
	b := &block{time: time.Unix(told.Time, 0).UTC(), txs: make([]transaction, len(told.Tx))}
	var ok bool
	if b.hash, ok = hashOf(told.Hash); !ok || told.Hash != want || told.Height != height || told.Time <= 0 || len(told.Tx) == 0 {
		return nil, odd("block %d is not %s", height, want)
	}
	if b.parent, ok = hashOf(told.Parent); !ok && height > 0 {
		return nil, odd("block %d without its parent", height)
	}
	for i := range told.Tx {
		t, err := spoken(&told.Tx[i])
		if err != nil {
			return nil, err
		}
		if t.coinbase != (i == 0) {
			return nil, odd("block %d: transaction %d is a coinbase, or the first is none", height, i)
		}
		b.txs[i] = t
	}
	return b, nil
}

// spoken reads a transaction that a node has told in words.
func spoken(told *client.Tx) (t transaction, err error) {
	var ok bool
	if t.hash, ok = hashOf(told.Txid); !ok {
		return t, odd("a transaction without its id")
	}
	for i := range told.Vin {
		in := &told.Vin[i]
		if in.Coinbase != "" {
			t.coinbase = true
		}
		if in.Txid == "" {
			continue
		}
		from, ok := hashOf(in.Txid)
		if !ok {
			return t, odd("transaction %s spends %q", told.Txid, in.Txid)
		}
		t.ins = append(t.ins, input{from: from, vout: in.Vout, key: keyOf(in)})
	}
	for i := range told.Vout {
		out := &told.Vout[i]
		if out.MWEB || out.N == nil {
			continue
		}
		units, fine := unitsOf(out.Value.String())
		script, err := hex.DecodeString(out.Script.Hex)
		if err != nil || !fine {
			return t, odd("output %d of %s is %q", *out.N, told.Txid, out.Value)
		}
		t.outs = append(t.outs, output{vout: *out.N, units: units, script: script})
	}
	return t, nil
}

// keyOf returns the key that an input shows, as in a raw transaction.
func keyOf(in *client.In) []byte {
	if len(in.Witness) == 0 {
		script, _ := hex.DecodeString(in.Script.Hex)
		return shownKey(script)
	}
	if key, err := hex.DecodeString(in.Witness[len(in.Witness)-1]); err == nil && len(in.Witness) == 2 && isKey(key) {
		return key
	}
	return nil
}

// unitsOf reads an amount in whole coins.
func unitsOf(text string) (int64, bool) {
	amount, err := decimal.NewFromString(text)
	if err != nil {
		return 0, false
	}
	units := amount.Shift(decimals)
	if !units.IsInteger() || units.IsNegative() || units.GreaterThan(decimal.New(1<<62, 0)) {
		return 0, false
	}
	return units.IntPart(), true
}

// decoded reads hex into bytes; a text that is none has no script.
func decoded(text string) string {
	raw, _ := hex.DecodeString(text)
	return string(raw)
}

// amountOf writes units as whole coins.
func amountOf(units int64) decimal.Decimal { return decimal.New(units, -decimals) }
