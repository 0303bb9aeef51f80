package addresses

import (
	"strings"

	"github.com/btcsuite/btcd/address/v2/bech32"
)

// hasHRP reports whether the text starts with this bech32 prefix, in either case.
func hasHRP(text, hrp string) bool {
	n := len(hrp)
	return len(text) > n && text[n] == '1' && strings.EqualFold(text[:n], hrp)
}

// decodeBech32 reads a bech32 text (not bech32m) of any length into its prefix and 5-bit groups.
func decodeBech32(text string) (hrp string, data []byte, err error) {
	hrp, data, version, err := bech32.DecodeNoLimitWithVersion(text)
	if err != nil || version != bech32.Version0 {
		return "", nil, malformed("bech32")
	}
	return hrp, data, nil
}

// regroup turns 5-bit groups into bytes; the padding must be short and zero.
func regroup(data []byte) ([]byte, error) {
	raw, err := bech32.ConvertBits(data, 5, 8, false)
	if err != nil {
		return nil, malformed("padding")
	}
	return raw, nil
}

// decodeSegwit reads a witness address by BIP 173 and BIP 350; the caller has checked the prefix.
func decodeSegwit(text string) (version byte, program []byte, err error) {
	_, data, encoding, err := bech32.DecodeNoLimitWithVersion(text)
	if err != nil || len(data) == 0 {
		return 0, nil, malformed("bech32")
	}
	version = data[0]
	if version > 16 {
		return 0, nil, malformed("witness version")
	}
	if (version == 0) != (encoding == bech32.Version0) {
		return 0, nil, malformed("bech32 or bech32m mistaken")
	}
	program, err = regroup(data[1:])
	if err != nil {
		return 0, nil, err
	}
	n := len(program)
	if n < 2 || n > 40 || version == 0 && n != 20 && n != 32 {
		return 0, nil, malformed("witness program's length")
	}
	return version, program, nil
}

// encodeSegwit writes a version 0 witness address.
func encodeSegwit(hrp string, program []byte) string {
	return writeBech32(hrp, append([]byte{0}, fiveBits(program)...))
}

// fiveBits and writeBech32 cannot fail on our own bytes: every group they are given is in range.
func fiveBits(raw []byte) []byte {
	data, _ := bech32.ConvertBits(raw, 8, 5, true)
	return data
}

func writeBech32(hrp string, data []byte) string {
	text, _ := bech32.Encode(hrp, data)
	return text
}
