package addresses

import (
	"github.com/mr-tron/base58"
	"golang.org/x/crypto/blake2b"
)

// cardanoNetwork is the canonical name of the one network of the family.
const cardanoNetwork = "Cardano"

// enterprise is the header of an address of a key alone, of the main network (CIP-19).
const enterprise = 0x61

// CardanoAddress writes the address of a public key of ed25519, without a part for stake.
func CardanoAddress(public []byte) string {
	h, err := blake2b.New(cardanoHash, nil)
	if err != nil {
		panic("addresses: blake2b has 28-byte sums")
	}
	h.Write(public)
	return writeBech32(cardanoHRP, fiveBits(h.Sum([]byte{enterprise})))
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
