package rippled

import (
	"encoding/binary"
	"encoding/hex"
	"strings"
)

// The types of transactions. Only the first two are taken.
const (
	payment       uint16 = 0
	accountSet    uint16 = 3
	escrowFinish  uint16 = 2
	accountDelete uint16 = 21
)

var typeNames = map[uint16]string{payment: "Payment", accountSet: "AccountSet", escrowFinish: "EscrowFinish", accountDelete: "AccountDelete"}

// transaction is a signed transaction as it was sent.
type transaction struct {
	id   [32]byte
	blob []byte

	kind                        uint16
	network, last, tag          *uint32
	flags, sequence, set, clear uint32
	amount, fee                 int64 // in drops; amount is -1 of one that is not of XRP
	account, destination        Account
	key, signature              []byte
	signing                     [32]byte

	played *played // of the fake's own
}

// readTransaction reads the bytes of a transaction. It returns an error if they are none, or have a field that the fake does not know.
func readTransaction(blob []byte) (*transaction, error) {
	fields, err := readFields(blob)
	if err != nil {
		return nil, err
	}
	tx := &transaction{id: half(prefixTransaction, blob), blob: blob, kind: 0xFFFF, amount: -1, fee: -1}
	var unsigned []byte
	for _, f := range fields {
		if err := tx.read(f); err != nil {
			return nil, err
		}
		if f.id != fieldSignature {
			unsigned = append(append(unsigned, f.head()...), f.encoded()...)
		}
	}
	if tx.kind == 0xFFFF || tx.account == (Account{}) {
		return nil, wireError("Field not found: Account")
	}
	tx.signing = half(prefixSigning, unsigned)
	return tx, nil
}

// encoded is the value with its length.
func (f field) encoded() []byte {
	if f.kind == kindBlob || f.kind == kindAccount {
		return append(length(len(f.value)), f.value...)
	}
	return f.value
}

func (tx *transaction) read(f field) error {
	number := func() uint32 { return binary.BigEndian.Uint32(f.value) }
	switch f.id {
	case fieldType:
		tx.kind = binary.BigEndian.Uint16(f.value)
	case fieldNetwork:
		tx.network = pointer(number())
	case fieldFlags:
		tx.flags = number()
	case fieldSequence:
		tx.sequence = number()
	case fieldTag:
		tx.tag = pointer(number())
	case fieldLast:
		tx.last = pointer(number())
	case fieldSetFlag:
		tx.set = number()
	case fieldClearFlag:
		tx.clear = number()
	case fieldAmount:
		tx.amount = dropsOf(f.value)
	case fieldFee:
		tx.fee = dropsOf(f.value)
	case fieldKey:
		tx.key = f.value
	case fieldSignature:
		tx.signature = f.value
	case fieldAccount:
		return readAccount(&tx.account, f.value)
	case fieldDestination:
		return readAccount(&tx.destination, f.value)
	case fieldSourceTag, fieldSendMax, fieldOfferSeq, fieldOwner:
	default:
		return wireError("this fake of a node does not know field " + hex.EncodeToString(f.head()))
	}
	return nil
}

func readAccount(into *Account, value []byte) error {
	if len(value) != len(into) {
		return wireError("an account has 20 bytes")
	}
	copy(into[:], value)
	return nil
}

// dropsOf reads an amount of XRP; -1 of another currency, or of a negative amount.
func dropsOf(value []byte) int64 {
	if len(value) != 8 || value[0]&0xC0 != 0x40 {
		return -1
	}
	return int64(binary.BigEndian.Uint64(value) &^ (1 << 62))
}

func pointer(v uint32) *uint32 { return &v }

// hexOf writes bytes as rippled does.
func hexOf(b []byte) string { return strings.ToUpper(hex.EncodeToString(b)) }

// print shows a transaction as the answer to submit has it.
func (tx *transaction) print() map[string]any {
	o := map[string]any{"Account": tx.account.String(), "Fee": decimal(tx.fee), "Flags": tx.flags, "Sequence": tx.sequence,
		"SigningPubKey": hexOf(tx.key), "TransactionType": typeNames[tx.kind], "TxnSignature": hexOf(tx.signature), "hash": hexOf(tx.id[:])}
	for name, v := range map[string]*uint32{"NetworkID": tx.network, "LastLedgerSequence": tx.last, "DestinationTag": tx.tag} {
		if v != nil {
			o[name] = *v
		}
	}
	if tx.kind == payment {
		o["DeliverMax"], o["Destination"] = decimal(tx.amount), tx.destination.String()
	}
	if tx.set != 0 {
		o["SetFlag"] = tx.set
	}
	if tx.clear != 0 {
		o["ClearFlag"] = tx.clear
	}
	return o
}
