package client

import (
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/common/hexutil"
)

// Big is a quantity in a member of an answer. The library reads an empty text as zero, or as no data; a payment of zero is one that
// nobody sees, so that an empty text is of another shape here.
type Big hexutil.Big

// Uint64 is a smaller quantity, of which the same holds.
type Uint64 hexutil.Uint64

// Bytes are data, of which the same holds; "0x" is no data.
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
