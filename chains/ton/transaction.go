package ton

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/xssnick/tonutils-go/tlb"
	"github.com/xssnick/tonutils-go/tvm/cell"

	"causeway/chains/ton/client"
	"causeway/internal/batch/gather"
)

// message is an internal message: coins and a body from one account to another.
type message struct {
	from, to        account
	value           int64 // nanotons
	fees            int64 // that its sender paid for its way, beyond the fees of the transaction. Where the library knows an IHR fee there are flags
	created         uint64
	bounce, bounced bool
	body            *cell.Cell
}

// transaction is one step of an account: it received a message, and sent others.
type transaction struct {
	account  account
	hash     client.Hash
	lt       uint64
	before   client.Hash // of the account's transaction before
	beforeLT uint64
	fees     int64
	in       *message   // nil for a signed message, and where there is none
	signed   *cell.Cell // the body of a signed message; nil for others
	id       client.Hash
	out      []message
	gone     bool  // no transaction: the account is gone, and its last coins with it
	worked   bool  // its code ran, and what it ordered was done
	seqno    int64 // of the masterchain's block that first shows it; 0 while it is not known
}

// errCell says that a cell is not what it should be.
var errCell = errors.New("not a transaction of this account")

// readTransaction reads a transaction of an account out of its cell, whose hash is the transaction's.
func readTransaction(a account, root *cell.Cell) (t *transaction, err error) {
	panicked := gather.Recover(func() error { t, err = parseTransaction(a, root); return nil }) // cells of a node are anything
	if panicked != nil {
		return nil, fmt.Errorf("%w: %w", errCell, panicked)
	}
	return t, err
}

func parseTransaction(a account, root *cell.Cell) (*transaction, error) {
	var told tlb.Transaction
	if err := tlb.LoadFromCell(&told, root.BeginParse()); err != nil {
		return nil, fmt.Errorf("%w: %w", errCell, err)
	}
	t := &transaction{account: a, lt: told.LT, beforeLT: told.PrevTxLT, fees: told.TotalFees.Coins.Nano().Int64()}
	copy(t.hash[:], root.Hash())
	copy(t.before[:], told.PrevTxHash)
	if hex.EncodeToString(told.AccountAddr) != hex.EncodeToString(a.id[:]) {
		return nil, errCell
	}
	t.id = t.hash
	if in := told.IO.In; in != nil {
		switch m := in.Msg.(type) {
		case *tlb.InternalMessage:
			received, err := readMessage(m)
			if err != nil {
				return nil, err
			}
			t.in = &received
		case *tlb.ExternalMessage:
			t.signed = m.Body
			copy(t.id[:], m.NormalizedHash())
		}
	}
	if told.IO.Out != nil {
		sent, err := told.IO.Out.ToSlice()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errCell, err)
		}
		for _, s := range sent {
			if m, ok := s.Msg.(*tlb.InternalMessage); ok {
				out, err := readMessage(m)
				if err != nil {
					return nil, err
				}
				t.out = append(t.out, out)
			}
		}
	}
	t.worked = worked(told.Description)
	return t, nil
}

func readMessage(m *tlb.InternalMessage) (out message, err error) {
	from, known := accountOf(m.SrcAddr)
	to, valid := accountOf(m.DstAddr)
	value := m.Amount.Nano()
	if !known || !valid || !value.IsInt64() {
		return out, errCell
	}
	return message{from, to, value.Int64(), m.FwdFee.Nano().Int64(), m.CreatedLT, m.Bounce, m.Bounced, m.Body}, nil
}

// worked reports whether the code of an account ran without an error, and its orders were carried out.
func worked(description any) bool {
	var d tlb.TransactionDescriptionOrdinary
	switch it := description.(type) {
	case tlb.TransactionDescriptionOrdinary:
		d = it
	case *tlb.TransactionDescriptionOrdinary:
		d = *it
	default:
		return false
	}
	vm, ran := d.ComputePhase.Phase.(tlb.ComputePhaseVM)
	if !ran {
		if pointer, is := d.ComputePhase.Phase.(*tlb.ComputePhaseVM); is {
			vm, ran = *pointer, true
		}
	}
	return ran && vm.Success && !d.Aborted && d.ActionPhase != nil && d.ActionPhase.Success
}

// cost is what a transaction has taken from its account beyond the coins of its messages.
func (t *transaction) cost() int64 {
	sum := t.fees
	for i := range t.out {
		sum += t.out[i].fees
	}
	return sum
}

// returned is the message by which a transaction sent back the coins that it received, nil for none.
func (t *transaction) returned() *message {
	for i := range t.out {
		if t.in != nil && t.out[i].bounced && t.out[i].to == t.in.from {
			return &t.out[i]
		}
	}
	return nil
}

// first is the first message sent with an operation, nil for none.
func (t *transaction) first(op uint64) *message {
	for i := range t.out {
		if got, _, ok := opOf(t.out[i].body); ok && got == op {
			return &t.out[i]
		}
	}
	return nil
}
