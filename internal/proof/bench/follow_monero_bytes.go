package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"filippo.io/edwards25519"
	"github.com/ethereum/go-ethereum/crypto"

	"causeway/chains/addresses"
)

// moneroHash is an id of Monero.
type moneroHash [32]byte

func (h moneroHash) String() string { return hex.EncodeToString(h[:]) }

func moneroKeccak(parts ...[]byte) moneroHash { return moneroHash(crypto.Keccak256(parts...)) }

// moneroScalar hashes to a number below the order of the group.
func moneroScalar(parts ...[]byte) *edwards25519.Scalar {
	var wide [64]byte
	copy(wide[:], crypto.Keccak256(parts...))
	s, _ := edwards25519.NewScalar().SetUniformBytes(wide[:]) // of 64 bytes
	return s
}

func moneroPoint(raw [32]byte) *edwards25519.Point {
	p, err := new(edwards25519.Point).SetBytes(raw[:])
	if err != nil {
		panic(err)
	}
	return p
}

// moneroH is the generator of amounts (rctTypes.h).
var moneroH = func() *edwards25519.Point {
	raw, _ := hex.DecodeString("8b655970153799af2aeadc9ff1add0ea6c7251d54154cfa92c173a0dd39c1f94")
	return moneroPoint([32]byte(raw))
}()

// moneroOutput is an output of a transaction, and its public key where it is the first.
type moneroOutput struct {
	key, commitment [32]byte
	tag             byte
	amount          [8]byte
}

// moneroStranger is an output for somebody else. Its keys are of the curve, as all are.
func moneroStranger() (o moneroOutput) {
	p := new(edwards25519.Point).ScalarBaseMult(moneroScalar(random(32)))
	o.key, o.commitment, o.tag, o.amount = [32]byte(p.Bytes()), [32]byte(p.Bytes()), random(1)[0], [8]byte(random(8))
	return o
}

// moneroPaid is the first output of a transaction, for a subaddress, and the transaction's public key for it.
func moneroPaid(to string, units uint64) (o moneroOutput, public [32]byte) {
	spend, view, err := addresses.MoneroKeys(to)
	if err != nil {
		panic(err)
	}
	secret := moneroScalar(random(32))
	public = [32]byte(new(edwards25519.Point).ScalarMult(secret, moneroPoint(spend)).Bytes())
	p := new(edwards25519.Point).ScalarMult(secret, moneroPoint(view))
	shared := append(p.MultByCofactor(p).Bytes(), 0)
	own := moneroScalar(shared)
	o.key = [32]byte(new(edwards25519.Point).Add(new(edwards25519.Point).ScalarBaseMult(own), moneroPoint(spend)).Bytes())
	o.tag = crypto.Keccak256([]byte("view_tag"), shared)[0]
	var amount [32]byte
	binary.LittleEndian.PutUint64(amount[:], units)
	binary.LittleEndian.PutUint64(o.amount[:], units^binary.LittleEndian.Uint64(crypto.Keccak256([]byte("amount"), own.Bytes())))
	blind := moneroScalar([]byte("commitment_mask"), own.Bytes())
	plain, _ := edwards25519.NewScalar().SetCanonicalBytes(amount[:]) // far below the order
	o.commitment = [32]byte(new(edwards25519.Point).VarTimeDoubleScalarBaseMult(plain, moneroH, blind).Bytes())
	return o, public
}

// moneroTx is a transaction without its proofs.
type moneroTx struct {
	id     moneroHash
	raw    []byte
	proofs moneroHash
}

// moneroTransaction spends two coins, each among sixteen, as most do.
func moneroTransaction(public [32]byte, outs ...moneroOutput) moneroTx {
	raw := []byte{2, 0, 2}
	for range 2 {
		raw = append(raw, 2, 0, 16)
		for range 16 {
			raw = binary.AppendUvarint(raw, uint64(binary.BigEndian.Uint16(random(2)))+5_000_000)
		}
		raw = append(raw, random(32)...)
	}
	raw = binary.AppendUvarint(raw, uint64(len(outs)))
	for _, o := range outs {
		raw = append(append(append(raw, 0, 3), o.key[:]...), o.tag)
	}
	raw = append(append(append(raw, 33+11, 1), public[:]...), 2, 9, 1)
	raw = append(raw, random(8)...) // the hidden payment id of most
	prefix := len(raw)
	raw = binary.AppendUvarint(append(raw, 6), 30_000_000)
	for _, o := range outs {
		raw = append(raw, o.amount[:]...)
	}
	for _, o := range outs {
		raw = append(raw, o.commitment[:]...)
	}
	t := moneroTx{raw: raw, proofs: moneroHash(random(32))}
	head, amounts := moneroKeccak(raw[:prefix]), moneroKeccak(raw[prefix:])
	t.id = moneroKeccak(head[:], amounts[:], t.proofs[:])
	return t
}

// moneroBlob is a block with the ids of its transactions, and its hash.
func moneroBlob(height, made int64, parent moneroHash, txs []moneroHash) (blob []byte, id moneroHash) {
	head := binary.AppendUvarint([]byte{16, 16}, uint64(made)) //nolint:gosec // of this century
	head = append(append(head, parent[:]...), 1, 2, 3, 4)
	key := sha256.Sum256(binary.AppendVarint(nil, height))
	prefix := binary.AppendUvarint([]byte{2}, uint64(height+60))           //nolint:gosec // a height
	prefix = binary.AppendUvarint(append(prefix, 1, 0xff), uint64(height)) //nolint:gosec // a height
	prefix = append(append(binary.AppendUvarint(append(prefix, 1), 600_000_000_000), 3), key[:]...)
	prefix = append(append(append(prefix, 7), 33, 1), key[:]...)
	mined, none := moneroKeccak(prefix), moneroKeccak([]byte{0})
	all := append([]moneroHash{moneroKeccak(mined[:], none[:], make([]byte, 32))}, txs...)
	root := moneroRoot(all)
	hashed := binary.AppendUvarint(append(slices.Clone(head), root[:]...), uint64(len(all)))
	id = moneroKeccak(binary.AppendUvarint(nil, uint64(len(hashed))), hashed)
	blob = binary.AppendUvarint(append(append(head, prefix...), 0), uint64(len(txs)))
	for _, tx := range txs {
		blob = append(blob, tx[:]...)
	}
	return blob, id
}

// moneroRoot is the root of the ids of a block (tree-hash.c), of at least three.
func moneroRoot(ids []moneroHash) moneroHash {
	width := 1
	for width*2 < len(ids) {
		width *= 2
	}
	row := slices.Clone(ids[:2*width-len(ids)])
	rest := ids[2*width-len(ids):]
	for len(row) > 1 || len(rest) > 0 {
		if len(rest) == 0 {
			row, rest = nil, row
		}
		for ; len(rest) > 0; rest = rest[2:] {
			row = append(row, moneroKeccak(rest[0][:], rest[1][:]))
		}
	}
	return row[0]
}
