package utxo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"
	"golang.org/x/sync/errgroup"
)

const (
	version   = 1 // of a later one BitcoinSV lets anybody change the id
	final     = 0xffffffff
	replaced  = 0xfffffffd // may be replaced (BIP 125)
	sighash   = txscript.SigHashAll
	forkedBit = 0x40 // SIGHASH_FORKID
)

// signed writes a transaction and signs each of its inputs with the key of its coin.
func (s *Sender) signed(coins []held, outs []output) (txid string, raw []byte, err error) {
	tx := wire.NewMsgTx(version)
	prev := txscript.NewMultiPrevOutFetcher(nil)
	for _, h := range coins {
		in := wire.NewTxIn(&wire.OutPoint{Hash: chainhash.Hash(h.place.from), Index: h.place.vout}, nil, nil)
		if in.Sequence = final; s.coin.replaces {
			in.Sequence = replaced
		}
		tx.AddTxIn(in)
		prev.AddPrevOut(in.PreviousOutPoint, wire.NewTxOut(h.units, []byte(h.script)))
	}
	for _, o := range outs {
		tx.AddTxOut(wire.NewTxOut(o.units, o.script))
	}
	hashes := txscript.NewTxSigHashes(tx, prev)
	if err := s.signInputs(tx, coins, hashes); err != nil {
		return "", nil, err
	}
	for i := range coins {
		if err := s.checkInput(tx, i, &coins[i], hashes, prev); err != nil {
			return "", nil, fmt.Errorf("the signature of input %d does not hold: %w", i, err)
		}
	}
	var out bytes.Buffer
	if err := tx.Serialize(&out); err != nil {
		return "", nil, err
	}
	read, err := parse(out.Bytes())
	if err != nil || read.hash != hash(tx.TxHash()) {
		return "", nil, errors.New("it reads as another transaction")
	}
	return read.hash.String(), out.Bytes(), nil
}

// signingAtOnce is how many inputs are signed at the same time: a signer elsewhere takes long for each.
const signingAtOnce = 16

// signInputs signs all inputs. After a failure no further one is signed.
func (s *Sender) signInputs(tx *wire.MsgTx, coins []held, hashes *txscript.TxSigHashes) error {
	digests := make([][32]byte, len(coins)) // before any input is written to
	for i := range coins {
		digest, err := s.digest(tx, i, &coins[i], hashes)
		if err != nil {
			return err
		}
		digests[i] = [32]byte(digest)
	}
	proofs := make([][2][]byte, len(coins))
	group, ctx := errgroup.WithContext(s.open)
	group.SetLimit(signingAtOnce)
	for i := range coins {
		group.Go(func() (err error) {
			if ctx.Err() == nil {
				proofs[i][0], proofs[i][1], err = s.keys.sign(coins[i].at, digests[i])
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, proof := range proofs {
		if err := s.prove(tx.TxIn[i], proof[0], proof[1]); err != nil {
			return err
		}
	}
	return nil
}

// digest is what the signature of an input is of.
func (s *Sender) digest(tx *wire.MsgTx, i int, of *held, hashes *txscript.TxSigHashes) ([]byte, error) {
	script := []byte(of.script)
	switch {
	case s.coin.segwit:
		return txscript.CalcWitnessSigHash(script, hashes, sighash, tx, i, of.units)
	case s.coin.forkID < 0:
		return txscript.CalcSignatureHash(script, sighash, tx, i)
	default:
		return txscript.CalcWitnessSigHash(script, hashes, s.coin.forkType(), tx, i, of.units)
	}
}

// prove writes a signature in DER and its key into an input.
func (s *Sender) prove(in *wire.TxIn, der, key []byte) (err error) {
	kind := sighash
	if s.coin.forkID >= 0 {
		kind = s.coin.forkType()
	}
	sig := append(der, byte(kind))
	if s.coin.segwit {
		in.Witness = wire.TxWitness{sig, key}
		return nil
	}
	in.SignatureScript, err = txscript.NewScriptBuilder().AddData(sig).AddData(key).Script()
	return err
}

// forkType is the type of a signature that holds on this side of a fork alone.
func (c *coin) forkType() txscript.SigHashType {
	return txscript.SigHashType(c.forkID)<<8 | forkedBit | sighash
}

// checkInput checks a signature: by the script engine of Bitcoin or, where the digest is another one, by a second computation of it.
func (s *Sender) checkInput(tx *wire.MsgTx, i int, of *held, hashes *txscript.TxSigHashes, prev txscript.PrevOutputFetcher) error {
	if s.coin.forkID >= 0 {
		return s.coin.checkForked(tx, i, of.units, []byte(of.script))
	}
	engine, err := txscript.NewEngine([]byte(of.script), tx, i, txscript.StandardVerifyFlags, nil, hashes, of.units, prev)
	if err != nil {
		return err
	}
	return engine.Execute()
}

// checkForked checks an input that spends an output to a key, by the rules of BitcoinCash and its kin.
func (c *coin) checkForked(tx *wire.MsgTx, i int, units int64, script []byte) error {
	words, err := txscript.PushedData(tx.TxIn[i].SignatureScript)
	if err != nil || len(words) != 2 || len(words[0]) < 2 {
		return errors.New("it is not a signature and a key")
	}
	sig, key := words[0], words[1]
	if !bytes.Equal(script, append(append([]byte{0x76, 0xa9, 20}, address.Hash160(key)...), 0x88, 0xac)) {
		return errors.New("it is of another key")
	}
	last := len(sig) - 1
	if sig[last] != byte(c.forkType()) {
		return errors.New("it is of another type")
	}
	parsed, err := ecdsa.ParseDERSignature(sig[:last])
	if err != nil {
		return err
	}
	public, err := btcec.ParsePubKey(key)
	if err != nil {
		return err
	}
	digest := forkedDigest(tx, i, units, script, uint32(c.forkType()))
	if !parsed.Verify(digest[:], public) {
		return errors.New("it is of another transaction")
	}
	return nil
}

// forkedDigest is the digest of BIP 143 over all inputs and outputs, with the type in four bytes (replay-protected-sighash.md of Bitcoin
// Cash).
func forkedDigest(tx *wire.MsgTx, i int, units int64, script []byte, kind uint32) hash {
	var prevouts, sequences, outputs, out bytes.Buffer
	number := func(b *bytes.Buffer, n any) { _ = binary.Write(b, binary.LittleEndian, n) }
	for _, in := range tx.TxIn {
		prevouts.Write(in.PreviousOutPoint.Hash[:])
		number(&prevouts, in.PreviousOutPoint.Index)
		number(&sequences, in.Sequence)
	}
	for _, o := range tx.TxOut {
		number(&outputs, o.Value)
		_ = wire.WriteVarBytes(&outputs, 0, o.PkScript)
	}
	in := tx.TxIn[i]
	number(&out, tx.Version)
	for _, b := range []*bytes.Buffer{&prevouts, &sequences} {
		sum := double(b.Bytes())
		out.Write(sum[:])
	}
	out.Write(in.PreviousOutPoint.Hash[:])
	number(&out, in.PreviousOutPoint.Index)
	_ = wire.WriteVarBytes(&out, 0, script)
	number(&out, units)
	number(&out, in.Sequence)
	sum := double(outputs.Bytes())
	out.Write(sum[:])
	number(&out, tx.LockTime)
	number(&out, kind)
	return double(out.Bytes())
}
