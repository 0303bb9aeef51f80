package cardano

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/fxamacker/cbor/v2"
	"golang.org/x/crypto/blake2b"

	"causeway/chains"
)

// transaction is a transaction of coins alone, as the chain has it (the CDDL of Conway). It is written as Cardano's serialization library does.
type transaction struct {
	_       struct{} `cbor:",toarray"`
	Body    cbor.RawMessage
	Witness witness
	Valid   bool
	Aux     *struct{}
}

// body is the signed part of a transaction. The order of its inputs is the one of a slot's coins.
type body struct {
	Inputs  set[input] `cbor:"0,keyasint"`
	Outputs []output   `cbor:"1,keyasint"`
	Fee     uint64     `cbor:"2,keyasint"`
	TTL     uint64     `cbor:"3,keyasint"` // the first slot in which it is not valid any more
}

// input names an output to be spent.
type input struct {
	_     struct{} `cbor:",toarray"`
	ID    hash
	Index uint32
}

// output pays to an address.
type output struct {
	_        struct{} `cbor:",toarray"`
	Address  []byte
	Lovelace uint64
}

// witness has the signatures, one for each key.
type witness struct {
	Keys set[signature] `cbor:"0,keyasint"`
}

// signature is the one of a key over the body's hash.
type signature struct {
	_         struct{} `cbor:",toarray"`
	Public    []byte
	Signature []byte
}

// set is written with the tag of sets.
type set[T any] []T

const setTag = 258

// MarshalCBOR implements cbor.Marshaler.
func (s set[T]) MarshalCBOR() ([]byte, error) {
	return writing.Marshal(cbor.Tag{Number: setTag, Content: []T(s)})
}

// UnmarshalCBOR implements cbor.Unmarshaler.
func (s *set[T]) UnmarshalCBOR(raw []byte) error {
	var tag cbor.RawTag
	if err := reading.Unmarshal(raw, &tag); err != nil {
		return err
	}
	if tag.Number != setTag {
		return errors.New("not a set")
	}
	return reading.Unmarshal(tag.Content, (*[]T)(s))
}

// hash is the id of a transaction.
type hash [32]byte

// MarshalCBOR implements cbor.Marshaler.
func (h hash) MarshalCBOR() ([]byte, error) { return writing.Marshal(h[:]) }

// UnmarshalCBOR implements cbor.Unmarshaler.
func (h *hash) UnmarshalCBOR(raw []byte) error {
	var b []byte
	if err := reading.Unmarshal(raw, &b); err != nil {
		return err
	}
	if len(b) != len(h) {
		return errors.New("not a hash")
	}
	copy(h[:], b)
	return nil
}

func (h hash) String() string { return hex.EncodeToString(h[:]) }

// hashOf reads a hash in lower-case hex.
func hashOf(text string) (h hash, ok bool) {
	if len(text) != 2*len(h) {
		return h, false
	}
	_, err := hex.Decode(h[:], []byte(text))
	return h, err == nil && h.String() == text
}

var writing, reading = modes()

func modes() (cbor.EncMode, cbor.DecMode) {
	write, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		panic(err)
	}
	read, err := cbor.DecOptions{DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden, ExtraReturnErrors: cbor.ExtraDecErrorUnknownField,
		MaxNestedLevels: 16}.DecMode()
	if err != nil {
		panic(err)
	}
	return write, read
}

// coin is the id of the coin that an input spends.
func (in input) coin() string { return chains.CoinID(in.ID.String(), int(in.Index)) }

// write returns the bytes of the body, and the id of its transaction.
func (b *body) write() (raw []byte, id hash) {
	raw, err := writing.Marshal(b)
	if err != nil {
		panic(err) // it has plain members alone
	}
	return raw, blake2b.Sum256(raw)
}

// signed returns the bytes of a transaction.
func signed(raw []byte, by []signature) []byte {
	out, err := writing.Marshal(transaction{Body: raw, Witness: witness{by}, Valid: true})
	if err != nil {
		panic(err)
	}
	return out
}

// read is a transaction of ours, read again.
type read struct {
	body
	id  hash
	raw []byte
}

// parse reads a transaction that was written here.
func parse(raw []byte) (*read, error) {
	var t transaction
	if err := reading.Unmarshal(raw, &t); err != nil {
		return nil, err
	}
	out := &read{raw: raw}
	if err := reading.Unmarshal(t.Body, &out.body); err != nil {
		return nil, fmt.Errorf("its body: %w", err)
	}
	again, id := out.write()
	if string(again) != string(t.Body) || len(out.Inputs) == 0 || len(out.Outputs) == 0 || !t.Valid {
		return nil, errors.New("it is of another form")
	}
	out.id = id
	return out, nil
}

// paid is what the outputs are together.
func (b *body) paid() (sum int64) {
	for _, o := range b.Outputs {
		sum += int64(o.Lovelace)
	}
	return sum
}
