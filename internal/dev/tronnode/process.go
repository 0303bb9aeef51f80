package tronnode

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// The limits of a transaction.
const (
	longestLife = 24 * 60 * 60 * 1000 // ms from the newest block to the expiration
	largest     = 500 * 1024          // bytes
)

// broadcast takes a transaction into the waiting ones, or refuses it. The checks come in java-tron's order.
func (c *chain) broadcast(tx *transaction) *refusal {
	if len(tx.contracts) == 0 {
		return invalid("No contract!")
	}
	if tx.expiration < c.head().time+slotMs {
		return refuse(expiredError)
	}
	what, refused := tx.order()
	if refused != nil {
		return refused
	}
	if refused := tx.verify(what.owner); refused != nil {
		return refused
	}
	if c.seen[tx.id] {
		return refuse(dupError)
	}
	if _, _, refused := c.process(tx); refused != nil {
		return refused
	}
	c.waiting, c.seen[tx.id] = append(c.waiting, tx), true
	return nil
}

// verify checks that the owner has signed. The fake takes no high s: our signers write none.
func (tx *transaction) verify(owner common.Address) *refusal {
	signer, refused := tx.signer()
	if refused != nil {
		return refused
	}
	signature := tx.signatures[0]
	var s secp256k1.ModNScalar
	if s.SetByteSlice(signature[32:64]) || s.IsOverHalfOrder() {
		return unsigned("the fake takes no signature with a high s")
	}
	if signer != owner {
		return unsigned(fmt.Sprintf("%x is signed by %s but it is not contained of permission.", signature, Text(signer)))
	}
	return nil
}

// signer recovers who has signed: with one signature of 65 bytes.
func (tx *transaction) signer() (common.Address, *refusal) {
	if len(tx.signatures) == 0 {
		return common.Address{}, unsigned("miss sig or contract")
	}
	if n := len(tx.signatures); n > 1 {
		return common.Address{}, unsigned(fmt.Sprintf("Signature count is %d more than key counts of permission : 1", n))
	}
	signature := tx.signatures[0]
	if len(signature) != 65 {
		return common.Address{}, unsigned(fmt.Sprintf("Signature size is %d", len(signature)))
	}
	v := signature[64]
	if v < 27 {
		v += 27
	}
	key, _, err := ecdsa.RecoverCompact(append([]byte{v}, signature[:64]...), tx.id[:])
	if err != nil {
		return common.Address{}, unsigned("Signature r or s is invalid")
	}
	return common.BytesToAddress(crypto.Keccak256(key.SerializeUncompressed()[1:])[12:]), nil
}

// sign signs a hash as Tron has it: r, s and 27 or 28.
func (k Key) sign(hash [32]byte) []byte {
	signature := ecdsa.SignCompact(k.private, hash[:], false)
	return append(signature[1:], signature[0])
}

// process does a transaction on the state after the newest block and the waiting ones, or changes nothing and refuses it.
func (c *chain) process(tx *transaction) (*contract, *receipt, *refusal) {
	mark := len(c.changes)
	what, r, refused := c.try(tx)
	if refused != nil {
		c.revert(mark)
	}
	return what, r, refused
}

func (c *chain) try(tx *transaction) (*contract, *receipt, *refusal) {
	what, refused := tx.order()
	if refused == nil {
		refused = c.fits(tx)
	}
	if refused != nil {
		return nil, nil, refused
	}
	r := &receipt{result: resultSuccess}
	if refused := c.payBandwidth(tx, what, r); refused != nil {
		return nil, nil, refused
	}
	if refused := c.payMemo(tx, what, r); refused != nil {
		return nil, nil, refused
	}
	return what, r, c.act(tx, what, r)
}

// fits checks the reference block, the size, the expiration, and that the transaction is in no block.
func (c *chain) fits(tx *transaction) *refusal {
	if !c.refers(tx) {
		return refuse(taposError)
	}
	if size := tx.size + 2*resultSize; size > largest {
		return &refusal{tooBigError, fmt.Sprintf("Too big transaction with result, TxId %x, the size is %d bytes, maxTxSize %d",
			tx.id, size, largest)}
	}
	if now := c.head().time; tx.expiration <= now || tx.expiration > now+longestLife {
		return refuse(expiredError)
	}
	if _, there := c.places[tx.id]; there {
		return refuse(dupError)
	}
	return nil
}

// refers reports whether the reference block is one of the last 65,536.
func (c *chain) refers(tx *transaction) bool {
	if len(tx.refBytes) != 2 {
		return false
	}
	newest := c.head().number
	number := newest - (newest-int64(binary.BigEndian.Uint16(tx.refBytes)))&0xffff
	return number >= 0 && bytes.Equal(c.blocks[number].id[8:16], tx.refHash)
}

// payMemo burns the fee of a transaction with data.
func (c *chain) payMemo(tx *transaction, what *contract, r *receipt) *refusal {
	if len(tx.data) == 0 || c.fees.Memo == 0 {
		return nil
	}
	owner := c.accounts[what.owner]
	if owner.balance < c.fees.Memo {
		return refuse(bandError)
	}
	owner.balance -= c.fees.Memo
	r.memoFee = c.fees.Memo
	c.setAccount(what.owner, owner)
	return nil
}

// act does what the transaction is for.
func (c *chain) act(tx *transaction, what *contract, r *receipt) *refusal {
	switch what.kind {
	case transfer:
		return c.transfer(what, r)
	case trigger:
		return c.trigger(tx, what, r)
	case freeze:
		return c.freeze(what)
	case unfreeze:
		return c.unfreeze(what, r)
	case withdrawUnfreeze:
		return c.withdraw(what, r)
	case delegate:
		return c.delegate(what)
	default:
		return c.undelegate(what)
	}
}

// transfer moves TRX. A new account costs the sender a fee.
func (c *chain) transfer(what *contract, r *receipt) *refusal {
	if what.to == what.owner {
		return invalid("Cannot transfer TRX to yourself.")
	}
	if what.amount <= 0 {
		return invalid("Amount must be greater than 0.")
	}
	receiver, there := c.accounts[what.to]
	if !there {
		receiver.created = c.head().time
		r.fee = c.fees.Activate
	}
	if receiver.contract {
		return invalid("Cannot transfer TRX to a smartContract.")
	}
	owner := c.accounts[what.owner]
	if owner.balance < r.fee || owner.balance-r.fee < what.amount {
		return invalid("Validate TransferContract error, balance is not sufficient.")
	}
	owner.balance -= what.amount + r.fee
	receiver.balance += what.amount
	c.setAccount(what.owner, owner)
	c.setAccount(what.to, receiver)
	return nil
}
