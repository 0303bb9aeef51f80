package api

import (
	"crypto/sha256"
	"errors"
	"io"

	"causeway/api/input"
	"causeway/internal/pay"
)

// maxSigned is how much of a signed body is read to tell a wrong signature from a body too large.
const maxSigned = 8 * input.MaxBody

var (
	errTooLarge   = pay.E(pay.TooLarge, "request_too_large", "The body is larger than 1 MiB.")
	errUnreadable = pay.E(pay.Invalid, "json_parse_exception", "The body did not arrive completely.")
)

// readSigned reads the body before its signature is known to be good and returns its SHA-256. It keeps no more than
// MaxBody, and reads nothing of a body announced as longer than maxSigned.
func (c *Call) readSigned() (sum []byte, err error) {
	if c.Request.ContentLength > maxSigned {
		return nil, errTooLarge
	}
	hash := sha256.New()
	if c.hasBody { // the key signs since
		hash.Write(c.Body)
	} else if err := c.fetch(io.TeeReader(c.Request.Body, hash)); err != nil {
		return nil, err
	}
	if c.tooBig {
		n, err := io.CopyN(hash, c.Request.Body, maxSigned-input.MaxBody)
		if err == nil && n == maxSigned-input.MaxBody {
			return nil, errTooLarge
		}
		if !errors.Is(err, io.EOF) {
			return nil, errUnreadable.Because(err)
		}
	}
	return hash.Sum(nil), nil
}

// fetch reads at most one byte more than MaxBody from body. Memory is taken as the body arrives: announcing a long one costs
// a client nothing.
func (c *Call) fetch(body io.Reader) error {
	c.hasBody = true
	first := 512
	if size := c.Request.ContentLength; size > 0 {
		first = int(min(size, smallBody)) + 1 // with room to see its end
	}
	kept := make([]byte, 0, first)
	for {
		n, err := body.Read(kept[len(kept):cap(kept)])
		kept = kept[:len(kept)+n]
		if errors.Is(err, io.EOF) || len(kept) > input.MaxBody {
			break
		}
		if err != nil {
			return errUnreadable.Because(err)
		}
		if len(kept) == cap(kept) {
			if kept, err = c.roomier(kept); err != nil {
				return err
			}
		}
	}
	c.Body, c.tooBig = kept, len(kept) > input.MaxBody
	return nil
}

// readBody reads the body unless the signature did, and refuses one unfit for any operation (addendum §4.10).
func (c *Call) readBody() error {
	if !c.hasBody {
		if c.Request.ContentLength > input.MaxBody { // nothing of it is read
			return errTooLarge
		}
		if err := c.fetch(c.Request.Body); err != nil {
			return err
		}
	}
	if c.tooBig {
		return errTooLarge
	}
	if len(c.Body) == 0 {
		return nil
	}
	return input.ScanJSON(c.Body)
}
