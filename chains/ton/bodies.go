package ton

import (
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/xssnick/tonutils-go/address"
	"github.com/xssnick/tonutils-go/tlb"
	"github.com/xssnick/tonutils-go/tvm/cell"
)

// The operations of bodies that are read or written (TEP-74, and comments of wallets).
const (
	opComment  = 0x00000000
	opTransfer = 0x0f8a7ea5 // an owner orders its jetton wallet to send units
	opInternal = 0x178d4519 // a jetton wallet sends units to another
	opNotice   = 0x7362d09c // a jetton wallet tells its owner of units that came
	opExcesses = 0xd53276db // coins that were left over
	opBounced  = 0xffffffff // before the body of a message that comes back
	opReturned = 0xfffffffe // the same in the newer form, which has the body in a cell of its own
)

// longestComment is the most bytes of a comment that is read. Memos have 15 digits at most.
const longestComment = 1024

// opOf returns the operation of a body, and the rest of it. Ok is false for a body without one.
func opOf(body *cell.Cell) (op uint64, rest *cell.Slice, ok bool) {
	if body == nil {
		return 0, nil, false
	}
	rest = body.BeginParse()
	op, err := rest.LoadUInt(32)
	return op, rest, err == nil
}

// commentOf returns the comment of a body, "" for none. A long one goes on in the references (snake format).
func commentOf(body *cell.Cell) string {
	op, rest, ok := opOf(body)
	if !ok || op != opComment {
		return ""
	}
	return memoIn(rest)
}

// memoIn reads the text of a comment. One with a zero byte is none: no database keeps it, and no memo of ours has one.
func memoIn(s *cell.Slice) string {
	text := snake(s)
	if strings.ContainsRune(text, 0) {
		return ""
	}
	return text
}

// snake reads the text of a slice and of the cells after it.
func snake(s *cell.Slice) string {
	var text []byte
	for s != nil && len(text) <= longestComment {
		part, err := s.LoadSlice(s.BitsLeft() / 8 * 8)
		if err != nil {
			return ""
		}
		text = append(text, part...)
		if s.RefsNum() == 0 {
			break
		}
		if s, err = s.LoadRef(); err != nil {
			return ""
		}
	}
	if len(text) > longestComment || !utf8.Valid(text) {
		return ""
	}
	return string(text)
}

// comment makes the body of a comment; nil for none.
func comment(text string) *cell.Cell {
	if text == "" {
		return nil
	}
	return cell.BeginCell().MustStoreUInt(opComment, 32).MustStoreStringSnake(text).EndCell()
}

// notice is what a jetton wallet tells its owner of.
type notice struct {
	query   uint64
	units   *big.Int
	from    account // zero if nobody is named
	comment string
}

// readNotice reads the body of a notice, after its operation.
func readNotice(rest *cell.Slice) (n notice, ok bool) {
	query, err := rest.LoadUInt(64)
	if err != nil {
		return n, false
	}
	units, err := rest.LoadBigCoins()
	if err != nil {
		return n, false
	}
	from, err := rest.LoadAddr()
	if err != nil {
		return n, false
	}
	n.query, n.units = query, units
	n.from, _ = accountOf(from)
	n.comment = payload(rest)
	return n, true
}

// payload reads the comment of a forwarded payload: in the slice itself, or in a cell of its own.
func payload(rest *cell.Slice) string {
	own, err := rest.LoadBoolBit()
	if err != nil {
		return ""
	}
	if own {
		if rest, err = rest.LoadRef(); err != nil {
			return ""
		}
	}
	if op, err := rest.LoadUInt(32); err != nil || op != opComment {
		return ""
	}
	return memoIn(rest)
}

// order is what an owner tells its jetton wallet to send.
type order struct {
	query uint64 // the seqno, by which a notice is known as ours
	units *big.Int
	to    account
	memo  string
}

// noticeCoins are the coins with which a recipient is told of units: the least there is.
const noticeCoins = 1

// body writes an order. What is left of the coins goes back to the owner.
func (o order) body(owner account) (*cell.Cell, error) {
	b := cell.BeginCell().MustStoreUInt(opTransfer, 32).MustStoreUInt(o.query, 64)
	if err := b.StoreBigCoins(o.units); err != nil {
		return nil, err
	}
	for _, a := range []*address.Address{o.to.address(), owner.address()} {
		if err := b.StoreAddr(a); err != nil {
			return nil, err
		}
	}
	b.MustStoreBoolBit(false).MustStoreBigCoins(big.NewInt(noticeCoins))
	if c := comment(o.memo); c != nil {
		return b.MustStoreBoolBit(true).MustStoreRef(c).EndCell(), nil
	}
	return b.MustStoreBoolBit(false).EndCell(), nil
}

// readOrder reads an order out of the body of a message to a jetton wallet.
func readOrder(body *cell.Cell) (o order, ok bool) {
	op, rest, ok := opOf(body)
	if !ok || op != opTransfer {
		return o, false
	}
	query, err := rest.LoadUInt(64)
	if err != nil {
		return o, false
	}
	units, err := rest.LoadBigCoins()
	if err != nil {
		return o, false
	}
	to, err := rest.LoadAddr()
	if err != nil {
		return o, false
	}
	if o.to, ok = accountOf(to); !ok {
		return o, false
	}
	o.query, o.units = query, units
	if _, err = rest.LoadAddr(); err != nil {
		return o, false
	}
	if _, err := rest.LoadMaybeRef(); err != nil {
		return o, false
	}
	var forward tlb.Coins
	if err := tlb.LoadFromCell(&forward, rest); err != nil {
		return o, false
	}
	o.memo = payload(rest)
	return o, true
}

// sentUnits reads what one jetton wallet sends to another. Ok is false for another body.
func sentUnits(body *cell.Cell) (query uint64, units *big.Int, ok bool) {
	op, rest, ok := opOf(body)
	if !ok || op != opInternal {
		return 0, nil, false
	}
	query, err := rest.LoadUInt(64)
	if err != nil {
		return 0, nil, false
	}
	units, err = rest.LoadBigCoins()
	return query, units, err == nil
}

// backUnits reads the query of what another jetton wallet did not take, out of the body of the message that comes back.
func backUnits(body *cell.Cell) (query uint64, ok bool) {
	op, rest, _ := opOf(body)
	if op == opReturned {
		whole, err := rest.LoadRef()
		if err != nil {
			return 0, false
		}
		rest = whole
	} else if op != opBounced {
		return 0, false
	}
	if op, err := rest.LoadUInt(32); err != nil || op != opInternal {
		return 0, false
	}
	query, err := rest.LoadUInt(64)
	return query, err == nil
}
