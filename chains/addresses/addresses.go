// Package addresses reads and writes the addresses of every network: it checks the destination of a
// payout, gives the key for matching transfers, makes the addresses of simulated networks, and
// derives real ones from public keys. It holds no key and asks no node.
package addresses

import (
	"errors"
	"fmt"

	"causeway/internal/pay"
)

// longest caps the text before anything looks at it. The wire allows 120 characters (api-v1 §Payout);
// the few more let the error for a Litecoin MWEB address (121) name it.
const longest = 128

// Errors of an address. None ever repeats the text of the address: a customer may have pasted a
// secret instead.
var (
	// ErrFormat: the text is not an address of this network (form, checksum or another network's).
	ErrFormat = errors.New("the address does not fit the network")
	// ErrNotPayable: a well-formed address where money would be lost or cannot be sent, such as a
	// token's own contract, the zero address or a stake address.
	ErrNotPayable = errors.New("the address cannot be paid to")
	// ErrNetwork: no network of the contract has this name.
	ErrNetwork = errors.New("no such network")
)

// refusedError is ErrNotPayable with its reason.
type refusedError struct{ why string }

// Error implements error.
func (e *refusedError) Error() string { return ErrNotPayable.Error() + ": " + e.why }

// Unwrap returns ErrNotPayable.
func (e *refusedError) Unwrap() error { return ErrNotPayable }

// Hint returns the reason, for the sender of the address.
func (e *refusedError) Hint() string { return e.why }

// reading is a well-formed address taken apart.
type reading struct {
	canonical string // the one spelling we store and show
	match     string // key of the account; empty when the canonical spelling is the key
	base, tag string // classic address and destination tag of a Ripple X-address
	tagged    bool   // the address carries a tag
	refusal   string // why it cannot be paid; empty when it can
}

// key is the same for every spelling of one account.
func (r reading) key() string {
	if r.match != "" {
		return r.match
	}
	return r.canonical
}

// codec reads and writes the addresses of one family.
type codec struct {
	read       func(text string) (reading, error)
	encode     func(seed [32]byte) string
	fromPublic func(key []byte) string // from a compressed secp256k1 key; nil where there is none
}

var codecs = map[pay.Family]codec{
	pay.EVM:         {readEVM, encodeEVM, evmFromPublic},
	pay.Bitcoin:     {bitcoin.read, bitcoin.encode, bitcoin.fromPublic},
	pay.Litecoin:    {litecoin.read, litecoin.encode, litecoin.fromPublic},
	pay.Dogecoin:    {dogecoin.read, dogecoin.encode, dogecoin.fromPublic},
	pay.BitcoinSV:   {bitcoinSV.read, bitcoinSV.encode, bitcoinSV.fromPublic},
	pay.BitcoinGold: {bitcoinGold.read, bitcoinGold.encode, bitcoinGold.fromPublic},
	pay.BitcoinCash: {readBitcoinCash, encodeBitcoinCash, bitcoinCashFromPublic},
	pay.Tron:        {readTron, encodeTron, tronFromPublic},
	pay.Solana:      {readSolana, encodeSolana, nil},
	pay.Ripple:      {readRipple, encodeRipple, rippleFromPublic},
	pay.Cardano:     {readCardano, encodeCardano, nil},
	pay.TON:         {readTON, encodeTON, nil},
	pay.Monero:      {readMonero, encodeMonero, nil},
}

// plain are the families with one spelling for an account. It is the key too: their read changes no text.
var plain = map[pay.Family]bool{pay.Tron: true, pay.Solana: true}

// Validate checks the destination of a payout on the network with this canonical name and returns its
// canonical spelling (api-v1 §Payout, wallet). The caller trims surrounding spaces. Errors are
// ErrFormat, ErrNotPayable or ErrNetwork. The well-known token contracts of the network are refused;
// other contracts of the operator's catalogue are for the caller to compare by Match.
func Validate(network, address string) (canonical string, err error) {
	r, err := read(network, address)
	if err != nil {
		return "", err
	}
	if why := r.refusal; why != "" {
		return "", &refusedError{why}
	}
	if why, found := unpayable[network][r.key()]; found {
		return "", &refusedError{why}
	}
	return r.canonical, nil
}

// Match returns the key for finding transfers to an address: the same for every spelling of one
// account, payable or not. A text that is no address of the network is its own key, so it matches
// nothing but itself.
func Match(network, address string) string {
	if n, ok := pay.NetworkNamed(network); ok && plain[n.Family] {
		return address
	}
	r, err := read(network, address)
	if err != nil {
		return address
	}
	return r.key()
}

// Tag takes apart a Ripple X-address: base is the classic address, tag its destination tag in
// decimal, ok whether it has one. Every other address comes back as base, without a tag.
func Tag(network, address string) (base, tag string, ok bool) {
	if n, ok := pay.NetworkNamed(network); !ok || !n.Tag {
		return address, "", false
	}
	r, err := read(network, address)
	if err != nil || r.base == "" {
		return address, "", false
	}
	return r.base, r.tag, r.tagged
}

// Encode makes the deposit address of a simulated network: of the real format and checksum, and
// the same for the same seed (operator §Sandbox networks). It is empty for an unknown network.
func Encode(network string, seed [32]byte) string {
	n, ok := pay.NetworkNamed(network)
	if !ok {
		return ""
	}
	return codecs[n.Family].encode(seed)
}

func read(network, address string) (reading, error) {
	n, ok := pay.NetworkNamed(network)
	if !ok {
		return reading{}, ErrNetwork
	}
	if address == "" || len(address) > longest {
		return reading{}, malformed("length")
	}
	return codecs[n.Family].read(address)
}

func malformed(why string) error { return fmt.Errorf("%w: %s", ErrFormat, why) }
