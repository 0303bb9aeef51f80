package addresses_test

import (
	"errors"
	"strings"
	"testing"

	"causeway/chains/addresses"
	"causeway/internal/pay"

	"pgregory.net/rapid"
)

// seeds draws ten seeds, so rapid's hundred rounds make a thousand addresses of a network.
var seeds = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) (seed [32]byte) {
	copy(seed[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "seed"))
	return seed
}), 10, 10)

// prefixes is how each family's made addresses start.
var prefixes = map[pay.Family]string{
	pay.EVM: "0x", pay.Bitcoin: "bc1q", pay.Litecoin: "ltc1q", pay.Dogecoin: "D", pay.BitcoinSV: "1",
	pay.BitcoinGold: "G", pay.BitcoinCash: "bitcoincash:q", pay.Tron: "T", pay.Ripple: "r",
	pay.Cardano: "addr1q", pay.TON: "UQ", pay.Monero: "4", pay.Solana: "",
}

// TestEncodedAddressesAreValid: made addresses are canonical, payable and the same for one seed.
func TestEncodedAddressesAreValid(t *testing.T) {
	t.Parallel()
	for _, n := range pay.Networks {
		t.Run(n.Name, rapid.MakeCheck(func(t *rapid.T) {
			for _, seed := range seeds.Draw(t, "seeds") {
				made := addresses.Encode(n.Name, seed)
				got, err := addresses.Validate(n.Name, made)
				if err != nil || got != made {
					t.Fatalf("made %s, read %s, %v", made, got, err)
				}
				if !strings.HasPrefix(made, prefixes[n.Family]) || made != addresses.Encode(n.Name, seed) {
					t.Fatalf("made %s", made)
				}
			}
		}))
	}
}

// TestOneWrongCharacter: a checksum catches any single mistyped letter or digit. Solana has none.
func TestOneWrongCharacter(t *testing.T) {
	t.Parallel()
	const alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for _, n := range pay.Networks {
		if n.Family == pay.Solana || n.Family == pay.EVM {
			continue
		}
		t.Run(n.Name, rapid.MakeCheck(func(t *rapid.T) {
			text := []byte(addresses.Encode(n.Name, seeds.Draw(t, "seeds")[0]))
			at := rapid.IntRange(0, len(text)-1).Draw(t, "at")
			wrong := rapid.SampledFrom([]byte(alphabet)).Draw(t, "wrong")
			if text[at] == wrong {
				return
			}
			text[at] = wrong
			if got, err := addresses.Validate(n.Name, string(text)); !errors.Is(err, addresses.ErrFormat) {
				t.Fatalf("%s read as %q, %v", text, got, err)
			}
		}))
	}
}

// TestOtherFamiliesRefuse: an address of one family is no address of another, except among the chains with Bitcoin's legacy
// form.
func TestOtherFamiliesRefuse(t *testing.T) {
	t.Parallel()
	legacy := map[pay.Family]bool{pay.Bitcoin: true, pay.BitcoinCash: true}
	rapid.Check(t, func(t *rapid.T) {
		seed := seeds.Draw(t, "seeds")[0]
		for _, from := range pay.Networks {
			made := addresses.Encode(from.Name, seed)
			for _, to := range pay.Networks {
				shared := from.Family == to.Family || from.Family == pay.BitcoinSV && legacy[to.Family]
				if _, err := addresses.Validate(to.Name, made); (err == nil) != shared {
					t.Fatalf("%s of %s on %s: %v", made, from.Name, to.Name, err)
				}
			}
		}
	})
}

func TestEncodeUnknownNetwork(t *testing.T) {
	t.Parallel()
	if got := addresses.Encode("Nowhere", [32]byte{}); got != "" {
		t.Errorf("made %q", got)
	}
}
