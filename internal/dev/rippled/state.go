package rippled

import (
	"sort"
	"strconv"
)

// The flags of an account.
const (
	flagPasswordSpent uint32 = 0x00010000
	flagRequireTag    uint32 = 0x00020000
	flagDisallowXRP   uint32 = 0x00080000
	flagNoMaster      uint32 = 0x00100000
	flagDepositAuth   uint32 = 0x01000000
)

// setFlags are the flags of an account by the number that an AccountSet has for them. The fake does not know the others.
var setFlags = map[uint32]uint32{1: flagRequireTag, 3: flagDisallowXRP, 9: flagDepositAuth}

// root is the state of an account. It is a value: put replaces the whole.
type root struct {
	exists   bool
	balance  int64 // drops
	sequence uint32
	flags    uint32
	owners   uint32
	prevTx   [32]byte
	prevIn   uint32 // ledger of prevTx
}

// version is an account as it is from a ledger on.
type version struct {
	ledger uint32
	root
}

// state has the accounts of all ledgers.
type state map[Account][]version

// at returns an account as a ledger has it.
func (s state) at(a Account, ledger uint32) root {
	all := s[a]
	i := sort.Search(len(all), func(i int) bool { return all[i].ledger > ledger })
	if i == 0 {
		return root{}
	}
	return all[i-1].root
}

// view is the state after a ledger, with changes on top.
type view struct {
	state
	ledger  uint32 // the one that is being made
	changed map[Account]root
}

func newView(s state, ledger uint32) *view {
	return &view{state: s, ledger: ledger, changed: map[Account]root{}}
}

func (v *view) get(a Account) root {
	if r, changed := v.changed[a]; changed {
		return r
	}
	return v.at(a, v.ledger-1)
}

func (v *view) put(a Account, r root) { v.changed[a] = r }

// commit keeps the changes for good.
func (v *view) commit() {
	for a, r := range v.changed {
		v.state[a] = append(v.state[a], version{v.ledger, r})
	}
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
