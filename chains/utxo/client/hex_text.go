package client

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"io"
)

// hexText reads the bytes of a text in hex, up to its closing quote.
type hexText struct {
	from   *bufio.Reader
	whole  int64 // read so far
	ended  bool
	failed error // of the text itself
}

var errNoHex = errors.New("a text that is not in hex")

// Read implements io.Reader.
func (h *hexText) Read(out []byte) (int, error) {
	if h.ended || len(out) == 0 {
		return 0, io.EOF
	}
	text, err := h.from.Peek(2)
	if len(text) < 1 || len(text) < 2 && text[0] != '"' {
		return 0, h.fail(err)
	}
	text, _ = h.from.Peek(min(h.from.Buffered(), 2*len(out)))
	if end := bytes.IndexByte(text, '"'); end >= 0 {
		text, h.ended = text[:end], true
	} else {
		text = text[:len(text)&^1]
	}
	n, err := hex.Decode(out, text)
	if err != nil {
		return n, h.fail(errNoHex)
	}
	h.whole += int64(n)
	used := len(text)
	if h.ended {
		used++
	}
	if _, err := h.from.Discard(used); err != nil {
		return n, h.fail(err)
	}
	if h.whole > MaxRaw {
		return n, h.fail(errNoHex)
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (h *hexText) fail(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	h.failed = err
	return err
}
