package rippled

import (
	"crypto/sha512"
	"encoding/binary"
	"fmt"
	"slices"
)

// The prefixes of hashes.
const (
	prefixTransaction = "TXN\x00" // of a transaction: its id
	prefixSigning     = "STX\x00" // of what is signed
	prefixLeaf        = "SND\x00" // of a transaction with its metadata in the tree of a ledger
	prefixInner       = "MIN\x00" // of a node of the tree
	prefixLedger      = "LWR\x00" // of the header of a ledger
)

// half is the first half of a SHA-512.
func half(prefix string, parts ...[]byte) (out [32]byte) {
	h := sha512.New()
	_, _ = h.Write([]byte(prefix))
	for _, p := range parts {
		_, _ = h.Write(p)
	}
	copy(out[:], h.Sum(nil))
	return out
}

// id names a field: its type, and its number within the type.
type id struct{ kind, nth byte }

// The types of fields.
const (
	kindUint16  = 1
	kindUint32  = 2
	kindHash256 = 5
	kindAmount  = 6
	kindBlob    = 7
	kindAccount = 8
	kindObject  = 14
	kindArray   = 15
	kindUint8   = 16
)

// The fields known to the fake.
var (
	fieldEntryType         = id{kindUint16, 1}
	fieldType              = id{kindUint16, 2}
	fieldNetwork           = id{kindUint32, 1}
	fieldFlags             = id{kindUint32, 2}
	fieldSourceTag         = id{kindUint32, 3}
	fieldSequence          = id{kindUint32, 4}
	fieldPrevLedger        = id{kindUint32, 5}
	fieldOwnerCount        = id{kindUint32, 13}
	fieldTag               = id{kindUint32, 14}
	fieldOfferSeq          = id{kindUint32, 25}
	fieldLast              = id{kindUint32, 27}
	fieldIndex             = id{kindUint32, 28}
	fieldSetFlag           = id{kindUint32, 33}
	fieldClearFlag         = id{kindUint32, 34}
	fieldPrevTx            = id{kindHash256, 5}
	fieldLedgerIndex       = id{kindHash256, 6}
	fieldAmount            = id{kindAmount, 1}
	fieldBalance           = id{kindAmount, 2}
	fieldFee               = id{kindAmount, 8}
	fieldSendMax           = id{kindAmount, 9}
	fieldDelivered         = id{kindAmount, 18}
	fieldKey               = id{kindBlob, 3}
	fieldSignature         = id{kindBlob, 4}
	fieldAccount           = id{kindAccount, 1}
	fieldOwner             = id{kindAccount, 2}
	fieldDestination       = id{kindAccount, 3}
	fieldCreated           = id{kindObject, 3}
	fieldDeleted           = id{kindObject, 4}
	fieldModified          = id{kindObject, 5}
	fieldPrevious          = id{kindObject, 6}
	fieldFinal             = id{kindObject, 7}
	fieldNew               = id{kindObject, 8}
	fieldAffected          = id{kindArray, 8}
	fieldResult            = id{kindUint8, 3}
	endOfObject            = []byte{0xE1}
	endOfArray             = []byte{0xF1}
	errTruncated           = wireError("the bytes end within a field")
	errOrder               = wireError("the fields are not in their order")
	_                error = wireError("")
)

// wireError is a fault of bytes.
type wireError string

func (e wireError) Error() string { return string(e) }

// field is one field of an object, with its value as bytes.
type field struct {
	id
	value []byte
}

// head writes a field's id.
func (f id) head() []byte {
	switch {
	case f.kind < 16 && f.nth < 16:
		return []byte{f.kind<<4 | f.nth}
	case f.kind >= 16 && f.nth < 16:
		return []byte{f.nth, f.kind}
	case f.kind < 16:
		return []byte{f.kind << 4, f.nth}
	default:
		return []byte{0, f.kind, f.nth}
	}
}

// before is the order of fields in an object.
func (f id) before(g id) int {
	if f.kind != g.kind {
		return int(f.kind) - int(g.kind)
	}
	return int(f.nth) - int(g.nth)
}

// object is an object before it is written. Fields may be added in any order.
type object []field

func (o object) raw(f id, value []byte) object { return append(o, field{f, value}) }

func (o object) uint8(f id, v uint8) object   { return o.raw(f, []byte{v}) }
func (o object) uint16(f id, v uint16) object { return o.raw(f, binary.BigEndian.AppendUint16(nil, v)) }
func (o object) uint32(f id, v uint32) object { return o.raw(f, binary.BigEndian.AppendUint32(nil, v)) }
func (o object) hash(f id, v [32]byte) object { return o.raw(f, v[:]) }
func (o object) blob(f id, v []byte) object   { return o.raw(f, append(length(len(v)), v...)) }
func (o object) account(f id, a Account) object {
	return o.blob(f, a[:])
}

// drops writes an amount of XRP: 62 bits, with the bit of positive amounts.
func (o object) drops(f id, v int64) object {
	return o.raw(f, binary.BigEndian.AppendUint64(nil, uint64(v)|1<<62))
}

// object writes an object within an object.
func (o object) object(f id, inner object) object {
	return o.raw(f, append(inner.bytes(), endOfObject...))
}

// array writes objects, each a field with an object.
func (o object) array(f id, inner object) object {
	var out []byte
	for _, i := range inner { // in their own order
		out = append(append(out, i.head()...), i.value...)
	}
	return o.raw(f, append(out, endOfArray...))
}

// bytes writes the object, its fields in their order.
func (o object) bytes() (out []byte) {
	sorted := slices.Clone(o)
	slices.SortStableFunc(sorted, func(a, b field) int { return a.before(b.id) })
	for _, f := range sorted {
		out = append(append(out, f.head()...), f.value...)
	}
	return out
}

// length writes the length of a blob.
func length(n int) []byte {
	switch {
	case n <= 192:
		return []byte{byte(n)}
	case n <= 12_480:
		n -= 193
		return []byte{byte(193 + n>>8), byte(n)}
	default:
		n -= 12_481
		return []byte{byte(241 + n>>16), byte(n >> 8), byte(n)}
	}
}

// readFields reads the flat object of a transaction. It takes no objects and arrays within: no transaction known to the fake has one.
func readFields(raw []byte) (fields []field, err error) {
	for len(raw) > 0 {
		var f field
		if f.id, raw, err = readHead(raw); err != nil {
			return nil, err
		}
		if len(fields) > 0 && fields[len(fields)-1].before(f.id) >= 0 {
			return nil, errOrder
		}
		size, head, err := f.size(raw)
		if err != nil || len(raw) < head+size {
			return nil, errTruncated
		}
		f.value = raw[head : head+size]
		raw = raw[head+size:]
		fields = append(fields, f)
	}
	return fields, nil
}

func readHead(raw []byte) (f id, rest []byte, err error) {
	f = id{raw[0] >> 4, raw[0] & 15}
	rest = raw[1:]
	for _, part := range []*byte{&f.kind, &f.nth} {
		if *part != 0 {
			continue
		}
		if len(rest) == 0 || rest[0] < 16 {
			return f, nil, errTruncated
		}
		*part, rest = rest[0], rest[1:]
	}
	return f, rest, nil
}

// size is how long a value is, and how long the length before it.
func (f id) size(raw []byte) (size, head int, err error) {
	switch f.kind {
	case kindUint8:
		return 1, 0, nil
	case kindUint16:
		return 2, 0, nil
	case kindUint32:
		return 4, 0, nil
	case kindHash256:
		return 32, 0, nil
	case kindAmount:
		if len(raw) > 0 && raw[0]&0x80 != 0 {
			return 48, 0, nil
		}
		return 8, 0, nil
	case kindBlob, kindAccount:
		return readLength(raw)
	}
	return 0, 0, wireError(fmt.Sprintf("the fake does not know fields of type %d", f.kind))
}

func readLength(raw []byte) (size, head int, err error) {
	switch {
	case len(raw) >= 1 && raw[0] <= 192:
		return int(raw[0]), 1, nil
	case len(raw) >= 2 && raw[0] <= 240:
		return 193 + (int(raw[0])-193)<<8 + int(raw[1]), 2, nil
	case len(raw) >= 3 && raw[0] <= 254:
		return 12_481 + (int(raw[0])-241)<<16 + int(raw[1])<<8 + int(raw[2]), 3, nil
	}
	return 0, 0, errTruncated
}
