package remotesigner

import (
	"bytes"
	"crypto/ecdsa"
	"encoding/asn1"
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
)

// half is half the order of secp256k1. Networks take no s above it.
var half = new(big.Int).Rsh(crypto.S256().Params().N, 1)

// errHigh says that a signature is right, and of a form that networks do not take.
var errHigh = errors.New("its s is the high one of two: answer the order of the curve less s")

// errHex says that an answer is no bytes.
var errHex = errors.New("the signature is not in hex with 0x in front")

// errOther says that a signature does not hold.
var errOther = errors.New("the signature is by another key, or of another digest")

// checked returns r, s and the recovery id of a signature in hex, if it is by the public key.
func checked(text string, digest [32]byte, public *ecdsa.PublicKey) ([]byte, error) {
	raw, err := hexutil.Decode(text)
	if err != nil {
		return nil, errHex
	}
	err = errors.New("the signature is neither r and s, 32 bytes each, with or without v, nor DER")
	for _, rs := range candidates(raw) {
		signature, failed := recoverable(rs, digest, public)
		if failed == nil {
			return signature, nil
		}
		err = failed
	}
	return nil, err
}

// candidates are the readings of a signature as r and s: plain, plain with v, and DER. A KMS answers DER. v is not believed.
func candidates(raw []byte) (out [][]byte) {
	var der struct{ R, S *big.Int }
	if rest, err := asn1.Unmarshal(raw, &der); err == nil && len(rest) == 0 && fits(der.R) && fits(der.S) {
		rs := make([]byte, 64)
		der.R.FillBytes(rs[:32])
		der.S.FillBytes(rs[32:])
		out = append(out, rs)
	}
	if len(raw) == 64 || len(raw) == 65 {
		out = append(out, raw[:64])
	}
	return out
}

func fits(n *big.Int) bool { return n.Sign() > 0 && n.BitLen() <= 256 }

// recoverable adds the recovery id by which the signature is one of the public key.
func recoverable(rs []byte, digest [32]byte, public *ecdsa.PublicKey) ([]byte, error) {
	want := crypto.FromECDSAPub(public)
	for v := range byte(2) {
		signature := append(bytes.Clone(rs), v)
		by, err := crypto.Ecrecover(digest[:], signature)
		if err != nil || !bytes.Equal(by, want) {
			continue
		}
		if new(big.Int).SetBytes(rs[32:]).Cmp(half) > 0 {
			return nil, errHigh
		}
		return signature, nil
	}
	return nil, errOther
}
