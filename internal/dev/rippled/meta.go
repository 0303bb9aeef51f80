package rippled

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
)

// entryAccount is the type of an account among the entries of a ledger.
const entryAccount uint16 = 0x61

// touches are the accounts that a transaction may change.
func (tx *transaction) touches() map[Account]bool {
	all := map[Account]bool{tx.account: true}
	if tx.destination != (Account{}) {
		all[tx.destination] = true
	}
	if tx.played != nil {
		for _, a := range tx.played.others {
			all[a] = true
		}
	}
	return all
}

// metadata tells what a transaction did to accounts, and its result.
func (c *chain) metadata(m *mined, v *view, before map[Account]root) []byte {
	var nodes object
	accounts := slices.SortedFunc(maps.Keys(before), func(a, b Account) int { return bytes.Compare(a[:], b[:]) })
	for _, a := range accounts {
		if was, now := before[a], v.get(a); was != now {
			nodes = append(nodes, node(a, was, now))
		}
	}
	o := object{}.uint32(fieldIndex, m.index).uint8(fieldResult, codes[m.result])
	if p := m.played; p != nil && m.result == tesSUCCESS {
		nodes = append(nodes, p.entries...)
		if p.delivers {
			o = o.drops(fieldDelivered, p.delivered)
		}
	}
	return o.array(fieldAffected, nodes).bytes()
}

// node tells how an account was changed, as metadata does: fields that are zero are left out of new ones.
func node(a Account, was, now root) field {
	key := half("\x00a", a[:]) // where an account is among the entries
	o := object{}.uint16(fieldEntryType, entryAccount).hash(fieldLedgerIndex, key)
	whole := object{}.account(fieldAccount, a).drops(fieldBalance, now.balance).uint32(fieldSequence, now.sequence)
	whole = whole.uint32(fieldFlags, now.flags).uint32(fieldOwnerCount, now.owners)
	kind := fieldModified
	switch {
	case !was.exists:
		kind = fieldCreated
		o = o.object(fieldNew, object{}.account(fieldAccount, a).drops(fieldBalance, now.balance).uint32(fieldSequence, now.sequence))
		return field{kind, append(o.bytes(), endOfObject...)}
	case !now.exists:
		kind = fieldDeleted
	}
	var previous object
	if was.balance != now.balance {
		previous = previous.drops(fieldBalance, was.balance)
	}
	if was.sequence != now.sequence {
		previous = previous.uint32(fieldSequence, was.sequence)
	}
	if was.flags != now.flags {
		previous = previous.uint32(fieldFlags, was.flags)
	}
	o = o.object(fieldFinal, whole).object(fieldPrevious, previous)
	if was.prevIn != 0 && kind == fieldModified {
		o = o.hash(fieldPrevTx, was.prevTx).uint32(fieldPrevLedger, was.prevIn)
	}
	return field{kind, append(o.bytes(), endOfObject...)}
}

// iou writes an amount of an issued currency: a sign, an exponent and sixteen digits, the currency and its issuer.
func iou(units int64, currency string, issuer Account) []byte {
	mantissa, exponent := uint64(units), 97
	for mantissa < 1_000_000_000_000_000 {
		mantissa, exponent = mantissa*10, exponent-1
	}
	out := binary.BigEndian.AppendUint64(nil, 1<<63|1<<62|uint64(exponent)<<54|mantissa)
	out = append(out, make([]byte, 12)...)
	out = append(append(out, currency...), make([]byte, 5)...)
	return append(out, issuer[:]...)
}
