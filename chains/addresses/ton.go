package addresses

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// The first byte of a user-friendly address; adding tonTestOnly marks the test network.
const (
	tonBounceable    = 0x11
	tonNonBounceable = 0x51
)

// readTON accepts the raw form (workchain:hex) and both user-friendly forms in either base64
// alphabet. Canonical is non-bounceable and URL-safe: it is right for wallets not yet deployed. Only
// the basechain (0) and the masterchain (-1) exist.
func readTON(text string) (reading, error) {
	if len(text) == 48 {
		return readFriendlyTON(text)
	}
	workchain, digits, found := strings.Cut(text, ":")
	if !found || len(digits) != 64 || workchain != "0" && workchain != "-1" {
		return reading{}, malformed("neither raw nor user-friendly")
	}
	account, err := hex.DecodeString(digits)
	if err != nil {
		return reading{}, malformed("not hex")
	}
	chain := byte(0)
	if workchain == "-1" {
		chain = 0xff
	}
	return reading{canonical: friendlyTON(chain, account)}, nil
}

var toURLAlphabet = strings.NewReplacer("+", "-", "/", "_")

func readFriendlyTON(text string) (reading, error) {
	raw, err := base64.RawURLEncoding.DecodeString(toURLAlphabet.Replace(text))
	if err != nil || len(raw) != 36 {
		return reading{}, malformed("not 36 bytes of base64")
	}
	if sum := crc16(raw[:34]); raw[34] != byte(sum>>8) || raw[35] != byte(sum) {
		return reading{}, malformed("checksum")
	}
	if raw[0] != tonBounceable && raw[0] != tonNonBounceable {
		return reading{}, malformed("test network or unknown kind")
	}
	if raw[1] != 0 && raw[1] != 0xff {
		return reading{}, malformed("no such workchain")
	}
	return reading{canonical: friendlyTON(raw[1], raw[2:34])}, nil
}

func encodeTON(seed [32]byte) string { return friendlyTON(0, seed[:]) }

func friendlyTON(workchain byte, account []byte) string {
	raw := append(make([]byte, 0, 36), tonNonBounceable, workchain)
	raw = append(raw, account...)
	sum := crc16(raw)
	return base64.RawURLEncoding.EncodeToString(append(raw, byte(sum>>8), byte(sum)))
}

// crc16 is CRC-16/XMODEM.
func crc16(data []byte) uint16 {
	var sum uint16
	for _, b := range data {
		sum ^= uint16(b) << 8
		for range 8 {
			carry := sum & 0x8000
			sum <<= 1
			if carry != 0 {
				sum ^= 0x1021
			}
		}
	}
	return sum
}
