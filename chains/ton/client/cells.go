package client

import (
	"encoding/base64"
	"errors"

	"github.com/xssnick/tonutils-go/tvm/cell"

	"causeway/internal/batch/gather"
)

// The bounds of a bag of cells that is read. A transaction with all of its messages is far below them.
const (
	mostBytes = 4 << 20
	mostCells = 50_000
)

// errCells says that bytes are no bag of cells that is read.
var errCells = errors.New("not a bag of cells")

// ReadCell reads the one root of a bag of cells. What its header promises must be in the bytes: the library takes memory for it first, and a
// few bytes could ask for all there is.
func ReadCell(raw []byte) (root *cell.Cell, err error) {
	if !plausible(raw) {
		return nil, errCells
	}
	if panicked := gather.Recover(func() error { root, err = cell.FromBOC(raw); return nil }); panicked != nil || err != nil || root == nil {
		return nil, errCells
	}
	return root, nil
}

// plausible reports whether the header of a bag promises no more than there is.
func plausible(raw []byte) bool {
	const fixed = 6 // magic, flags, and the size of offsets
	if len(raw) < fixed || len(raw) > mostBytes {
		return false
	}
	flags, size, offset := raw[4], int(raw[4]&7), int(raw[5])
	if size < 1 || size > 4 || offset < 1 || offset > 8 || len(raw) < fixed+3*size+offset {
		return false
	}
	number := func(at, width int) (n uint64) {
		for _, b := range raw[at : at+width] {
			n = n<<8 | uint64(b)
		}
		return n
	}
	cells, roots, bytes := number(fixed, size), number(fixed+size, size), number(fixed+3*size, offset)
	index := uint64(0)
	if flags&0x80 != 0 {
		index = cells * uint64(offset)
	}
	return cells >= 1 && cells <= mostCells && roots == 1 && bytes <= uint64(len(raw)) && index <= uint64(len(raw))
}

func readCell(text string) (*cell.Cell, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	return ReadCell(raw)
}
