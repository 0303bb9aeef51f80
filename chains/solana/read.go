package solana

import "fmt"

// reader takes bytes from the front. After a failure it returns nothing.
type reader struct {
	rest   []byte
	failed bool
}

func (r *reader) take(n int) []byte {
	if r.failed || n > len(r.rest) {
		r.failed = true
		return nil
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// size reads a length of at most three bytes, in its one form.
func (r *reader) size() int {
	n := 0
	for shift := 0; shift < 21; shift += 7 {
		b := r.byte()
		n |= int(b&0x7f) << shift
		if b < 0x80 {
			if b == 0 && shift > 0 || n > 0xffff {
				break
			}
			return n
		}
	}
	r.failed = true
	return 0
}

// list reads a length, and reports whether so many things of a size may follow.
func (r *reader) list(each int) int {
	n := r.size()
	if n*each > len(r.rest) {
		r.failed = true
	}
	if r.failed {
		return 0
	}
	return n
}

func (r *reader) key() (k key) {
	copy(k[:], r.take(len(k)))
	return k
}

// readTransaction reads a transaction of the legacy form, or of version 0.
func readTransaction(raw []byte) (*transaction, error) {
	if len(raw) > mostBytes {
		return nil, fmt.Errorf("%w: %d bytes", errMessage, len(raw))
	}
	r := &reader{rest: raw}
	t := &transaction{signatures: make([]signature, r.list(len(signature{})))}
	for i := range t.signatures {
		copy(t.signatures[i][:], r.take(len(signature{})))
	}
	t.signed = r.rest
	t.message = r.message()
	if r.failed || len(r.rest) > 0 || len(t.signatures) == 0 || len(t.signatures) != int(t.message.signers) {
		return nil, errMessage
	}
	if err := t.message.check(); err != nil {
		return nil, err
	}
	return t, nil
}

func (r *reader) message() message {
	m := message{version: legacy}
	if len(r.rest) > 0 && r.rest[0] >= 0x80 {
		m.version = int(r.byte() & 0x7f)
	}
	m.signers, m.readonly, m.foreign = r.byte(), r.byte(), r.byte()
	m.keys = make([]key, r.list(len(key{})))
	for i := range m.keys {
		m.keys[i] = r.key()
	}
	m.recent = r.key()
	m.calls = make([]call, r.list(3))
	for i := range m.calls {
		m.calls[i] = call{program: r.byte(), accounts: r.take(r.list(1)), data: r.take(r.list(1))}
	}
	if m.version == 0 {
		m.tables = r.list(len(key{}) + 2)
		for range m.tables {
			r.key()
			r.take(r.list(1))
			r.take(r.list(1))
		}
	}
	return m
}

// check looks whether the counts and places of a message fit its accounts. Accounts of tables have places behind its own.
func (m *message) check() error {
	own := len(m.keys)
	if m.version > 0 || int(m.signers) > own || m.readonly >= m.signers || int(m.signers)+int(m.foreign) > own {
		return errMessage
	}
	for _, c := range m.calls {
		if int(c.program) >= own || c.program == 0 {
			return errMessage
		}
		for _, place := range c.accounts {
			if int(place) >= own && m.tables == 0 {
				return errMessage
			}
		}
	}
	return nil
}
