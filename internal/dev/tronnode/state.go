package tronnode

import "github.com/ethereum/go-ethereum/common"

// account is one activated address. It is a value: setAccount replaces the whole.
type account struct {
	balance  int64 // sun
	created  int64 // ms
	contract bool
	stakes   [2]stake // by resource
	leaving  []leaving
	freeUsed use
}

// stake is an account's part in one resource.
type stake struct {
	frozen, lent, borrowed int64 // sun: its own, delegated to others, delegated by others
	used                   use
}

// use is a use of a resource at a time. It fades within a day.
type use struct{ amount, slot int64 }

// leaving is frozen money on its way back.
type leaving struct{ resource, amount, due int64 }

// loan names a delegation.
type loan struct {
	from, to common.Address
	resource int64
}

// cell is one word of a contract's storage.
type cell struct {
	contract common.Address
	key      common.Hash
}

// change undoes one write when called. Called again, it does the write again.
type change func()

// state is all that transactions change, and the changes since the last block.
type state struct {
	accounts map[common.Address]account
	loans    map[loan]loanState
	cells    map[cell]common.Hash
	places   map[[32]byte]place // of transactions in blocks, by id
	weights  map[int64]int64    // sun staked on top of the network's own, by resource
	changes  []change
}

// loanState is the amount of a delegation, and the time before which the locked part of it stays.
type loanState struct{ free, locked, until int64 }

// place is where a transaction is.
type place struct {
	block *block
	index int
}

func newState() state {
	return state{accounts: map[common.Address]account{}, loans: map[loan]loanState{}, cells: map[cell]common.Hash{},
		places: map[[32]byte]place{}, weights: map[int64]int64{}}
}

// put writes a value so that it can be undone. A zero value is the same as none.
func put[K, V comparable](s *state, m map[K]V, key K, value V) {
	var zero V
	write := func(v V) {
		if v == zero {
			delete(m, key)
		} else {
			m[key] = v
		}
	}
	other := m[key]
	write(value)
	s.changes = append(s.changes, func() {
		now := m[key]
		write(other)
		other = now
	})
}

func (s *state) setAccount(a common.Address, v account) {
	other, there := s.accounts[a]
	s.accounts[a] = v
	s.changes = append(s.changes, func() {
		now, isThere := s.accounts[a]
		if there {
			s.accounts[a] = other
		} else {
			delete(s.accounts, a)
		}
		other, there = now, isThere
	})
}

// revert undoes the changes after a mark, and forgets them.
func (s *state) revert(mark int) {
	undo(s.changes[mark:])
	s.changes = s.changes[:mark]
}

func undo(changes []change) {
	for i := len(changes) - 1; i >= 0; i-- {
		changes[i]()
	}
}

func redo(changes []change) {
	for _, c := range changes {
		c()
	}
}
