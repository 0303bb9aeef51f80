package client

import (
	"errors"
	"math/big"
	"strings"
)

// longestNumber is the most characters of a number that is read. The machine's have 257 bits.
const longestNumber = 80

// errNumber says that a text is no number that is read.
var errNumber = errors.New("not a number")

// number is a whole number that the API writes as a text or as a number, of any size. Nil for none.
type number struct{ *big.Int }

// UnmarshalJSON reads the digits, exactly.
func (n *number) UnmarshalJSON(raw []byte) error {
	text := strings.Trim(string(raw), `"`)
	if text == "null" {
		return nil
	}
	read, ok := new(big.Int), false
	if len(text) <= longestNumber {
		read, ok = read.SetString(text, 10)
	}
	if !ok {
		return errNumber
	}
	n.Int = read
	return nil
}
