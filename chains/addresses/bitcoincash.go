package addresses

import (
	"strings"

	"github.com/btcsuite/btcd/address/v2"
)

const cashPrefix = "bitcoincash"

// The kinds of a cashaddr. The token-aware kinds are the same accounts in another spelling.
const (
	cashKeyHash byte = iota
	cashScriptHash
	cashTokenKeyHash
	cashTokenScriptHash
)

// readBitcoinCash accepts cashaddr, with or without its prefix, and the legacy form of a public key's
// hash; the canonical spelling is cashaddr with its prefix. A legacy script hash, 3…, matches and is
// not paid to: today it is Bitcoin's, and BitcoinCash may be unable to spend from the script.
func readBitcoinCash(text string) (reading, error) {
	if text[0] == '1' || text[0] == '3' {
		return readLegacyCash(text)
	}
	kind, hash, err := decodeCash(text)
	if err != nil {
		return reading{}, err
	}
	switch kind {
	case cashTokenKeyHash:
		kind = cashKeyHash
	case cashTokenScriptHash:
		kind = cashScriptHash
	}
	r := reading{canonical: encodeCash(kind, hash)}
	if len(hash) != 20 && !(kind == cashScriptHash && len(hash) == 32) {
		r.refusal = "hash of a length that no script pays"
	}
	return r, nil
}

const borrowedByCash = "3… is an address of Bitcoin today, an address of BitcoinCash begins with bitcoincash:, q, p or 1"

func readLegacyCash(text string) (reading, error) {
	payload, err := decodeCheck(text, bitcoinAlphabet, 21)
	if err != nil {
		return reading{}, err
	}
	switch payload[0] {
	case 0:
		return reading{canonical: encodeCash(cashKeyHash, payload[1:])}, nil
	case 5:
		return reading{canonical: encodeCash(cashScriptHash, payload[1:]), refusal: borrowedByCash}, nil
	}
	return reading{}, malformed("another network's version")
}

func encodeBitcoinCash(seed [32]byte) string {
	return encodeCash(cashKeyHash, address.Hash160(seed[:]))
}

func bitcoinCashFromPublic(key []byte) string {
	return encodeCash(cashKeyHash, address.Hash160(key))
}

// decodeCash reads a cashaddr of the main network into its kind and hash.
func decodeCash(text string) (kind byte, hash []byte, err error) {
	lower := strings.ToLower(text)
	if lower != text && strings.ToUpper(text) != text {
		return 0, nil, malformed("mixed case")
	}
	body, found := strings.CutPrefix(lower, cashPrefix+":")
	if !found && strings.Contains(lower, ":") {
		return 0, nil, malformed("another network's prefix")
	}
	groups := make([]byte, len(body))
	for i := range len(body) {
		v := strings.IndexByte(cashCharset, body[i])
		if v < 0 {
			return 0, nil, malformed("character")
		}
		groups[i] = byte(v)
	}
	if len(groups) < cashChecksum || cashPolymod(groups) != 0 {
		return 0, nil, malformed("checksum")
	}
	return splitCash(groups[:len(groups)-cashChecksum])
}

// splitCash takes the version byte apart: one reserved bit, four of kind, three of hash length.
func splitCash(groups []byte) (kind byte, hash []byte, err error) {
	raw, err := regroup(groups)
	if err != nil {
		return 0, nil, err
	}
	if len(raw) == 0 {
		return 0, nil, malformed("length")
	}
	version, hash := raw[0], raw[1:]
	if version>>3 > cashTokenScriptHash || len(hash) != cashSizes[version&7] {
		return 0, nil, malformed("version")
	}
	return version >> 3, hash, nil
}
