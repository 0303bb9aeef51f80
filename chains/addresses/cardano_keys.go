package addresses

import (
	"github.com/mr-tron/base58"
	"golang.org/x/crypto/blake2b"
)

// cardanoNetwork is the canonical name of the one network of the family.
const cardanoNetwork = "Cardano"

// enterprise is the header of an address of a key alone, of the main network (CIP-19).
const enterprise = 0x61

// keyless are the bits of a header that an address of Shelley's era with a payment key does not have: those of Byron's era, and of scripts.
const keyless = 0x90

// CardanoAddress writes the address of a public key of ed25519, without a part for stake.
func CardanoAddress(public []byte) string {
	h, err := blake2b.New(cardanoHash, nil)
	if err != nil {
		panic("addresses: blake2b has 28-byte sums")
	}
	h.Write(public)
	return writeBech32(cardanoHRP, fiveBits(h.Sum([]byte{enterprise})))
}

// CardanoPlain returns the address of the payment key of an address with a part for stake, without this part. Ok is false for others: of a
// script, of Byron's era, and those that are plain already.
func CardanoPlain(address string) (plain string, ok bool) {
	raw, err := CardanoBytes(address)
	if err != nil || raw[0]&keyless != 0 || len(raw) <= 1+cardanoHash {
		return "", false
	}
	return writeBech32(cardanoHRP, fiveBits(append([]byte{enterprise}, raw[1:1+cardanoHash]...))), true
}

// CardanoBytes returns an address that can be paid to as transactions of Cardano have it. Errors are ErrFormat and ErrNotPayable.
func CardanoBytes(address string) ([]byte, error) {
	canonical, err := Validate(cardanoNetwork, address)
	if err != nil {
		return nil, err
	}
	if !hasHRP(canonical, cardanoHRP) {
		return base58.Decode(canonical)
	}
	_, data, err := decodeBech32(canonical)
	if err != nil {
		return nil, err
	}
	return regroup(data)
}
