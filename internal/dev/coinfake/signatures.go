package coinfake

import (
	"bytes"

	"github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

// What nodes say of scripts that fail.
const (
	shortStack = "Operation not valid with the current stack size"
	otherKey   = "Script failed an OP_EQUALVERIFY operation"
	noSign     = "Script evaluated without error but finished with a false/empty top stack element"
	badSign    = "Signature must be zero for failed CHECK(MULTI)SIG operation"
)

// verify runs the script of an output that an input spends. It returns what is wrong, or "". Signatures with a fork's number are known
// in payments to a key alone. Before the fork, signatures are Bitcoin's, whatever their type.
func (c *chain) verify(tx *wire.MsgTx, i int, from *wire.TxOut) string {
	if c.fork > 0 && c.tip().height == c.fork {
		return noSign // the node checks by the rules of before and after
	}
	if c.forkID == 0 || c.tip().height+1 < c.fork {
		return c.run(tx, i, from)
	}
	parts, err := pushes(tx.TxIn[i].SignatureScript)
	switch {
	case txscript.IsPayToWitnessPubKeyHash(from.PkScript) && c.witness:
		if parts = tx.TxIn[i].Witness; len(tx.TxIn[i].SignatureScript) > 0 {
			return "Witness requires empty scriptSig"
		}
	case !txscript.IsPayToPubKeyHash(from.PkScript):
		return "the fake knows payments to a key only"
	}
	if err != nil || len(parts) < 2 || len(parts[len(parts)-2]) == 0 {
		return shortStack
	}
	signature, key := parts[len(parts)-2], parts[len(parts)-1]
	if !bytes.Contains(from.PkScript, address.Hash160(key)) {
		return otherKey
	}
	kind := signature[len(signature)-1]
	if kind != byte(txscript.SigHashAll)|byte(c.forkID) {
		return "Signature hash type missing or not understood"
	}
	hashes := txscript.NewTxSigHashes(tx, txscript.NewCannedPrevOutputFetcher(from.PkScript, from.Value))
	digest, err := txscript.CalcWitnessSigHash(from.PkScript, hashes, txscript.SigHashAll|txscript.SigHashType(c.forkID), tx, i, from.Value)
	if err != nil {
		return err.Error()
	}
	parsed, err := ecdsa.ParseDERSignature(signature[:len(signature)-1])
	if err != nil {
		return "Non-canonical DER signature"
	}
	public, err := btcec.ParsePubKey(key)
	if err != nil || !parsed.Verify(digest, public) {
		return badSign
	}
	return ""
}

// run is Bitcoin's own engine.
func (c *chain) run(tx *wire.MsgTx, i int, from *wire.TxOut) string {
	if len(tx.TxIn[i].SignatureScript) == 0 {
		return shortStack
	}
	prevouts := txscript.NewCannedPrevOutputFetcher(from.PkScript, from.Value)
	flags := txscript.ScriptBip16 | txscript.ScriptVerifyDERSignatures | txscript.ScriptVerifyLowS
	if c.forkID == 0 {
		flags |= txscript.ScriptVerifyStrictEncoding
	}
	engine, err := txscript.NewEngine(from.PkScript, tx, i, flags, nil, nil, from.Value, prevouts)
	if err == nil {
		err = engine.Execute()
	}
	switch {
	case err == nil:
		return ""
	case txscript.IsErrorCode(err, txscript.ErrEqualVerify):
		return otherKey
	default:
		return badSign
	}
}

// pushes are the data that a script pushes, if it does nothing else.
func pushes(script []byte) (parts [][]byte, err error) {
	tokens := txscript.MakeScriptTokenizer(0, script)
	for tokens.Next() {
		parts = append(parts, tokens.Data())
	}
	return parts, tokens.Err()
}
