package addresses

import (
	"crypto/ed25519"

	"filippo.io/edwards25519"
	"github.com/mr-tron/base58"
)

// readSolana accepts 32 bytes of base58; the network has no checksum. An account off the curve has no
// key: it belongs to a program, and tokens sent to it as if it were a wallet may be lost. The token
// library itself refuses this by default.
func readSolana(text string) (reading, error) {
	if len(text) < 32 || len(text) > 44 {
		return reading{}, malformed("length")
	}
	raw, err := base58.Decode(text)
	if err != nil || len(raw) != 32 {
		return reading{}, malformed("not 32 bytes of base58")
	}
	r := reading{canonical: text}
	if _, err := new(edwards25519.Point).SetBytes(raw); err != nil {
		r.refusal = "an account of a program, not a wallet"
	}
	return r, nil
}

func encodeSolana(seed [32]byte) string {
	key := ed25519.NewKeyFromSeed(seed[:])
	return base58.Encode(key[ed25519.SeedSize:])
}
