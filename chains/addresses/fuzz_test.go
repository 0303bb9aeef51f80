package addresses_test

import (
	"crypto/sha256"
	"errors"
	"testing"

	"causeway/chains/addresses"
	"causeway/internal/pay"
)

// FuzzValidate: no text makes a codec panic, a canonical spelling is its own, errors are typed, and every accepted spelling
// matches as the canonical one does.
func FuzzValidate(f *testing.F) {
	all := readVectors(f)
	for i, n := range pay.Networks {
		for _, v := range append(all[n.Name].Valid, all[n.Name].Invalid...) {
			f.Add(byte(i), v.Address)
		}
	}
	f.Fuzz(func(t *testing.T, network byte, text string) {
		name := pay.Networks[int(network)%len(pay.Networks)].Name
		addresses.Tag(name, text)
		key := addresses.Match(name, text)
		canonical, err := addresses.Validate(name, text)
		if err != nil {
			if !errors.Is(err, addresses.ErrFormat) && !errors.Is(err, addresses.ErrNotPayable) {
				t.Fatalf("%s %q: untyped error %v", name, text, err)
			}
			return
		}
		if again, err := addresses.Validate(name, canonical); err != nil || again != canonical {
			t.Fatalf("%s %q: canonical %q read again as %q, %v", name, text, canonical, again, err)
		}
		if addresses.Match(name, canonical) != key {
			t.Fatalf("%s %q: matches apart from its canonical spelling", name, text)
		}
	})
}

// FuzzAltered: the address of any seed is valid, and with one character changed it is refused wherever the network has a
// checksum, whatever text alone may be found to pass it.
func FuzzAltered(f *testing.F) {
	for i := range pay.Networks {
		f.Add(byte(i), []byte{byte(i), 1, 2, 3}, byte(7*i), byte('a'+i))
	}
	f.Fuzz(func(t *testing.T, network byte, seed []byte, at, character byte) {
		n := pay.Networks[int(network)%len(pay.Networks)]
		address := addresses.Encode(n.Name, sha256.Sum256(seed))
		if canonical, err := addresses.Validate(n.Name, address); err != nil || canonical != address {
			t.Fatalf("%s %q: its own address reads %q, %v", n.Name, address, canonical, err)
		}
		changed := []byte(address)
		changed[int(at)%len(changed)] = character
		if string(changed) == address || n.Family == pay.EVM || n.Family == pay.Solana { // capitals are a partial checksum; none at all
			return
		}
		if canonical, err := addresses.Validate(n.Name, string(changed)); err == nil && canonical != address {
			t.Fatalf("%s: %q was taken for %q", n.Name, changed, address)
		}
	})
}

func BenchmarkValidate(b *testing.B) {
	for family, network := range networkOf() {
		address := addresses.Encode(network, [32]byte{1, 2, 3})
		b.Run(string(family), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := addresses.Validate(network, address); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFromXPub(b *testing.B) {
	xpub := account(b, junk, "m/44'/60'/0'")
	for index := uint32(0); b.Loop(); index++ {
		if _, err := addresses.FromXPub("Ethereum", xpub, index); err != nil {
			b.Fatal(err)
		}
	}
}

// networkOf picks one network of each family.
func networkOf() map[pay.Family]string {
	picked := map[pay.Family]string{}
	for _, n := range pay.Networks {
		picked[n.Family] = n.Name
	}
	return picked
}
