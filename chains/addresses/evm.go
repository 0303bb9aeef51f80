package addresses

import (
	"encoding/hex"
	"strings"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// readEVM accepts 0x and 40 hex digits. Digits of mixed case must be spelt by EIP-55; all lower or
// all upper carries no checksum and is accepted (api-v1 §Payout). Canonical is EIP-55.
func readEVM(text string) (reading, error) {
	if len(text) != 42 || text[:2] != "0x" {
		return reading{}, malformed("not 0x and 40 hex digits")
	}
	var account common.Address
	if _, err := hex.Decode(account[:], []byte(text[2:])); err != nil {
		return reading{}, malformed("not hex")
	}
	canonical, lower := account.Hex(), strings.ToLower(text)
	if text != canonical && text != lower && text[2:] != strings.ToUpper(text[2:]) {
		return reading{}, malformed("EIP-55 checksum")
	}
	r := reading{canonical: canonical, match: lower}
	if account == (common.Address{}) {
		r.refusal = "the zero address"
	}
	return r, nil
}

func encodeEVM(seed [32]byte) string {
	return common.BytesToAddress(crypto.Keccak256(seed[:])[12:]).Hex()
}

func evmFromPublic(key []byte) string { return common.BytesToAddress(accountOf(key)).Hex() }

// accountOf returns the 20 bytes of a secp256k1 key's account on EVM chains and Tron. The key comes
// from a derivation, so it is on the curve.
func accountOf(key []byte) []byte {
	point, err := secp256k1.ParsePubKey(key)
	if err != nil {
		panic("addresses: derived key is not on the curve")
	}
	return crypto.Keccak256(point.SerializeUncompressed()[1:])[12:]
}
