package solana

import (
	"fmt"

	"causeway/chains"
)

// The life of a transaction, in blocks. Its reference is the last block of the newest block of ours, about 40 blocks old. A block takes it for
// 150 blocks after its reference, and one more where the node has not counted its own.
const (
	age = 150
	// margin is added to the last block, for a death that no count of a node can be wrong about.
	margin  = 10
	longest = age + margin
	// mostBehind is how old the reference is at most: then a third of the life is left.
	mostBehind = 100
)

// The limits of compute units.
const (
	mostUnits  = 200_000
	spareUnits = 2_000
	jitter     = 10_000 // of the slot's number
)

// feeOfSignature is what the chain takes for each signature, in lamports.
const feeOfSignature = 5_000

// microLamports in a lamport.
const microLamports = 1_000_000

// draft is a transaction without its number and its signature.
type draft struct {
	sender    *Sender
	owner     key // of what it moves
	payer     key // of the fee
	by        []signing
	reference *group
	calls     []instruction
	limit     uint32 // of units, without the jitter
	price     uint64 // of a unit, in micro-lamports
	rent      uint64 // of an account that it makes
	spare     chains.Spare
}

// Spare returns what the final block leaves the hot wallet beyond the order. Later transactions of the wallet may not be deducted there.
func (d *draft) Spare() chains.Spare { return d.spare }

// bound lowers the price so that all units together cost no more than the settings allow.
func (d *draft) bound(cfg Config) {
	most := cfg.MaxPriorityFee.Shift(coinDecimals).BigInt().Uint64() * microLamports
	d.price = min(d.price, most/uint64(d.limit+jitter))
}

// most is the most that the transaction can cost, in lamports.
func (d *draft) most() uint64 {
	return feeOfSignature*uint64(len(d.by)) + (uint64(d.limit+jitter)*d.price+microLamports-1)/microLamports + d.rent
}

// message is the transaction of a slot. Equal orders of two slots have two limits, since equal bytes would be one transaction.
func (d *draft) message(number uint64) message {
	limit := d.limit + uint32(number%jitter)
	return compile(d.payer, mustKey(d.reference.blockhash), append([]instruction{limitUnits(limit), priceUnits(d.price)}, d.calls...)...)
}

// Sign completes the transaction.
func (d *draft) Sign(slot chains.Slot) (chains.Signed, error) {
	t, err := d.sender.signed(d.message(slot.Number), d.owner, d.by...)
	if err != nil {
		return chains.Signed{}, fmt.Errorf("sign: %w", err)
	}
	until := d.reference.blockHeight + longest
	return chains.Signed{Txid: t.id(), Raw: t.encode(), Fee: lamports(d.most()), Until: &until}, nil
}
