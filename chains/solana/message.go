package solana

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
)

// message is what is signed: accounts in the order of their rights, a recent blockhash, and calls of programs. It is of the legacy form, or
// of version 0, where tables may add accounts.
type message struct {
	version  int   // legacy, or 0
	signers  uint8 // the first accounts
	readonly uint8 // the last ones of the signers
	foreign  uint8 // the last ones of the others, which are not written
	keys     []key
	recent   key
	calls    []call
	tables   int // tables of addresses that it looks up
}

// legacy is the version of a message without one.
const legacy = -1

// call is an instruction of a message: places among its accounts.
type call struct {
	program  uint8
	accounts []byte
	data     []byte
}

// mostBytes is the size of the largest transaction.
const mostBytes = 1232

var errMessage = errors.New("not a transaction of Solana")

// compile makes a message of instructions. The payer of the fee comes first; the others come in the order of their rights, and within it as
// they are named.
func compile(payer, recent key, instructions ...instruction) message {
	order := []key{payer}
	rights := map[key]access{payer: {payer, true, true}}
	add := func(a access) {
		was, known := rights[a.key]
		if !known {
			order = append(order, a.key)
		}
		rights[a.key] = access{a.key, was.signer || a.signer, was.writable || a.writable}
	}
	for _, i := range instructions {
		add(access{key: i.program})
		for _, a := range i.accounts {
			add(a)
		}
	}
	m := message{version: legacy, recent: recent}
	for rank := range 4 {
		for _, k := range order {
			if a := rights[k]; rank == rankOf(a) {
				m.keys = append(m.keys, k)
				m.count(a)
			}
		}
	}
	for _, i := range instructions {
		c := call{program: m.place(i.program), data: i.data}
		for _, a := range i.accounts {
			c.accounts = append(c.accounts, m.place(a.key))
		}
		m.calls = append(m.calls, c)
	}
	return m
}

// rankOf is the place of an account's rights in the order of a message.
func rankOf(a access) (rank int) {
	if !a.signer {
		rank += 2
	}
	if !a.writable {
		rank++
	}
	return rank
}

func (m *message) count(a access) {
	switch {
	case a.signer && !a.writable:
		m.signers++
		m.readonly++
	case a.signer:
		m.signers++
	case !a.writable:
		m.foreign++
	}
}

func (m *message) place(k key) uint8 { return uint8(slices.Index(m.keys, k)) }

// access is the account at a place, with its rights.
func (m *message) access(place uint8) access {
	i, signers, all := int(place), int(m.signers), len(m.keys)
	a := access{key: m.keys[i], signer: i < signers}
	if a.signer {
		a.writable = i < signers-int(m.readonly)
	} else {
		a.writable = i < all-int(m.foreign)
	}
	return a
}

// instructions are the calls with their accounts, as they were before they were compiled.
func (m *message) instructions() []instruction {
	out := make([]instruction, len(m.calls))
	for i, c := range m.calls {
		out[i] = instruction{program: m.keys[c.program], data: c.data}
		for _, place := range c.accounts {
			out[i].accounts = append(out[i].accounts, m.access(place))
		}
	}
	return out
}

// encode writes the bytes that are signed.
func (m *message) encode() []byte {
	out := []byte{m.signers, m.readonly, m.foreign}
	out = appendSize(out, len(m.keys))
	for _, k := range m.keys {
		out = append(out, k[:]...)
	}
	out = appendSize(append(out, m.recent[:]...), len(m.calls))
	for _, c := range m.calls {
		out = append(appendSize(append(out, c.program), len(c.accounts)), c.accounts...)
		out = append(appendSize(out, len(c.data)), c.data...)
	}
	return out
}

// appendSize appends a length, seven bits in a byte.
func appendSize(out []byte, n int) []byte {
	for ; n > 0x7f; n >>= 7 {
		out = append(out, byte(n&0x7f)|0x80)
	}
	return append(out, byte(n))
}

// transaction is a message with its signatures.
type transaction struct {
	signatures []signature
	message    message
	signed     []byte // the bytes of the message
}

// id names the transaction.
func (t *transaction) id() string { return t.signatures[0].String() }

// encode writes the transaction as it is sent.
func (t *transaction) encode() []byte {
	out := appendSize(nil, len(t.signatures))
	for _, s := range t.signatures {
		out = append(out, s[:]...)
	}
	return append(out, t.signed...)
}

// verify checks every signature.
func (t *transaction) verify() error {
	for i, s := range t.signatures {
		if !ed25519.Verify(t.message.keys[i][:], t.signed, s[:]) {
			return fmt.Errorf("%w: signature %d does not fit", errMessage, i)
		}
	}
	return nil
}
