package tronnode

import (
	"github.com/ethereum/go-ethereum/common"
	ethstate "github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/stateless"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/types/bal"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
)

// memory is the chain as the virtual machine sees it: code and storage of contracts. TRX is not seen: no call moves any.
type memory struct {
	chain     *chain
	logs      []entry
	snapshots []snapshot
	fleeting  map[cell]common.Hash
}

type snapshot struct{ changes, logs int }

// GetState reads a word of storage.
func (m *memory) GetState(a common.Address, key common.Hash) common.Hash {
	return m.chain.cells[cell{a, key}]
}

// SetState writes a word of storage, and returns the word before.
func (m *memory) SetState(a common.Address, key, value common.Hash) common.Hash {
	before := m.GetState(a, key)
	if before != value {
		put(&m.chain.state, m.chain.cells, cell{a, key}, value)
	}
	return before
}

// GetStateAndCommittedState is asked for by newer rules only.
func (m *memory) GetStateAndCommittedState(a common.Address, key common.Hash) (current, committed common.Hash) {
	current = m.GetState(a, key)
	return current, current
}

// Snapshot notes where the state stands.
func (m *memory) Snapshot() int {
	m.snapshots = append(m.snapshots, snapshot{len(m.chain.changes), len(m.logs)})
	return len(m.snapshots) - 1
}

// RevertToSnapshot undoes all since a snapshot.
func (m *memory) RevertToSnapshot(id int) {
	s := m.snapshots[id]
	m.chain.revert(s.changes)
	m.logs, m.snapshots = m.logs[:s.logs], m.snapshots[:id]
}

// AddLog keeps a log.
func (m *memory) AddLog(log *types.Log) {
	m.logs = append(m.logs, entry{log.Address, log.Topics, log.Data})
}

// GetCode returns a contract's code.
func (m *memory) GetCode(a common.Address) []byte {
	if c := m.chain.contracts[a]; c != nil {
		return c.code
	}
	return nil
}

// GetCodeSize returns the length of a contract's code.
func (m *memory) GetCodeSize(a common.Address) int { return len(m.GetCode(a)) }

// GetCodeHash returns the hash of a contract's code.
func (m *memory) GetCodeHash(a common.Address) common.Hash {
	if !m.Exist(a) {
		return common.Hash{}
	}
	return crypto.Keccak256Hash(m.GetCode(a))
}

// Exist reports whether an account is activated.
func (m *memory) Exist(a common.Address) bool {
	_, ok := m.chain.accounts[a]
	return ok || m.chain.contracts[a] != nil
}

// Empty reports whether there is nothing at an address.
func (m *memory) Empty(a common.Address) bool { return !m.Exist(a) }

// GetTransientState reads a word that lives as long as its transaction.
func (m *memory) GetTransientState(a common.Address, key common.Hash) common.Hash {
	return m.fleeting[cell{a, key}]
}

// SetTransientState writes such a word.
func (m *memory) SetTransientState(a common.Address, key, value common.Hash) {
	if m.fleeting == nil {
		m.fleeting = map[cell]common.Hash{}
	}
	m.fleeting[cell{a, key}] = value
}

// The rest of vm.StateDB is about money, nonces, new contracts and access lists: the fake's contracts have none of them.

// GetBalance returns nothing: see memory.
func (m *memory) GetBalance(common.Address) *uint256.Int { return new(uint256.Int) }

// SubBalance does nothing.
func (m *memory) SubBalance(common.Address, *uint256.Int, tracing.BalanceChangeReason) uint256.Int {
	return uint256.Int{}
}

// AddBalance does nothing.
func (m *memory) AddBalance(common.Address, *uint256.Int, tracing.BalanceChangeReason) uint256.Int {
	return uint256.Int{}
}

// CreateAccount does nothing.
func (m *memory) CreateAccount(common.Address) {}

// CreateContract does nothing.
func (m *memory) CreateContract(common.Address) {}

// GetNonce returns 0.
func (m *memory) GetNonce(common.Address) uint64 { return 0 }

// SetNonce does nothing.
func (m *memory) SetNonce(common.Address, uint64, tracing.NonceChangeReason) {}

// SetCode does nothing.
func (m *memory) SetCode(common.Address, []byte, tracing.CodeChangeReason) []byte { return nil }

// AddRefund does nothing: Tron refunds no energy.
func (m *memory) AddRefund(uint64) {}

// SubRefund does nothing.
func (m *memory) SubRefund(uint64) {}

// GetRefund returns 0.
func (m *memory) GetRefund() uint64 { return 0 }

// SelfDestruct does nothing.
func (m *memory) SelfDestruct(common.Address) {}

// HasSelfDestructed returns false.
func (m *memory) HasSelfDestructed(common.Address) bool { return false }

// Touch does nothing.
func (m *memory) Touch(common.Address) {}

// IsNewContract returns false.
func (m *memory) IsNewContract(common.Address) bool { return false }

// AddressInAccessList returns true.
func (m *memory) AddressInAccessList(common.Address) bool { return true }

// SlotInAccessList returns true.
func (m *memory) SlotInAccessList(common.Address, common.Hash) (address, slot bool) {
	return true, true
}

// AddAddressToAccessList does nothing.
func (m *memory) AddAddressToAccessList(common.Address) {}

// AddSlotToAccessList does nothing.
func (m *memory) AddSlotToAccessList(common.Address, common.Hash) {}

// Prepare does nothing.
func (m *memory) Prepare(params.Rules, common.Address, common.Address, *common.Address, []common.Address, types.AccessList) {
}

// AddPreimage does nothing.
func (m *memory) AddPreimage(common.Hash, []byte) {}

// Witness returns none.
func (m *memory) Witness() *stateless.Witness { return nil }

// AccessEvents returns none.
func (m *memory) AccessEvents() *ethstate.AccessEvents { return nil }

// Finalise does nothing.
func (m *memory) Finalise(params.Rules) *bal.ConstructionBlockAccessList { return nil }

// SetTxContext does nothing.
func (m *memory) SetTxContext(common.Hash, int, uint32) {}
