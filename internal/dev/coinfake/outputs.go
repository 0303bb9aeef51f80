package coinfake

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

// The parts of the dust rule of Bitcoin's first nodes: an output below three times the fee of its making and its spending is dust.
const (
	dustTimes     = 3
	dustRate      = 1000 // for 1,000 bytes
	spending      = 32 + 4 + 1 + 107 + 4
	witnessSpends = 32 + 4 + 1 + 107/4 + 4
)

// tokenMark begins a script that has tokens of BitcoinCash in front.
const tokenMark = 0xef

// refuses says why the node does not pass on an output, "" where it does.
func (c *chain) refuses(out *wire.TxOut) string {
	script, _ := c.tokens(out.PkScript)
	data := len(script) > 0 && script[0] == opReturn
	switch {
	case !c.knows(script):
		return "scriptpubkey"
	case !data && out.Value < c.least(out):
		return "dust"
	}
	return ""
}

// knows reports whether wallets make scripts of this kind.
func (c *chain) knows(script []byte) bool {
	if c.network == "BitcoinCash" && isScriptHash32(script) {
		return true
	}
	kind := txscript.GetScriptClass(script)
	switch kind {
	case txscript.NullDataTy:
		return len(script) <= c.data
	case txscript.WitnessV0PubKeyHashTy, txscript.WitnessV0ScriptHashTy, txscript.WitnessV1TaprootTy:
		return c.witness
	}
	if len(script) > 0 && script[0] == opReturn {
		_, err := pushes(script[1:])
		return err == nil && len(script) <= c.data
	}
	return slices.Contains([]txscript.ScriptClass{txscript.PubKeyTy, txscript.PubKeyHashTy, txscript.ScriptHashTy, txscript.MultiSigTy}, kind)
}

func isScriptHash32(script []byte) bool {
	return len(script) == 35 && bytes.HasPrefix(script, []byte{0xaa, 0x20}) && script[34] == 0x87
}

// least is the smallest amount of an output that is not dust.
func (c *chain) least(out *wire.TxOut) int64 {
	if c.dust > 0 {
		return c.dust
	}
	size := out.SerializeSize()
	if c.witness && txscript.IsWitnessProgram(out.PkScript) {
		size += witnessSpends
	} else {
		size += spending
	}
	return dustTimes * dustRate * int64(size) / 1000
}

// tokens takes the tokens of BitcoinCash off a script, and shows them; absent where there are none. Their rules are not checked.
func (c *chain) tokens(script []byte) (plain []byte, shown any) {
	const category = 1 + 32
	if c.network != "BitcoinCash" || len(script) <= category || script[0] != tokenMark {
		return script, absent{}
	}
	name := slices.Clone(script[1:category])
	slices.Reverse(name)
	in := bytes.NewReader(script[category:])
	has, _ := in.ReadByte()
	commitment, amount := []byte{}, uint64(0)
	var err error
	if has&0x40 != 0 {
		commitment, err = wire.ReadVarBytes(in, 0, uint32(len(script)), "commitment")
	}
	if has&0x10 != 0 && err == nil {
		amount, err = wire.ReadVarInt(in, 0)
	}
	if err != nil {
		return script, absent{}
	}
	one := any(absent{})
	if has&0x20 != 0 {
		one = object{"capability", []string{"none", "mutable", "minting"}[min(has&0x0f, 2)], "commitment", hex.EncodeToString(commitment)}
	}
	return script[len(script)-in.Len():], object{"category", hex.EncodeToString(name), "amount", strconv.FormatUint(amount, 10), "nft", one}
}
