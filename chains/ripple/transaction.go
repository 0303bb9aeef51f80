package ripple

import (
	"encoding/binary"
	"errors"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"causeway/chains/addresses"
	"causeway/chains/ripple/client"
)

// The types of transactions that are signed.
const (
	typePayment    uint16 = 0
	typeAccountSet uint16 = 3
)

// account is an account of the ledger, by the 20 bytes of its address.
type account [20]byte

// String writes an account as people do.
func (a account) String() string { return addresses.RippleOf(a) }

// order is the part of a transaction of ours that is signed: a payment of XRP, or an AccountSet.
type order struct {
	kind     uint16
	network  *uint32 // none where the network is of the first 1,025
	sequence uint32
	last     uint32 // the last ledger that may have it
	fee      int64  // in drops
	from     account
	key      []byte // the public key

	to     account // of a payment
	amount int64   // in drops
	tag    *uint32

	setFlag uint32 // of an AccountSet; 0 for none
}

// fullyCanonical says that the signature is of its one form. Nodes want this of each one, and old ones looked for the flag.
const fullyCanonical uint32 = 0x80000000

// encode writes the transaction, its fields in their order, with its signature if there is one.
func (o order) encode(signature []byte) []byte {
	out := binary.BigEndian.AppendUint16([]byte{0x12}, o.kind)
	number := func(value uint32, head ...byte) { out = binary.BigEndian.AppendUint32(append(out, head...), value) }
	amount := func(value int64, head byte) {
		out = binary.BigEndian.AppendUint64(append(out, head), uint64(value)|1<<62)
	}
	blob := func(value []byte, head byte) { out = append(append(out, head, byte(len(value))), value...) }
	if o.network != nil {
		number(*o.network, 0x21)
	}
	number(fullyCanonical, 0x22)
	number(o.sequence, 0x24)
	if o.tag != nil {
		number(*o.tag, 0x2E)
	}
	number(o.last, 0x20, fieldLast.nth)
	if o.setFlag != 0 {
		number(o.setFlag, 0x20, fieldSetFlag.nth)
	}
	if o.kind == typePayment {
		amount(o.amount, 0x61)
	}
	amount(o.fee, 0x68)
	blob(o.key, 0x73)
	if signature != nil {
		blob(signature, 0x74)
	}
	blob(o.from[:], 0x81)
	if o.kind == typePayment {
		blob(o.to[:], 0x83)
	}
	return out
}

// digest is what is signed.
func (o order) digest() [32]byte { return client.Half(client.PrefixSigning, o.encode(nil)) }

// errForbidden says that a transaction is of a kind that is never signed. Another one could give the account away.
var errForbidden = errors.New("not a transaction that is ever signed")

// requireDest is the flag of an account that wants a destination tag with each payment, by the number that an AccountSet has for it.
const requireDest uint32 = 1

// readOrder reads a transaction of ours again, with its signature. Each byte of it is one that we write.
func readOrder(blob []byte) (o order, signature []byte, err error) {
	fields, err := readObject(blob)
	if err != nil {
		return o, nil, err
	}
	for i := range fields {
		if err := o.read(&fields[i]); err != nil {
			return o, nil, err
		}
	}
	if s := find(fields, fieldSignature); s != nil {
		signature = s.value
	}
	known := o.kind == typePayment && o.amount > 0 || o.kind == typeAccountSet && o.to == account{} && o.tag == nil && o.setFlag <= requireDest
	if !known || o.kind == typePayment && o.setFlag != 0 || string(o.encode(signature)) != string(blob) {
		return o, nil, errForbidden
	}
	return o, signature, nil
}

func (o *order) read(f *field) error {
	switch f.id {
	case fieldType:
		o.kind = binary.BigEndian.Uint16(f.value)
	case fieldNetwork:
		n := f.number()
		o.network = &n
	case fieldSequence:
		o.sequence = f.number()
	case fieldTag:
		n := f.number()
		o.tag = &n
	case fieldLast:
		o.last = f.number()
	case fieldSetFlag:
		o.setFlag = f.number()
	case fieldAmount:
		o.amount, _ = drops(f.value)
	case fieldFee:
		o.fee, _ = drops(f.value)
	case fieldKey:
		o.key = f.value
	case fieldAccount:
		return o.from.read(f)
	case fieldDestination:
		return o.to.read(f)
	case fieldFlags, fieldSignature:
	default:
		return errForbidden
	}
	return nil
}

func (a *account) read(f *field) error {
	if len(f.value) != len(a) {
		return errWire
	}
	copy(a[:], f.value)
	return nil
}

// txid is the id of a transaction.
func txid(blob []byte) client.Hash { return client.Half(client.PrefixTransaction, blob) }

// signedBy reports whether a signature is the one form of a signature of a transaction by the key that it names, and the key is its account's.
func (o order) signedBy(signature []byte) bool {
	key, err := secp256k1.ParsePubKey(o.key)
	if err != nil || len(o.key) != secp256k1.PubKeyBytesLenCompressed || accountOf(o.key) != o.from {
		return false
	}
	parsed, err := ecdsa.ParseDERSignature(signature)
	if err != nil || string(parsed.Serialize()) != string(signature) { // written again, it has the low s
		return false
	}
	digest := o.digest()
	return parsed.Verify(digest[:], key)
}
