package tronnode

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is one field of a message: a number, or bytes.
type field struct {
	id     protowire.Number
	number int64
	bytes  []byte
	kind   protowire.Type
}

// wireError is a fault of a message, in the words of java-tron's library.
type wireError string

func (e wireError) Error() string { return string(e) }

const errTruncated = wireError("While parsing a protocol message, the input ended unexpectedly in the middle of a field.")

// fieldsOf reads a message. It accepts the two kinds of fields that Tron has: varints and bytes.
func fieldsOf(message []byte) ([]field, error) {
	var fields []field
	for len(message) > 0 {
		id, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return nil, errTruncated
		}
		message = message[n:]
		f := field{id: id, kind: kind}
		switch kind {
		case protowire.VarintType:
			var number uint64
			number, n = protowire.ConsumeVarint(message)
			f.number = int64(number)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(message)
		default:
			return nil, wireError(fmt.Sprintf("Protocol message tag had invalid wire type %d.", kind))
		}
		if n < 0 {
			return nil, errTruncated
		}
		message = message[n:]
		fields = append(fields, f)
	}
	return fields, nil
}

// each calls read for each field of a message. It is an error if read does not know the field, or the field is of another kind.
func each(message []byte, read func(f field) bool) error {
	fields, err := fieldsOf(message)
	if err != nil {
		return err
	}
	for _, f := range fields {
		if !read(f) {
			return fmt.Errorf("the fake does not know field %d of wire type %d here", f.id, f.kind)
		}
	}
	return nil
}

// number reads a number into place.
func (f field) toNumber(place *int64) bool {
	*place = f.number
	return f.kind == protowire.VarintType
}

// toBytes reads bytes into place.
func (f field) toBytes(place *[]byte) bool {
	*place = f.bytes
	return f.kind == protowire.BytesType
}

// message is written field by field. As in proto3, a zero or empty field is left out.
type message []byte

func (m message) number(id protowire.Number, value int64) message {
	if value == 0 {
		return m
	}
	return protowire.AppendVarint(protowire.AppendTag(m, id, protowire.VarintType), uint64(value))
}

func (m message) bytes(id protowire.Number, value []byte) message {
	if len(value) == 0 {
		return m
	}
	return m.always(id, value)
}

// always writes bytes even if there are none.
func (m message) always(id protowire.Number, value []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, id, protowire.BytesType), value)
}
