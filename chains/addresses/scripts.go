package addresses

import (
	"slices"

	"github.com/btcsuite/btcd/address/v2/bech32"

	"causeway/internal/pay"
)

// The forms of an output of Bitcoin and its kin that have an address, around the hash.
var (
	payKeyHash    = [2][]byte{{0x76, 0xa9, 0x14}, {0x88, 0xac}}
	payScriptHash = [2][]byte{{0xa9, 0x14}, {0x87}}
	payScript32   = [2][]byte{{0xaa, 0x20}, {0x87}} // BitcoinCash alone
)

// scriptCoins are the networks with outputs by script.
var scriptCoins = map[pay.Family]coin{
	pay.Bitcoin: bitcoin, pay.Litecoin: litecoin, pay.Dogecoin: dogecoin, pay.BitcoinSV: bitcoinSV, pay.BitcoinGold: bitcoinGold,
}

// Script returns the output that pays to an address of Bitcoin or its kin. Errors are those of Validate.
func Script(network, address string) ([]byte, error) {
	canonical, err := Validate(network, address)
	if err != nil {
		return nil, err
	}
	n, _ := pay.NetworkNamed(network)
	if n.Family == pay.BitcoinCash {
		kind, hash, err := decodeCash(canonical)
		switch {
		case err != nil:
			return nil, err
		case kind == cashKeyHash:
			return wrap(payKeyHash, hash), nil
		case len(hash) == 32:
			return wrap(payScript32, hash), nil
		}
		return wrap(payScriptHash, hash), nil
	}
	c, known := scriptCoins[n.Family]
	if !known {
		return nil, ErrNetwork
	}
	return c.script(canonical)
}

// OfScript returns the address in the spelling of Match that an output of Bitcoin or its kin pays to, "" where it has none.
func OfScript(network string, script []byte) string {
	n, ok := pay.NetworkNamed(network)
	if !ok {
		return ""
	}
	if n.Family == pay.BitcoinCash {
		if hash := unwrap(payKeyHash, script, 20); hash != nil {
			return encodeCash(cashKeyHash, hash)
		}
		if hash := unwrap(payScriptHash, script, 20); hash != nil {
			return encodeCash(cashScriptHash, hash)
		}
		if hash := unwrap(payScript32, script, 32); hash != nil {
			return encodeCash(cashScriptHash, hash)
		}
		return ""
	}
	if c, known := scriptCoins[n.Family]; known {
		return c.ofScript(script)
	}
	return ""
}

// script returns the output of a canonical address.
func (c coin) script(canonical string) ([]byte, error) {
	if c.hrp != "" && hasHRP(canonical, c.hrp) {
		version, program, err := decodeSegwit(canonical)
		if err != nil {
			return nil, err
		}
		if version > 0 {
			version += 0x50 // OP_1 to OP_16
		}
		return append([]byte{version, byte(len(program))}, program...), nil
	}
	payload, err := decodeCheck(canonical, bitcoinAlphabet, 21)
	if err != nil {
		return nil, err
	}
	if payload[0] == c.pubKeyHash {
		return wrap(payKeyHash, payload[1:]), nil
	}
	return wrap(payScriptHash, payload[1:]), nil
}

// ofScript returns the address of an output.
func (c coin) ofScript(script []byte) string {
	if hash := unwrap(payKeyHash, script, 20); hash != nil {
		return encodeCheck(bitcoinAlphabet, []byte{c.pubKeyHash}, hash)
	}
	if hash := unwrap(payScriptHash, script, 20); hash != nil {
		return encodeCheck(bitcoinAlphabet, c.scriptHash[:1], hash)
	}
	version, program := witness(script)
	switch {
	case c.hrp == "" || program == nil || version == 0 && len(program) != 20 && len(program) != 32:
		return ""
	case version == 0:
		return encodeSegwit(c.hrp, program)
	}
	text, _ := bech32.EncodeM(c.hrp, append([]byte{version}, fiveBits(program)...))
	return text
}

// witness takes a witness output apart (BIP 141); the program is nil of every other output.
func witness(script []byte) (version byte, program []byte) {
	if len(script) < 4 || len(script) > 42 || int(script[1]) != len(script)-2 {
		return 0, nil
	}
	switch op := script[0]; {
	case op == 0:
		return 0, script[2:]
	case op >= 0x51 && op <= 0x60:
		return op - 0x50, script[2:]
	}
	return 0, nil
}

func wrap(form [2][]byte, hash []byte) []byte { return slices.Concat(form[0], hash, form[1]) }

// unwrap returns the hash in an output of a form, nil in others.
func unwrap(form [2][]byte, script []byte, size int) []byte {
	before, after := len(form[0]), len(form[1])
	if len(script) != before+size+after || !slices.Equal(script[:before], form[0]) || !slices.Equal(script[before+size:], form[1]) {
		return nil
	}
	return script[before : before+size]
}
