package client

import (
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/common/hexutil"
)

// Big is a quantity in a member of an answer. The library reads an empty text as zero, or as no data, and a payment of zero is
// not seen. Here an empty text is of another shape.
type Big hexutil.Big

// Uint64 is a smaller quantity, with the same rule.
type Uint64 hexutil.Uint64

// Bytes are data, with the same rule; "0x" is no data.
type Bytes hexutil.Bytes

var errEmpty = errors.New("an empty text in place of a quantity or data")

// UnmarshalJSON implements json.Unmarshaler.
func (b *Big) UnmarshalJSON(text []byte) error {
	return filled(text, (*hexutil.Big)(b).UnmarshalJSON)
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *Uint64) UnmarshalJSON(text []byte) error {
	return filled(text, (*hexutil.Uint64)(n).UnmarshalJSON)
}

// UnmarshalJSON implements json.Unmarshaler.
func (b *Bytes) UnmarshalJSON(text []byte) error {
	return filled(text, (*hexutil.Bytes)(b).UnmarshalJSON)
}

// ToInt returns the quantity, not a copy of it.
func (b *Big) ToInt() *big.Int { return (*big.Int)(b) }

func filled(text []byte, read func([]byte) error) error {
	if string(text) == `""` {
		return errEmpty
	}
	return read(text)
}
