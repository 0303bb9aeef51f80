package addresses

import (
	"encoding/binary"
	"strconv"

	"github.com/btcsuite/btcd/address/v2"
	"github.com/mr-tron/base58"
)

var rippleAlphabet = base58.NewAlphabet("rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz")

var (
	rippleAccount   = []byte{0}          // classic address, r…
	rippleXAddress  = []byte{0x05, 0x44} // X-address of the main network, X…
	rippleXAddrSize = 2 + 20 + 1 + 8     // prefix, account, flag, tag
)

// readRipple accepts the classic form and the main network's X-address, with or without a destination
// tag of 32 bits. Both spellings of an account match under the classic address.
func readRipple(text string) (reading, error) {
	if text[0] == 'X' {
		return readXAddress(text)
	}
	payload, err := decodeCheck(text, rippleAlphabet, 21)
	if err != nil {
		return reading{}, err
	}
	if payload[0] != rippleAccount[0] {
		return reading{}, malformed("not an account")
	}
	return reading{canonical: text}, nil
}

func readXAddress(text string) (reading, error) {
	payload, err := decodeCheck(text, rippleAlphabet, rippleXAddrSize)
	if err != nil {
		return reading{}, err
	}
	if string(payload[:2]) != string(rippleXAddress) {
		return reading{}, malformed("another network's prefix")
	}
	classic := encodeCheck(rippleAlphabet, rippleAccount, payload[2:22])
	r := reading{canonical: text, match: classic, base: classic}
	flag, tag := payload[22], binary.LittleEndian.Uint64(payload[23:])
	switch {
	case flag == 0 && tag == 0:
	case flag == 1 && tag < 1<<32:
		r.tag, r.tagged = strconv.FormatUint(tag, 10), true
	default:
		return reading{}, malformed("destination tag")
	}
	return r, nil
}

func encodeRipple(seed [32]byte) string { return rippleFromPublic(seed[:]) }

func rippleFromPublic(key []byte) string {
	return encodeCheck(rippleAlphabet, rippleAccount, address.Hash160(key))
}

// RippleOf writes an account of the XRP Ledger as people do.
func RippleOf(account [20]byte) string {
	return encodeCheck(rippleAlphabet, rippleAccount, account[:])
}

// RippleAccount reads a classic address of the XRP Ledger, which begins with r. The error is ErrFormat.
func RippleAccount(address string) (account [20]byte, err error) {
	payload, err := decodeCheck(address, rippleAlphabet, 1+len(account))
	if err != nil {
		return account, err
	}
	if payload[0] != rippleAccount[0] {
		return account, malformed("not an account")
	}
	return [20]byte(payload[1:]), nil
}
