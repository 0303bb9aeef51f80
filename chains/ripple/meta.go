package ripple

import "encoding/binary"

// The types of transactions whose moves are told for certain, beside those of typePayment.
const typeAccountDelete uint16 = 21

// entryAccount is the type of an account among the entries of the ledger.
const entryAccount = 0x61

// transaction is a transaction of a ledger, as far as it is needed. Ledgers are kept, so it is small.
type transaction struct {
	id        [32]byte
	index     uint32 // its place in the ledger
	from      account
	sequence  uint32
	fee       int64 // in drops
	succeeded bool
	moves     []move
}

// move is XRP that came to an account.
type move struct {
	to     account
	drops  int64
	tag    uint32
	tagged bool
}

// success is the result of transactions that did what they say. The others in ledgers took their fee alone.
const success = 0

// readTransaction reads a transaction with its metadata. The error says that it may have paid somebody, and cannot be read.
func readTransaction(id [32]byte, blob, meta []byte) (transaction, error) {
	t := transaction{id: id}
	tx, err := readObject(blob)
	kind := find(tx, fieldType)
	if err != nil || kind == nil || len(kind.value) != 2 {
		return t, errWire
	}
	told, err := readObject(meta)
	result, index := find(told, fieldResult), find(told, fieldIndex)
	if err != nil || result == nil || index == nil {
		return t, errWire
	}
	t.index, t.succeeded = index.number(), result.value[0] == success
	t.sequence = find(tx, fieldSequence).number()
	if from := find(tx, fieldAccount); from == nil || t.from.read(from) != nil {
		return t, errWire
	}
	if fee := find(tx, fieldFee); fee != nil {
		t.fee, _ = drops(fee.value)
	}
	if !t.succeeded {
		return t, nil
	}
	gains, err := gainsIn(told)
	if err != nil {
		return t, err
	}
	switch binary.BigEndian.Uint16(kind.value) {
	case typePayment:
		t.moves = paid(tx, told, gains)
	case typeAccountDelete:
		t.moves = ordered(tx, gains)
	default:
		t.moves = others(t.from, gains)
	}
	return t, nil
}

// gain is what an account has more after a transaction, in drops. It may be less than nothing.
type gain struct {
	of    account
	drops int64
}

// gainsIn reads from metadata how the balances of accounts have changed.
func gainsIn(meta []field) (out []gain, err error) {
	nodes := find(meta, fieldAffected)
	if nodes == nil {
		return nil, nil
	}
	for _, n := range nodes.within {
		entry := find(n.within, fieldEntryType)
		if entry == nil || len(entry.value) != 2 || binary.BigEndian.Uint16(entry.value) != entryAccount {
			continue
		}
		var g gain
		switch n.id {
		case fieldCreated:
			g, err = created(find(n.within, fieldNew))
		case fieldModified, fieldDeleted:
			g, err = modified(find(n.within, fieldFinal), find(n.within, fieldPrevious))
		default:
			continue
		}
		if err != nil {
			return nil, err
		}
		if g.drops != 0 {
			out = append(out, g)
		}
	}
	return out, nil
}

func created(fields *field) (g gain, err error) {
	if fields == nil {
		return g, errWire
	}
	owner, balance := find(fields.within, fieldAccount), find(fields.within, fieldBalance)
	if owner == nil || balance == nil || g.of.read(owner) != nil {
		return g, errWire
	}
	ok := false
	if g.drops, ok = drops(balance.value); !ok {
		return g, errWire
	}
	return g, nil
}

// modified compares a balance with the one before. Metadata without an earlier one tells of an account whose balance has stayed.
func modified(final, previous *field) (g gain, err error) {
	if final == nil || previous == nil {
		return g, nil
	}
	was := find(previous.within, fieldBalance)
	if was == nil {
		return g, nil
	}
	if g, err = created(final); err != nil {
		return g, err
	}
	before, ok := drops(was.value)
	if !ok {
		return g, errWire
	}
	g.drops -= before
	return g, nil
}

// paid returns what a payment of XRP has brought its destination: what it delivered, and never more than the destination has gained. What a
// partial payment says is no matter.
func paid(tx, meta []field, gains []gain) []move {
	amount := find(tx, fieldAmount)
	if delivered := find(meta, fieldDelivered); delivered != nil {
		amount = delivered
	}
	if amount == nil {
		return nil
	}
	most, xrp := drops(amount.value)
	moves := ordered(tx, gains)
	if !xrp || len(moves) == 0 {
		return nil
	}
	moves[0].drops = min(moves[0].drops, most)
	return moves
}

// ordered returns what the destination of a transaction has gained, with the tag of the transaction.
func ordered(tx []field, gains []gain) []move {
	destination, tag := find(tx, fieldDestination), find(tx, fieldTag)
	m := move{tag: tag.number(), tagged: tag != nil}
	if destination == nil || m.to.read(destination) != nil {
		return nil
	}
	for _, g := range gains {
		if g.of == m.to && g.drops > 0 {
			m.drops = g.drops
			return []move{m}
		}
	}
	return nil
}

// others returns what accounts have gained beside the sender: by an escrow, a check, a channel or an offer.
func others(from account, gains []gain) (out []move) {
	for _, g := range gains {
		if g.of != from && g.drops > 0 {
			out = append(out, move{to: g.of, drops: g.drops})
		}
	}
	return out
}
