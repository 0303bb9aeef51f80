package tronnode

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

func amount(units int64) *big.Int { return big.NewInt(units) }

// Mine makes blocks, three seconds apart, and returns the height of the last.
func (n *Node) Mine(count int) int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	for range count {
		n.mine(0)
	}
	return n.head().number
}

// Later makes one block some time after the newest, as if the slots between had been missed.
func (n *Node) Later(by time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.mine(n.head().time + by.Milliseconds()/slotMs*slotMs)
}

// Solidify makes as many blocks as the newest one needs to be solid.
func (n *Node) Solidify() int64 { return n.Mine(n.lag) }

// Height returns the height of the newest block, and of the solid one.
func (n *Node) Height() (newest, solid int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.head().number, n.solid().number
}

// Clock returns the time of the newest block.
func (n *Node) Clock() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return time.UnixMilli(n.head().time)
}

// GenesisID returns the id of the first block.
func (n *Node) GenesisID() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return hex32(n.blocks[0].id)
}

// Waiting returns the number of transactions that wait for a block.
func (n *Node) Waiting() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.waiting)
}

// Reorganise replaces the newest blocks, none of them solid, by one block more. Their transactions wait and come again, or are lost.
func (n *Node) Reorganise(depth int, lose bool) error {
	return n.reorganiseBut(depth, func(string) bool { return lose })
}

// ReorganiseWithout is Reorganise, and loses these transactions alone.
func (n *Node) ReorganiseWithout(depth int, txids ...string) error {
	return n.reorganiseBut(depth, func(txid string) bool { return slices.Contains(txids, txid) })
}

func (n *Node) reorganiseBut(depth int, lost func(txid string) bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.reorganise(depth, lost) {
		return fmt.Errorf("%d blocks cannot be undone: between 1 and %d are not solid yet", depth, n.head().number-n.solid().number)
	}
	return nil
}

// Fund sends TRX from Rich. The transfer waits for a block.
func (n *Node) Fund(to string, sun int64) (txid string, err error) { return n.Send(Rich, to, sun) }

// Send sends TRX with a key that is known.
func (n *Node) Send(from Key, to string, sun int64) (txid string, err error) {
	receiver, err := Address(to)
	if err != nil {
		return "", err
	}
	return n.order(from, transfer, 0, message(nil).bytes(1, bytesOf(from.Address())).bytes(2, bytesOf(receiver)).number(3, sun))
}

// Pay sends units of a token from Rich.
func (n *Node) Pay(token, to string, units int64) (txid string, err error) {
	receiver, err := Address(to)
	if err != nil {
		return "", err
	}
	return n.Call(Rich, token, "transfer", receiver, amount(units))
}

// Call calls a method of a token with a key that is known. Addresses among the arguments are common.Address, numbers *big.Int.
func (n *Node) Call(from Key, token, method string, arguments ...any) (txid string, err error) {
	data, to, err := n.pack(token, method, arguments)
	if err != nil {
		return "", err
	}
	return n.order(from, trigger, 1_000*trx, message(nil).bytes(1, bytesOf(from.Address())).bytes(2, bytesOf(to)).bytes(4, data))
}

func (n *Node) pack(token, method string, arguments []any) ([]byte, common.Address, error) {
	to, err := Address(token)
	if err != nil {
		return nil, to, err
	}
	deployed := n.contracts[to]
	if deployed == nil {
		return nil, to, errors.New("there is no contract at " + token)
	}
	data, err := deployed.abi.Pack(method, arguments...)
	return data, to, err
}

// Freeze stakes TRX of a known key for energy.
func (n *Node) Freeze(from Key, sun int64) (txid string, err error) {
	return n.order(from, freeze, 0, message(nil).bytes(1, bytesOf(from.Address())).number(2, sun).number(3, energy))
}

// Lend delegates energy of a stake of a known key.
func (n *Node) Lend(from Key, to string, sun int64) (txid string, err error) {
	receiver, err := Address(to)
	if err != nil {
		return "", err
	}
	return n.order(from, delegate, 0,
		message(nil).bytes(1, bytesOf(from.Address())).number(2, energy).number(3, sun).bytes(4, bytesOf(receiver)))
}

// order signs and broadcasts a transaction of the fake's own.
func (n *Node) order(from Key, k kind, feeLimit int64, value message) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.orders++
	raw := rawOf(n.head(), k, feeLimit, n.head().time+10*60*1000+int64(n.orders%10_000_000), value)
	tx, err := readTransaction(message(nil).always(1, raw))
	if err != nil {
		return "", err
	}
	signed, err := readTransaction(message(nil).always(1, raw).always(2, from.sign(tx.id)))
	if err != nil {
		return "", err
	}
	if refused := n.broadcast(signed); refused != nil {
		return "", fmt.Errorf("%s: %s", refused.code, refused.message)
	}
	return hex32(signed.id), nil
}

// rawOf writes a transaction that refers to a block.
func rawOf(ref *block, k kind, feeLimit, expiration int64, value message) message {
	parameter := message(nil).bytes(1, []byte("type.googleapis.com/protocol."+kindNames[k])).bytes(2, value)
	one := message(nil).number(1, int64(k)).bytes(2, parameter)
	m := message(nil).bytes(1, []byte{byte(ref.number >> 8), byte(ref.number)}).bytes(4, ref.id[8:16]).number(8, expiration)
	return m.bytes(11, one).number(14, ref.time).number(18, feeLimit)
}

// unsigned is the transaction of a question, as nodes show it beside their answer.
func (c *chain) unsigned(what *contract) *transaction {
	value := message(nil).bytes(1, bytesOf(what.owner)).bytes(2, bytesOf(what.to)).number(3, what.callValue).bytes(4, what.data)
	tx, err := readTransaction(message(nil).always(1, rawOf(c.head(), trigger, 0, c.head().time+60_000, value)))
	if err != nil {
		return &transaction{}
	}
	return tx
}
