package addresses

import (
	"slices"
	"strings"

	"github.com/btcsuite/btcd/address/v2"
)

// coin is how one chain of the Bitcoin kind writes its addresses.
type coin struct {
	pubKeyHash  byte   // base58check version of pay-to-public-key-hash
	scriptHash  []byte // versions of pay-to-script-hash; the first is the one we write
	noScripts   bool   // script hashes are no longer payable on this chain
	borrowed    string // refuses script hashes in the spelling of another chain, and names the right one
	hrp         string // of segwit addresses; empty where there are none
	witness     byte   // highest payable witness version
	extension   []byte // witness versions of an extension block: a payment there is none of this chain
	unpayable   string // hrp of addresses no plain transaction can pay
	segwitFirst bool   // our own addresses are p2wpkh
}

// Version bytes and prefixes are those of each chain's reference node. Litecoin matches script hashes
// with Bitcoin's version 5 too, its spelling before 2017. Today 3… is Bitcoin's, and money meant for
// Bitcoin would be lost, so Litecoin pays to no 3….
var (
	bitcoin  = coin{pubKeyHash: 0, scriptHash: []byte{5}, hrp: "bc", witness: 16, segwitFirst: true}
	litecoin = coin{pubKeyHash: 48, scriptHash: []byte{50, 5}, hrp: "ltc", witness: 16, extension: []byte{8, 9},
		unpayable: "ltcmweb", segwitFirst: true,
		borrowed: "3… is an address of Bitcoin today, an address of Litecoin begins with L, M or ltc1"}
	dogecoin    = coin{pubKeyHash: 30, scriptHash: []byte{22}}
	bitcoinSV   = coin{pubKeyHash: 0, scriptHash: []byte{5}, noScripts: true}
	bitcoinGold = coin{pubKeyHash: 38, scriptHash: []byte{23}, hrp: "btg", witness: 0}
)

func (c coin) read(text string) (reading, error) {
	if c.hrp != "" && hasHRP(text, c.hrp) {
		return c.readSegwit(text)
	}
	if c.unpayable != "" && hasHRP(text, c.unpayable) {
		return c.readUnpayable(text)
	}
	payload, err := decodeCheck(text, bitcoinAlphabet, 21)
	if err != nil {
		return reading{}, err
	}
	version, hash := payload[0], payload[1:]
	if version == c.pubKeyHash {
		return reading{canonical: text}, nil
	}
	if !slices.Contains(c.scriptHash, version) {
		return reading{}, malformed("another network's version")
	}
	r := reading{canonical: encodeCheck(bitcoinAlphabet, c.scriptHash[:1], hash)}
	switch {
	case c.noScripts:
		r.refusal = "this chain pays no script hashes"
	case c.borrowed != "" && version != c.scriptHash[0]:
		r.refusal = c.borrowed
	}
	return r, nil
}

func (c coin) readSegwit(text string) (reading, error) {
	version, _, err := decodeSegwit(text)
	if err != nil {
		return reading{}, err
	}
	r := reading{canonical: strings.ToLower(text)}
	if version > c.witness || slices.Contains(c.extension, version) {
		r.refusal = "witness version not in force on this chain"
	}
	return r, nil
}

// readUnpayable reads a Litecoin MWEB stealth address: two public keys under version 0.
func (c coin) readUnpayable(text string) (reading, error) {
	_, data, err := decodeBech32(text)
	if err != nil {
		return reading{}, err
	}
	if len(data) == 0 || data[0] != 0 {
		return reading{}, malformed("version")
	}
	keys, err := regroup(data[1:])
	if err != nil || len(keys) != 66 {
		return reading{}, malformed("length")
	}
	return reading{canonical: strings.ToLower(text), refusal: "only a peg-in pays this address"}, nil
}

func (c coin) encode(seed [32]byte) string { return c.fromHash(address.Hash160(seed[:])) }

func (c coin) fromPublic(key []byte) string { return c.fromHash(address.Hash160(key)) }

// fromHash writes the address of a public key's hash: p2wpkh where we use segwit, else p2pkh.
func (c coin) fromHash(hash []byte) string {
	if c.segwitFirst {
		return encodeSegwit(c.hrp, hash)
	}
	return encodeCheck(bitcoinAlphabet, []byte{c.pubKeyHash}, hash)
}
