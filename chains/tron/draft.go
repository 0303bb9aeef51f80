package tron

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"sync"
	"time"

	"causeway/chains"
)

// The life of a transaction. The solid block is the reference and the clock, and is about a minute old. So a transaction may be in a block for
// one to two minutes after it was signed, and two to three minutes after that it is known to be dead.
const (
	shortest = int64(2 * time.Minute / time.Millisecond) // after the solid block
	longest  = int64(3 * time.Minute / time.Millisecond)
	// leastLife is the least time that is left of the shortest life by the clock of the newest block.
	leastLife = int64(30 * time.Second / time.Millisecond)
)

// draft is a transaction without its number and its signature.
type draft struct {
	sender *Sender
	from   wallet
	raw    raw   // without its expiration
	clock  int64 // of the solid block
	fee    int64 // the most it can cost
	spare  chains.Spare

	signing sync.Mutex
	signed  map[uint64]chains.Signed // the last, by its slot: a signer elsewhere may sign the same with other bytes
}

// Spare returns what the solid block leaves the wallet beyond the order. Later transactions of the wallet may not be deducted there.
func (d *draft) Spare() chains.Spare { return d.spare }

// Sign completes the transaction. Equal orders of two slots have two last moments, since equal bytes would be one transaction.
func (d *draft) Sign(slot chains.Slot) (chains.Signed, error) {
	d.signing.Lock()
	defer d.signing.Unlock()
	if done, already := d.signed[slot.Number]; already {
		return done, nil
	}
	r := d.raw
	until := d.clock + shortest + int64(slot.Number%uint64(longest-shortest))
	r.expiration = until
	e, err := d.sender.signed(d.from, r.encode())
	if err != nil {
		return chains.Signed{}, fmt.Errorf("sign: %w", err)
	}
	done := chains.Signed{Txid: hash(e.id()).String(), Raw: e.encode(), Fee: sun(d.fee), Until: &until}
	d.signed = map[uint64]chains.Signed{slot.Number: done}
	return done, nil
}

// reference sets the reference block of a transaction: no chain without this block has it.
func (r *raw) reference(id string) error {
	block, err := hex.DecodeString(id)
	if err != nil || len(block) != len(hash{}) {
		return errors.New("the reference block has no id")
	}
	r.refBytes, r.refHash = block[6:8], block[8:16]
	return nil
}

func bigOf(b []byte) *big.Int { return new(big.Int).SetBytes(b) }
