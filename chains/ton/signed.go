package ton

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"math"

	"github.com/xssnick/tonutils-go/tlb"
	"github.com/xssnick/tonutils-go/tvm/cell"

	"causeway/chains/ton/client"
	"causeway/internal/batch/gather"
)

// The way in which messages leave a wallet: their fees are paid beside their coins, and one that cannot be sent stops nothing. All the rest of a
// wallet (128) is never sent: a mistake would take everything.
const sendMode = 1 + 2

const signatureBits = 512

// orders is what a wallet is told by a signed message.
type orders struct {
	subwallet, until, seqno uint64
	message                 *cell.Cell // nil for none
}

// purseOf returns the wallet of the key that the orders are for.
func (c *Connector) purseOf(o orders) (purse, error) {
	a, _, err := walletOf(c.key, uint32(o.subwallet))
	return purse{a, uint32(o.subwallet)}, err
}

// cell writes the part that is signed.
func (o orders) cell() *cell.Cell {
	b := cell.BeginCell().MustStoreUInt(o.subwallet, 32).MustStoreUInt(o.until, 32).MustStoreUInt(o.seqno, 32).MustStoreUInt(0, 8)
	if o.message != nil {
		b.MustStoreUInt(sendMode, 8).MustStoreRef(o.message)
	}
	return b.EndCell()
}

// sign writes the body of a signed message.
func (o orders) sign(by keys) (*cell.Cell, error) {
	plain := o.cell()
	signature, err := by.sign([32]byte(plain.Hash()))
	if err != nil {
		return nil, err
	}
	return cell.BeginCell().MustStoreSlice(signature, signatureBits).MustStoreBuilder(plain.ToBuilder()).EndCell(), nil
}

// errSigned says that bytes are no message that a wallet of ours takes.
var errSigned = errors.New("not a signed message of a wallet of ours")

// readOrders reads the body of a signed message, of a wallet of the fourth version.
func readOrders(body *cell.Cell) (o orders, signature []byte, err error) {
	if body == nil {
		return o, nil, errSigned
	}
	s := body.BeginParse()
	if signature, err = s.LoadSlice(signatureBits); err != nil {
		return o, nil, errSigned
	}
	for _, part := range []*uint64{&o.subwallet, &o.until, &o.seqno} {
		if *part, err = s.LoadUInt(32); err != nil {
			return o, nil, errSigned
		}
	}
	if kind, err := s.LoadUInt(8); err != nil || kind != 0 {
		return o, nil, errSigned
	}
	if s.RefsNum() == 0 && s.BitsLeft() == 0 {
		return o, signature, nil
	}
	mode, err := s.LoadUInt(8)
	if err != nil || mode != sendMode || s.RefsNum() != 1 || s.BitsLeft() != 0 {
		return o, nil, errSigned
	}
	o.message, err = s.LoadRefCell()
	return o, signature, err
}

// sends reports whether a wallet was told to send a message. Of a wallet of another kind it does not know.
func sends(body *cell.Cell) bool {
	o, _, err := readOrders(body)
	return err == nil && o.message != nil
}

// numberIn is the seqno of a signed message; -1 for a wallet of another kind.
func numberIn(body *cell.Cell) int64 {
	o, _, err := readOrders(body)
	if err != nil || o.seqno > math.MaxUint32 {
		return -1
	}
	return int64(o.seqno)
}

// readSigned reads a signed message of a wallet of the key from its bytes. It returns the wallet and the message's id.
func (c *Connector) readSigned(raw []byte) (of purse, o orders, id string, err error) {
	err = gather.Recover(func() error { // cells are anything
		root, err := client.ReadCell(raw)
		if err != nil {
			return err
		}
		var m tlb.ExternalMessage
		if err := tlb.LoadFromCell(&m, root.BeginParse()); err != nil {
			return err
		}
		to, known := accountOf(m.DstAddr)
		var signature []byte
		if o, signature, err = readOrders(m.Body); err != nil {
			return err
		}
		if of, err = c.purseOf(o); err != nil {
			return err
		}
		if !known || to != of.account || !ed25519.Verify(c.key, o.cell().Hash(), signature) {
			return errSigned
		}
		id = hexOf(m.NormalizedHash())
		return nil
	})
	if err != nil {
		err = fmt.Errorf("%w: %w", errSigned, err)
	}
	return of, o, id, err
}
