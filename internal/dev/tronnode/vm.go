package tronnode

import (
	"encoding/hex"
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
)

// The results of a transaction, by their numbers in Tron.proto.
const (
	resultSuccess     int64 = 1
	resultRevert      int64 = 2
	resultBadJump     int64 = 3
	resultTooSmall    int64 = 6
	resultTooLarge    int64 = 7
	resultIllegal     int64 = 8
	resultOutOfEnergy int64 = 10
	resultUnknown     int64 = 13
)

var resultNames = map[int64]string{
	resultSuccess: "SUCCESS", resultRevert: "REVERT", resultBadJump: "BAD_JUMP_DESTINATION", resultTooSmall: "STACK_TOO_SMALL",
	resultTooLarge: "STACK_TOO_LARGE", resultIllegal: "ILLEGAL_OPERATION", resultOutOfEnergy: "OUT_OF_ENERGY",
	resultUnknown: "UNKNOWN",
}

// rules are those of Ethereum's Petersburg: prices without access lists and without refunds for sums, nearest to Tron's own.
var rules = &params.ChainConfig{ChainID: big.NewInt(1), HomesteadBlock: new(big.Int), EIP150Block: new(big.Int),
	EIP155Block: new(big.Int), EIP158Block: new(big.Int), ByzantiumBlock: new(big.Int), ConstantinopleBlock: new(big.Int),
	PetersburgBlock: new(big.Int)}

// highestConstant is the energy that a constant call may use.
const highestConstant = 100_000_000

// outcome is what a run of code has done.
type outcome struct {
	energy, penalty int64 // energy includes the penalty
	returned        []byte
	logs            []entry
	result          int64
	failure         string
}

// trigger runs a contract. A run that fails changes nothing but costs its energy.
func (c *chain) trigger(tx *transaction, what *contract, r *receipt) *refusal {
	if refused := c.callable(what); refused != nil {
		return refused
	}
	if tx.feeLimit < 0 || tx.feeLimit > c.options.limit {
		return invalid("feeLimit must be >= 0 and <= " + decimal(c.options.limit))
	}
	ran := c.run(what, c.energyLimit(what, tx.feeLimit))
	r.contract = &what.to
	r.energyTotal, r.penalty, r.returned, r.logs = ran.energy, ran.penalty, ran.returned, ran.logs
	r.result, r.failure = ran.result, ran.failure
	c.payEnergy(what, r)
	return nil
}

// callable checks that there is a contract, and that no money is sent along: the fake's contracts take none.
func (c *chain) callable(what *contract) *refusal {
	if c.contracts[what.to] == nil {
		return invalid("No contract or not a smart contract")
	}
	if what.callValue != 0 || what.token != 0 {
		return invalid("this fake of a node knows no call with money")
	}
	return nil
}

// run runs a contract with some energy. Unless it succeeds, the state is as before.
func (c *chain) run(what *contract, limit int64) outcome {
	factor := c.contracts[what.to].factor
	base := limit * 10_000 / (10_000 + factor) // the rest is for the penalty
	mark := len(c.changes)
	memory := &memory{chain: c}
	head := c.head()
	evm := vm.NewEVM(vm.BlockContext{
		CanTransfer: func(_ vm.StateDB, _ common.Address, amount *uint256.Int) bool { return amount.IsZero() },
		Transfer:    func(vm.StateDB, common.Address, common.Address, *uint256.Int, *params.Rules) {},
		GetHash:     func(uint64) common.Hash { return common.Hash{} },
		BlockNumber: big.NewInt(head.number), Time: uint64(head.time / 1000), Difficulty: new(big.Int), BaseFee: new(big.Int),
	}, memory, rules, vm.Config{})
	evm.SetTxContext(vm.TxContext{Origin: what.owner, GasPrice: new(uint256.Int)})
	budget := vm.NewGasBudget(uint64(base), 0)
	returned, left, err := evm.Call(what.owner, what.to, what.data, budget, new(uint256.Int))
	used := int64(left.Used(budget))
	o := outcome{penalty: used * factor / 10_000, returned: returned, logs: memory.logs, result: resultSuccess}
	o.energy = used + o.penalty
	if err != nil {
		c.revert(mark)
		o.logs = nil
		o.result, o.failure = failureOf(err, limit)
		if o.result != resultRevert { // such a failure costs all that was allowed
			o.energy, o.penalty, o.returned = limit, limit-base, nil
		}
	}
	return o
}

// failureOf tells a failure as java-tron does.
func failureOf(err error, limit int64) (int64, string) {
	var small *vm.ErrStackUnderflow
	var large *vm.ErrStackOverflow
	var illegal *vm.ErrInvalidOpCode
	switch {
	case errors.Is(err, vm.ErrExecutionReverted):
		return resultRevert, "REVERT opcode executed"
	case errors.Is(err, vm.ErrOutOfGas):
		return resultOutOfEnergy, "Not enough energy for an operation executing: curInvokeEnergyLimit[" + decimal(limit) + "]"
	case errors.Is(err, vm.ErrInvalidJump):
		return resultBadJump, "Operation with pc isn't 'JUMPDEST'"
	case errors.As(err, &small):
		return resultTooSmall, err.Error()
	case errors.As(err, &large):
		return resultTooLarge, err.Error()
	case errors.As(err, &illegal):
		return resultIllegal, "Invalid operation code: opCode[fe];"
	}
	return resultUnknown, err.Error()
}

// constant runs a contract as a question, on the newest state or an earlier one. Nothing of it stays.
func (c *chain) constant(what *contract) (outcome, *refusal) {
	if c.contracts[what.to] == nil {
		return outcome{}, &refusal{invalidError, "Smart contract is not exist."}
	}
	mark := len(c.changes)
	o := c.run(what, highestConstant)
	c.revert(mark)
	return o, nil
}

func decimal(n int64) string { return big.NewInt(n).String() }

func hexText(text string) string { return hex.EncodeToString([]byte(text)) }
