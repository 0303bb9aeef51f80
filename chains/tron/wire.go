package tron

import (
	"crypto/sha256"
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

// The kinds of contract read here (Tron.proto, Transaction.Contract.ContractType). Transactions of all kinds are followed.
const (
	kindTransfer       = 1
	kindTransferAsset  = 2
	kindAccountUpdate  = 10
	kindFreeze         = 11
	kindSetAccountID   = 19
	kindCreateContract = 30
	kindTrigger        = 31
	kindFreezeV2       = 54
	kindUnfreezeV2     = 55
	kindWithdraw       = 56
	kindDelegate       = 57
	kindUndelegate     = 58
)

// message reads a message of protocol buffers: the last value of each field. A message that repeats a field keeps the last one, as the
// nodes do.
type message struct {
	numbers map[protowire.Number]uint64
	bytes   map[protowire.Number][]byte
	lists   map[protowire.Number]int // how often a field of bytes is there
}

// errWire says that bytes are no message.
var errWire = errors.New("the bytes are no message of protocol buffers")

func readMessage(raw []byte) (message, error) {
	m := message{map[protowire.Number]uint64{}, map[protowire.Number][]byte{}, map[protowire.Number]int{}}
	for len(raw) > 0 {
		number, kind, n := protowire.ConsumeTag(raw)
		if n < 0 {
			return m, errWire
		}
		raw = raw[n:]
		switch kind {
		case protowire.VarintType:
			m.numbers[number], n = protowire.ConsumeVarint(raw)
		case protowire.BytesType:
			m.bytes[number], n = protowire.ConsumeBytes(raw)
			m.lists[number]++
		default:
			n = protowire.ConsumeFieldValue(number, kind, raw)
		}
		if n < 0 {
			return m, errWire
		}
		raw = raw[n:]
	}
	return m, nil
}

// number returns a field of type int64.
func (m message) number(field protowire.Number) int64 { return int64(m.numbers[field]) }

// appendNumber writes a field of type int64 or of an enumeration. Zero is not written.
func appendNumber(out []byte, field protowire.Number, value int64) []byte {
	if value == 0 {
		return out
	}
	return protowire.AppendVarint(protowire.AppendTag(out, field, protowire.VarintType), uint64(value))
}

// appendBytes writes a field of bytes. Empty ones are not written.
func appendBytes(out []byte, field protowire.Number, value []byte) []byte {
	if len(value) == 0 {
		return out
	}
	return appendItem(out, field, value)
}

// appendItem writes one of a repeated field, or a message: also an empty one.
func appendItem(out []byte, field protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(out, field, protowire.BytesType), value)
}

// The fields of Transaction, Transaction.raw and Transaction.Contract.
const (
	fieldRaw       = 1
	fieldSignature = 2
	fieldRet       = 5

	rawRefBytes   = 1
	rawRefHash    = 4
	rawExpiration = 8
	rawContract   = 11
	rawTimestamp  = 14
	rawFeeLimit   = 18

	contractKind       = 1
	contractParameter  = 2
	contractPermission = 5

	anyType  = 1
	anyValue = 2
)

// raw is the part of a transaction that is signed, with its one contract.
type raw struct {
	refBytes, refHash []byte
	expiration        int64 // in ms
	timestamp         int64
	feeLimit          int64 // in sun
	kind              int64
	permission        int64
	typeURL           string
	parameter         []byte // of the contract
}

// encode writes it as the nodes do, which hash what they have read.
func (r raw) encode() []byte {
	parameter := appendBytes(appendBytes(nil, anyType, []byte(r.typeURL)), anyValue, r.parameter)
	contract := appendItem(appendNumber(nil, contractKind, r.kind), contractParameter, parameter)
	contract = appendNumber(contract, contractPermission, r.permission)
	out := appendBytes(appendBytes(nil, rawRefBytes, r.refBytes), rawRefHash, r.refHash)
	out = appendItem(appendNumber(out, rawExpiration, r.expiration), rawContract, contract)
	return appendNumber(appendNumber(out, rawTimestamp, r.timestamp), rawFeeLimit, r.feeLimit)
}

// readRaw reads the signed part of a transaction. It has exactly one contract.
func readRaw(data []byte) (r raw, err error) {
	m, err := readMessage(data)
	if err != nil {
		return r, err
	}
	if m.lists[rawContract] != 1 {
		return r, errors.New("it does not have one contract")
	}
	contract, err := readMessage(m.bytes[rawContract])
	if err != nil {
		return r, err
	}
	parameter, err := readMessage(contract.bytes[contractParameter])
	if err != nil {
		return r, err
	}
	return raw{refBytes: m.bytes[rawRefBytes], refHash: m.bytes[rawRefHash], expiration: m.number(rawExpiration), timestamp: m.number(rawTimestamp),
		feeLimit: m.number(rawFeeLimit), kind: contract.number(contractKind), permission: contract.number(contractPermission),
		typeURL: string(parameter.bytes[anyType]), parameter: parameter.bytes[anyValue]}, nil
}

// envelope is a whole transaction in bytes.
type envelope struct {
	raw       []byte
	signature []byte
}

// readEnvelope reads a transaction that has one signature.
func readEnvelope(data []byte) (e envelope, err error) {
	m, err := readMessage(data)
	switch {
	case err != nil:
		return e, err
	case m.lists[fieldRaw] != 1 || m.lists[fieldSignature] != 1 || len(m.bytes[fieldSignature]) != signatureSize:
		return e, errors.New("it is no transaction with one signature")
	}
	return envelope{m.bytes[fieldRaw], m.bytes[fieldSignature]}, nil
}

func (e envelope) encode() []byte {
	return appendItem(appendItem(nil, fieldRaw, e.raw), fieldSignature, e.signature)
}

// id is the id of the transaction.
func (e envelope) id() [sha256.Size]byte { return sha256.Sum256(e.raw) }

// signatureSize is the size of a signature: r, s and the recovery id.
const signatureSize = 65
