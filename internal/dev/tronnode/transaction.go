package tronnode

import (
	"crypto/sha256"
	"fmt"
)

// kind is a kind of contract, by its number in Tron.proto.
type kind int64

// The kinds known to the fake. It refuses every other one.
const (
	transfer         kind = 1
	trigger          kind = 31
	freeze           kind = 54
	unfreeze         kind = 55
	withdrawUnfreeze kind = 56
	delegate         kind = 57
	undelegate       kind = 58
)

// kindNames are the names of the known kinds, also of their messages.
var kindNames = map[kind]string{
	transfer: "TransferContract", trigger: "TriggerSmartContract", freeze: "FreezeBalanceV2Contract",
	unfreeze: "UnfreezeBalanceV2Contract", withdrawUnfreeze: "WithdrawExpireUnfreezeContract",
	delegate: "DelegateResourceContract", undelegate: "UnDelegateResourceContract",
}

// unknownKinds are some of the kinds refused by the fake, with their names for the refusal.
var unknownKinds = map[kind]string{
	0: "AccountCreateContract", 2: "TransferAssetContract", 4: "VoteWitnessContract", 10: "AccountUpdateContract",
	11: "FreezeBalanceContract", 12: "UnfreezeBalanceContract", 13: "WithdrawBalanceContract", 30: "CreateSmartContract",
	46: "AccountPermissionUpdateContract", 59: "CancelAllUnfreezeV2Contract",
}

// transaction is a signed transaction as it was sent.
type transaction struct {
	id         [32]byte
	raw        []byte // raw_data, of which id is the hash
	signatures [][]byte

	refBytes, refHash, data []byte
	expiration              int64 // ms
	timestamp               int64 // ms
	feeLimit                int64 // sun
	contracts               []contract

	size int // bytes without the result
}

// contract is one order of a transaction, of which it may have exactly one. readOrder reads the fields of its kind.
type contract struct {
	kind       kind
	url        string
	value      []byte
	permission int64
	order
}

// readTransaction reads the bytes of a transaction. It returns an error if they are none.
func readTransaction(raw []byte) (*transaction, error) {
	tx := &transaction{}
	err := each(raw, func(f field) bool {
		switch f.id {
		case 1:
			return f.toBytes(&tx.raw)
		case 2:
			tx.signatures = append(tx.signatures, f.bytes)
			return f.bytes != nil
		case 5: // the result: nodes drop it from transactions sent to them
			return true
		}
		return false
	})
	if err != nil {
		return nil, err
	}
	tx.id = sha256.Sum256(tx.raw)
	tx.size = len(tx.bytes(0))
	return tx, tx.readRaw()
}

func (tx *transaction) readRaw() error {
	var ignored int64
	return each(tx.raw, func(f field) bool {
		switch f.id {
		case 1:
			return f.toBytes(&tx.refBytes)
		case 3:
			return f.toNumber(&ignored)
		case 4:
			return f.toBytes(&tx.refHash)
		case 8:
			return f.toNumber(&tx.expiration)
		case 10:
			return f.toBytes(&tx.data)
		case 11:
			c, err := readContract(f.bytes)
			tx.contracts = append(tx.contracts, c)
			return err == nil
		case 14:
			return f.toNumber(&tx.timestamp)
		case 18:
			return f.toNumber(&tx.feeLimit)
		}
		return false
	})
}

func readContract(raw []byte) (contract, error) {
	var c contract
	var any, url []byte
	err := each(raw, func(f field) bool {
		switch f.id {
		case 1:
			return f.toNumber((*int64)(&c.kind))
		case 2:
			return f.toBytes(&any)
		case 5:
			return f.toNumber(&c.permission)
		}
		return false
	})
	if err != nil {
		return c, err
	}
	err = each(any, func(f field) bool {
		switch f.id {
		case 1:
			return f.toBytes(&url)
		case 2:
			return f.toBytes(&c.value)
		}
		return false
	})
	c.url = string(url)
	return c, err
}

// bytes returns the transaction as a message, with the result of its contract if it has one.
func (tx *transaction) bytes(result int64) []byte {
	m := message(nil).always(1, tx.raw)
	for _, s := range tx.signatures {
		m = m.always(2, s)
	}
	if result != 0 {
		m = m.always(5, message(nil).number(3, result))
	}
	return m
}

// order returns the transaction's one order, or a refusal.
func (tx *transaction) order() (*contract, *refusal) {
	if len(tx.contracts) != 1 {
		return nil, invalid(fmt.Sprintf("tx %x contract size should be exactly 1, this is extend feature ,actual :%d",
			tx.id, len(tx.contracts)))
	}
	c := &tx.contracts[0]
	name, known := kindNames[c.kind]
	if !known {
		other, ok := unknownKinds[c.kind]
		if !ok {
			other = fmt.Sprintf("contract type %d", c.kind)
		}
		return nil, invalid("this fake of a node does not know " + other)
	}
	if want := "type.googleapis.com/protocol." + name; c.url != want {
		return nil, invalid(fmt.Sprintf("contract type error, expected type [%s], real type [%s]", want, c.url))
	}
	if c.permission != 0 {
		return nil, &refusal{sigError, "Validate signature error: permission isn't exit"}
	}
	return c, c.readOrder()
}
