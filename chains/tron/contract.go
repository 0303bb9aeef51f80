package tron

import (
	"bytes"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"google.golang.org/protobuf/encoding/protowire"
)

// version is before the 20 bytes of an account.
const version = 0x41

// typePrefix is before the name of a contract's type.
const typePrefix = "type.googleapis.com/protocol."

// account reads the 21 bytes of an account.
func account(b []byte) (a common.Address, ok bool) {
	if len(b) != 1+len(a) || b[0] != version {
		return a, false
	}
	return common.Address(b[1:]), true
}

// long are the 21 bytes of an account.
func long(a common.Address) []byte { return append([]byte{version}, a[:]...) }

// ownerFields says where a kind of contract has its owner, if it is not the first field.
var ownerFields = map[int64]protowire.Number{kindTransferAsset: 2, kindAccountUpdate: 2, kindSetAccountID: 2}

// owner returns the account by which a transaction is sent.
func (r raw) owner() (a common.Address, ok bool) {
	m, err := readMessage(r.parameter)
	if err != nil {
		return a, false
	}
	field := ownerFields[r.kind]
	return account(m.bytes[max(field, 1)])
}

// transfer is a TransferContract: it moves the coin.
type transfer struct {
	owner, to common.Address
	units     int64
}

func (t transfer) raw() raw {
	parameter := appendBytes(appendBytes(nil, 1, long(t.owner)), 2, long(t.to))
	return raw{kind: kindTransfer, typeURL: typePrefix + "TransferContract", parameter: appendNumber(parameter, 3, t.units)}
}

func readTransfer(parameter []byte) (t transfer, ok bool) {
	m, err := readMessage(parameter)
	if err != nil {
		return t, false
	}
	owner, fine := account(m.bytes[1])
	to, known := account(m.bytes[2])
	return transfer{owner, to, m.number(3)}, fine && known
}

// trigger is a TriggerSmartContract: it calls a contract.
type trigger struct {
	owner, contract common.Address
	value           int64 // of the coin
	data            []byte
}

func (t trigger) raw() raw {
	parameter := appendBytes(appendBytes(nil, 1, long(t.owner)), 2, long(t.contract))
	parameter = appendBytes(appendNumber(parameter, 3, t.value), 4, t.data)
	return raw{kind: kindTrigger, typeURL: typePrefix + "TriggerSmartContract", parameter: parameter}
}

func readTrigger(parameter []byte) (t trigger, ok bool) {
	m, err := readMessage(parameter)
	if err != nil {
		return t, false
	}
	owner, fine := account(m.bytes[1])
	contract, known := account(m.bytes[2])
	return trigger{owner, contract, m.number(3), m.bytes[4]}, fine && known
}

// The selectors of contracts' functions.
var (
	selectorTransfer  = crypto.Keccak256([]byte("transfer(address,uint256)"))[:4]
	selectorBalance   = crypto.Keccak256([]byte("balanceOf(address)"))[:4]
	selectorDecimals  = crypto.Keccak256([]byte("decimals()"))[:4]
	selectorBlocklist = crypto.Keccak256([]byte("isBlackListed(address)"))[:4]
)

// transferTopic is the first topic of Transfer(address,address,uint256).
var transferTopic = crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)"))

// word is how an account is written in calldata.
func word(a common.Address) []byte { return common.LeftPadBytes(a[:], common.HashLength) }

// transferCall is the calldata of a transfer of a token.
func transferCall(to common.Address, units *big.Int) []byte {
	return append(append(bytes.Clone(selectorTransfer), word(to)...), common.LeftPadBytes(units.Bytes(), common.HashLength)...)
}

// readTransferCall reads the calldata of a transfer of a token. Wallets write the account with its first byte, or without.
func readTransferCall(data []byte) (to common.Address, units *big.Int, ok bool) {
	if len(data) != 4+2*common.HashLength || !bytes.Equal(data[:4], selectorTransfer) {
		return to, nil, false
	}
	return common.BytesToAddress(data[4 : 4+common.HashLength]), new(big.Int).SetBytes(data[4+common.HashLength:]), true
}

// asks is the calldata of a question about an account.
func asks(selector []byte, a common.Address) []byte { return append(bytes.Clone(selector), word(a)...) }
