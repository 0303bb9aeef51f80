package ripple

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// id names a field: its type, and its number within the type (rippled's SField).
type id struct{ kind, nth byte }

// The types of fields.
const (
	kindUint16    = 1
	kindUint32    = 2
	kindUint64    = 3
	kindHash128   = 4
	kindHash256   = 5
	kindAmount    = 6
	kindBlob      = 7
	kindAccount   = 8
	kindNumber    = 9
	kindInt32     = 10
	kindInt64     = 11
	kindObject    = 14
	kindArray     = 15
	kindUint8     = 16
	kindHash160   = 17
	kindPaths     = 18
	kindVector256 = 19
	kindUint96    = 20
	kindHash192   = 21
	kindUint384   = 22
	kindUint512   = 23
	kindIssue     = 24
	kindBridge    = 25
	kindCurrency  = 26
)

// fixed are the sizes of values that always have the same.
var fixed = map[byte]int{kindUint16: 2, kindUint32: 4, kindUint64: 8, kindHash128: 16, kindHash256: 32, kindNumber: 12, kindInt32: 4, kindInt64: 8,
	kindUint8: 1, kindHash160: 20, kindUint96: 12, kindHash192: 24, kindUint384: 48, kindUint512: 64, kindCurrency: 20}

// The fields of transactions and of their metadata that are read or written.
var (
	fieldEntryType   = id{kindUint16, 1}
	fieldType        = id{kindUint16, 2}
	fieldNetwork     = id{kindUint32, 1}
	fieldFlags       = id{kindUint32, 2}
	fieldSequence    = id{kindUint32, 4}
	fieldTag         = id{kindUint32, 14}
	fieldLast        = id{kindUint32, 27}
	fieldIndex       = id{kindUint32, 28}
	fieldSetFlag     = id{kindUint32, 33}
	fieldAmount      = id{kindAmount, 1}
	fieldBalance     = id{kindAmount, 2}
	fieldFee         = id{kindAmount, 8}
	fieldDelivered   = id{kindAmount, 18}
	fieldKey         = id{kindBlob, 3}
	fieldSignature   = id{kindBlob, 4}
	fieldAccount     = id{kindAccount, 1}
	fieldDestination = id{kindAccount, 3}
	fieldEnd         = id{kindObject, 1}
	fieldCreated     = id{kindObject, 3}
	fieldDeleted     = id{kindObject, 4}
	fieldModified    = id{kindObject, 5}
	fieldPrevious    = id{kindObject, 6}
	fieldFinal       = id{kindObject, 7}
	fieldNew         = id{kindObject, 8}
	fieldArrayEnd    = id{kindArray, 1}
	fieldAffected    = id{kindArray, 8}
	fieldResult      = id{kindUint8, 3}
)

// errWire says that bytes are no object of the ledger, or have a type of field that is not known here.
var errWire = errors.New("the bytes are no object of the ledger")

// deepest is how deep objects are within others.
const deepest = 10

// field is one field of an object. The value of an account or a blob is without its length. Objects and arrays have their fields within.
type field struct {
	id
	value  []byte
	within []field
}

// find returns a field of an object; nil where there is none.
func find(fields []field, f id) *field {
	for i := range fields {
		if fields[i].id == f {
			return &fields[i]
		}
	}
	return nil
}

// readObject reads a whole object.
func readObject(raw []byte) ([]field, error) {
	fields, rest, err := readFields(raw, fieldEnd, 0)
	if err == nil && len(rest) > 0 {
		err = errWire
	}
	return fields, err
}

// readFields reads fields up to one that ends them, or up to the end of the bytes at the outermost level.
func readFields(raw []byte, end id, depth int) (fields []field, rest []byte, err error) {
	if depth > deepest {
		return nil, nil, errWire
	}
	for len(raw) > 0 {
		f := field{}
		if f.id, raw, err = readID(raw); err != nil {
			return nil, nil, err
		}
		if f.id == end && depth > 0 {
			return fields, raw, nil
		}
		switch f.kind {
		case kindObject:
			f.within, raw, err = readFields(raw, fieldEnd, depth+1)
		case kindArray:
			f.within, raw, err = readFields(raw, fieldArrayEnd, depth+1)
		default:
			f.value, raw, err = readValue(f.kind, raw)
		}
		if err != nil {
			return nil, nil, err
		}
		fields = append(fields, f)
	}
	if depth > 0 {
		return nil, nil, errWire
	}
	return fields, nil, nil
}

func readID(raw []byte) (f id, rest []byte, err error) {
	f = id{raw[0] >> 4, raw[0] & 15}
	rest = raw[1:]
	for _, part := range []*byte{&f.kind, &f.nth} {
		if *part != 0 {
			continue
		}
		if len(rest) == 0 || rest[0] < 16 {
			return f, nil, errWire
		}
		*part, rest = rest[0], rest[1:]
	}
	return f, rest, nil
}

// readValue reads the value of a field that is no object.
func readValue(kind byte, raw []byte) (value, rest []byte, err error) {
	size, head := 0, 0
	switch kind {
	case kindBlob, kindAccount, kindVector256:
		size, head, err = readLength(raw)
	case kindAmount:
		size = amountSize(raw)
	case kindPaths:
		size, err = pathsSize(raw)
	case kindIssue:
		size = issueSize(raw)
	case kindBridge:
		size, err = bridgeSize(raw)
	default:
		known := false
		if size, known = fixed[kind]; !known {
			return nil, nil, fmt.Errorf("%w: a field of type %d", errWire, kind)
		}
	}
	if err != nil || len(raw) < head+size {
		return nil, nil, errWire
	}
	return raw[head : head+size], raw[head+size:], nil
}

// readLength reads the length before a value.
func readLength(raw []byte) (size, head int, err error) {
	switch {
	case len(raw) >= 1 && raw[0] <= 192:
		return int(raw[0]), 1, nil
	case len(raw) >= 2 && raw[0] >= 193 && raw[0] <= 240:
		return 193 + (int(raw[0])-193)<<8 + int(raw[1]), 2, nil
	case len(raw) >= 3 && raw[0] >= 241 && raw[0] <= 254:
		return 12_481 + (int(raw[0])-241)<<16 + int(raw[1])<<8 + int(raw[2]), 3, nil
	}
	return 0, 0, errWire
}

// amountSize is 48 of an issued currency, 33 of a multi-purpose token, and 8 of XRP.
func amountSize(raw []byte) int {
	switch {
	case len(raw) > 0 && raw[0]&0x80 != 0:
		return 48
	case len(raw) > 0 && raw[0]&0x20 != 0:
		return 33
	}
	return 8
}

// pathsSize walks through paths: steps with up to three accounts or currencies each, until one that ends them.
func pathsSize(raw []byte) (size int, err error) {
	for size < len(raw) {
		kind := raw[size]
		size++
		switch kind {
		case 0x00:
			return size, nil
		case 0xFF:
			continue
		}
		for _, bit := range []byte{0x01, 0x10, 0x20} {
			if kind&bit != 0 {
				size += 20
			}
		}
	}
	return 0, errWire
}

// issueSize is 20 of XRP, 44 of a multi-purpose token, and 40 of an issued currency.
func issueSize(raw []byte) int {
	const account = 20
	switch {
	case len(raw) >= account && slices.Equal(raw[:account], make([]byte, account)):
		return account
	case len(raw) >= 2*account && slices.Equal(raw[account:2*account], noAccount):
		return 2*account + 4
	}
	return 2 * account
}

// noAccount stands in place of the issuer in the issue of a multi-purpose token.
var noAccount = append(make([]byte, 19), 1)

// bridgeSize walks through a bridge: two doors, each an account with its length and an issue.
func bridgeSize(raw []byte) (size int, err error) {
	for range 2 {
		if len(raw) < size+21 || raw[size] != 20 {
			return 0, errWire
		}
		size += 21
		if size += issueSize(raw[size:]); size > len(raw) {
			return 0, errWire
		}
	}
	return size, nil
}

// drops reads an amount of XRP; false of another currency.
func drops(value []byte) (int64, bool) {
	if len(value) != 8 || value[0]&0xE0 != 0x40 {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(value) &^ (1 << 62)), true
}

// number reads an unsigned number of 32 bits.
func (f *field) number() uint32 {
	if f == nil || len(f.value) != 4 {
		return 0
	}
	return binary.BigEndian.Uint32(f.value)
}
