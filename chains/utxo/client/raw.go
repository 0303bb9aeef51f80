package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
)

// MaxRaw is the most bytes of an answer in hex.
const MaxRaw = 512 << 20

// maxMember is the most of what stands beside the bytes in such an answer.
const maxMember = 64 << 10

// Raw asks one question whose result is bytes in hex, and has them read as they come: their text is never held. It returns a failure of
// the node first, then what read returned. Errors of the node are *Error.
func (c *Client) Raw(ctx context.Context, read func(io.Reader) error, method string, params ...any) error {
	began := time.Now()
	err := c.raw(ctx, read, method, params)
	var failed *Error
	if errors.As(err, &failed) {
		failed.Method, failed.waited = method, time.Since(began)
	}
	return err
}

func (c *Client) raw(ctx context.Context, read func(io.Reader) error, method string, params []any) error {
	body, err := encode([]*Question{{Method: method, Params: params}})
	if err != nil {
		return &Error{Class: Down, Text: "the question cannot be written: " + err.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	resp, failed := c.open(ctx, body)
	if failed != nil {
		return failed
	}
	defer func() { _ = resp.Body.Close() }()
	a := &rawAnswer{from: bufio.NewReaderSize(io.LimitReader(resp.Body, 2*MaxRaw+2*maxMember), 64<<10), read: read}
	err = a.decode()
	_, _ = io.CopyN(io.Discard, a.from, maxMember) // what may stand after it: a connection that is read to its end is used again
	if failed := a.failure(method, resp.StatusCode, err); failed != nil {
		return failed
	}
	return a.err
}

// failure is what the node has done wrong in an answer that was read with an error, or nil.
func (a *rawAnswer) failure(method string, status int, err error) *Error {
	switch {
	case a.text != nil && a.text.whole > MaxRaw:
		return &Error{Class: Limit, Text: "the answer is larger than 512 MiB"}
	case a.text != nil && a.text.failed != nil:
		return unanswered(a.text.failed)
	case a.err != nil:
		return nil //nolint:nilerr // it is of whoever reads
	case a.Error != nil:
		return refusal(method, a.answer)
	case err != nil && status != http.StatusOK:
		return &Error{Class: Down, Text: "HTTP " + strconv.Itoa(status)}
	case err != nil:
		return unanswered(err)
	case a.ID == nil || *a.ID != 1:
		return &Error{Class: Down, Text: "an answer to no question"}
	case a.text == nil:
		return &Error{Class: Down, Text: "an answer of another shape"}
	}
	return nil
}

// rawAnswer reads an answer member by member.
type rawAnswer struct {
	answer
	from *bufio.Reader
	read func(io.Reader) error
	text *hexText // once its result has begun
	err  error    // of read
}

var (
	errNoJSON = errors.New("the answer is no JSON")
	errShape  = errors.New("an answer of another shape")
)

func (a *rawAnswer) decode() error {
	mark := byte('{')
	for {
		if err := a.wants(mark); err != nil {
			return err
		}
		name, err := a.member()
		if err != nil {
			return err
		}
		if err := a.wants(':'); err != nil {
			return err
		}
		if err := a.value(name); err != nil || a.err != nil {
			return err
		}
		c, err := a.next()
		if err != nil || c == '}' {
			return err
		}
		if err := a.from.UnreadByte(); err != nil {
			return err
		}
		mark = ','
	}
}

// wants reads a mark.
func (a *rawAnswer) wants(mark byte) error {
	c, err := a.next()
	if err == nil && c != mark {
		err = errNoJSON
	}
	return err
}

// value reads the value of a member.
func (a *rawAnswer) value(name string) error {
	c, err := a.next()
	if err != nil {
		return err
	}
	if name == "result" && c == '"' && a.text == nil {
		a.text = &hexText{from: a.from}
		if a.err = a.read(a.text); a.err == nil && !a.text.ended {
			_, a.err = io.Copy(io.Discard, a.text)
		}
		return nil
	}
	if err := a.from.UnreadByte(); err != nil {
		return err
	}
	var raw json.RawMessage
	if raw, err = a.small(); err != nil {
		return err
	}
	switch {
	case name == "id" && json.Unmarshal(raw, &a.ID) != nil, name == "error" && json.Unmarshal(raw, &a.Error) != nil:
		return errNoJSON
	case name == "result" && !bytes.Equal(raw, []byte("null")):
		return errShape
	}
	return nil
}

// member reads the name of a member.
func (a *rawAnswer) member() (name string, err error) {
	raw, err := a.small()
	if err == nil && json.Unmarshal(raw, &name) != nil {
		err = errNoJSON
	}
	return name, err
}

// small reads a value that is no result.
func (a *rawAnswer) small() (json.RawMessage, error) {
	var out []byte
	depth, quoted := 0, false
	for len(out) < maxMember {
		c, err := a.from.ReadByte()
		if err != nil {
			return nil, err
		}
		switch {
		case !quoted && depth == 0 && len(out) > 0 && bytes.IndexByte([]byte(",}:"), c) >= 0:
			return bytes.TrimSpace(out), a.from.UnreadByte()
		case c == '"' && !(quoted && out[len(out)-1] == '\\' && !bytes.HasSuffix(out, []byte(`\\`))):
			quoted = !quoted
		case !quoted && (c == '{' || c == '['):
			depth++
		case !quoted && (c == '}' || c == ']'):
			depth--
		}
		out = append(out, c)
	}
	return nil, errNoJSON
}

// next returns the next byte that is no space.
func (a *rawAnswer) next() (byte, error) {
	for {
		c, err := a.from.ReadByte()
		if err != nil || c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c, err
		}
	}
}
