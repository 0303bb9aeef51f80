package solana

import (
	"encoding/binary"
	"fmt"
	"strings"

	"causeway/chains"
	"causeway/chains/solana/client"
)

// The layout of a mint, and of what Token-2022 puts behind it.
const (
	sizeOfMint    = 82
	sizeOfHolding = 165 // an account of a token
	kindOfMint    = 1   // the byte behind sizeOfHolding
)

// mintFacts are the words of a mint about itself.
type mintFacts struct {
	program    key
	decimals   int32
	wrapped    bool // it is SOL in accounts of a token
	mints      bool // somebody can make more of it
	freezes    bool // somebody can freeze accounts
	extensions []uint16
}

// readMint reads a mint. The error wraps chains.ErrNoToken if it is none.
func readMint(a *client.Account) (*mintFacts, error) {
	data, err := dataOf(a)
	if err != nil {
		return nil, err
	}
	program, ok := readKey(a.Owner)
	if !ok {
		return nil, odd("an account without a program")
	}
	extended := program == token2022Program && len(data) > sizeOfHolding && data[sizeOfHolding] == kindOfMint
	if program != tokenProgram && program != token2022Program || len(data) != sizeOfMint && !extended || data[45] != 1 {
		return nil, fmt.Errorf("%w: it is no mint", chains.ErrNoToken)
	}
	f := &mintFacts{program: program, decimals: int32(data[44]), mints: data[0] == 1, freezes: data[46] == 1}
	if extended {
		f.extensions = extensionsOf(data[sizeOfHolding+1:])
	}
	return f, nil
}

// extensionsOf lists the kinds of extensions: each has two bytes of its kind, two of its length, and its data.
func extensionsOf(data []byte) (kinds []uint16) {
	for len(data) >= 4 {
		kind, size := binary.LittleEndian.Uint16(data), int(binary.LittleEndian.Uint16(data[2:]))
		if kind == 0 {
			return kinds
		}
		kinds = append(kinds, kind)
		data = data[min(4+size, len(data)):]
	}
	return kinds
}

// harmless are the extensions of a mint that change nothing about payments: its end, its metadata and its groups.
var harmless = map[uint16]bool{3: true, 18: true, 19: true, 20: true, 21: true, 22: true, 23: true}

// harms are the extensions whose harm has a word.
var harms = map[uint16]string{1: "it keeps a fee of transfers", 4: "it hides amounts", 6: "its accounts begin frozen", 9: "it cannot be transferred",
	10: "amounts are shown with interest", 12: "its issuer can take it from anybody", 14: "a program decides on transfers", 16: "it hides fees",
	25: "amounts are shown by another scale", 26: "its issuer can pause it"}

// harm says why payments in it could go wrong; "" if they cannot.
func (f *mintFacts) harm() string {
	var why []string
	if f.wrapped {
		why = append(why, "it is wrapped SOL, which its owner unwraps")
	}
	for _, kind := range f.extensions {
		switch word := harms[kind]; {
		case harmless[kind]:
		case word != "":
			why = append(why, word)
		default:
			why = append(why, fmt.Sprintf("it has an unknown extension (%d)", kind))
		}
	}
	return strings.Join(why, ", ")
}
