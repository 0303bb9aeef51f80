package addresses

import (
	"encoding/base64"
	"errors"
	"testing"

	"causeway/internal/pay"

	"github.com/btcsuite/btcd/address/v2/bech32"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/mr-tron/base58"
	"pgregory.net/rapid"
)

// TestChecksummedGarbage goes where fuzzing of the text cannot: any content, of any length, under a right checksum. No codec
// may panic, and an address read once reads the same again.
func TestChecksummedGarbage(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOfN(rapid.Byte(), 0, 80).Draw(t, "raw")
		for _, text := range garbage(raw) {
			for _, n := range pay.Networks {
				checkGarbage(t, n.Name, text)
			}
		}
	})
}

// TestEmptyUnderChecksum: the shortest garbage of all.
func TestEmptyUnderChecksum(t *testing.T) {
	t.Parallel()
	for _, text := range garbage(nil) {
		for _, n := range pay.Networks {
			if _, err := Validate(n.Name, text); !errors.Is(err, ErrFormat) {
				t.Errorf("%s %q: %v", n.Name, text, err)
			}
		}
	}
}

func garbage(raw []byte) []string {
	groups := make([]byte, len(raw))
	for i, b := range raw {
		groups[i] = b & 31
	}
	texts := []string{
		encodeCheck(bitcoinAlphabet, nil, raw),
		encodeCheck(rippleAlphabet, nil, raw),
		encodeMoneroBase58(append(append([]byte{}, raw...), crypto.Keccak256(raw)[:4]...)),
		base58.Encode(raw),
		base64.RawURLEncoding.EncodeToString(append(append([]byte{}, raw...), byte(crc16(raw)>>8), byte(crc16(raw)))),
		cashText(groups),
	}
	for _, hrp := range []string{"bc", "ltc", "btg", "ltcmweb", cardanoHRP, cardanoStakeHRP} {
		modified, _ := bech32.EncodeM(hrp, groups)
		texts = append(texts, modified, writeBech32(hrp, groups))
	}
	return texts
}

// cashText writes any groups under a right checksum; encodeCash writes only known hash lengths.
func cashText(groups []byte) string {
	sum := cashPolymod(append(append([]byte{}, groups...), make([]byte, cashChecksum)...))
	text := []byte(cashPrefix + ":")
	for _, g := range groups {
		text = append(text, cashCharset[g])
	}
	for i := range cashChecksum {
		text = append(text, cashCharset[sum>>(5*(cashChecksum-1-i))&31])
	}
	return string(text)
}

func checkGarbage(t *rapid.T, network, text string) {
	Tag(network, text)
	canonical, err := Validate(network, text)
	if err != nil {
		return
	}
	if again, err := Validate(network, canonical); err != nil || again != canonical {
		t.Fatalf("%s %q: canonical %q read again as %q, %v", network, text, canonical, again, err)
	}
	if Match(network, canonical) != Match(network, text) {
		t.Fatalf("%s %q: matches apart from %q", network, text, canonical)
	}
}

// What Match leaves unread would be its own key if it were read.
func TestPlainAddressesAreTheirOwnKeys(t *testing.T) {
	t.Parallel()
	for _, n := range pay.Networks {
		if !plain[n.Family] {
			continue
		}
		for seed := range byte(50) {
			text := Encode(n.Name, [32]byte{seed})
			r, err := read(n.Name, text)
			if err != nil || r.key() != text || Match(n.Name, text) != text {
				t.Errorf("%s: %s has the key %s, matched by %s: %v", n.Name, text, r.key(), Match(n.Name, text), err)
			}
		}
	}
}
