package tron

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"google.golang.org/protobuf/encoding/protowire"

	"causeway/chains/tron/client"
)

// hash is a SHA-256.
type hash [sha256.Size]byte

func (h hash) String() string { return hex.EncodeToString(h[:]) }

// root is the root over the transactions of a block (MerkleTree of java-tron): a last leaf without a neighbour rises as it is. It uses up
// the level.
func root(level []hash) hash {
	if len(level) == 0 {
		return hash{}
	}
	for len(level) > 1 {
		up := level[:0]
		for i := 0; i < len(level); i += 2 {
			if i+1 == len(level) {
				up = append(up, level[i])
				break
			}
			up = append(up, sha256.Sum256(append(level[i][:], level[i+1][:]...)))
		}
		level = up
	}
	return level[0]
}

// results are the numbers of Transaction.Result.contractResult.
var results = map[string]int64{"": 0, "DEFAULT": 0, "SUCCESS": 1, "REVERT": 2, "BAD_JUMP_DESTINATION": 3, "OUT_OF_MEMORY": 4,
	"PRECOMPILED_CONTRACT": 5, "STACK_TOO_SMALL": 6, "STACK_TOO_LARGE": 7, "ILLEGAL_OPERATION": 8, "STACK_OVERFLOW": 9,
	"OUT_OF_ENERGY": 10, "OUT_OF_TIME": 11, "JVM_STACK_OVER_FLOW": 12, "UNKNOWN": 13, "TRANSFER_FAILED": 14, "INVALID_CODE": 15}

// codes are the numbers of Transaction.Result.code, as java-tron spells them.
var codes = map[string]int64{"": 0, "SUCESS": 0, "FAILED": 1} //nolint:misspell // its own spelling

// leaf is the hash of a transaction with its signatures and its result, which the root of a block is over.
func leaf(t *client.Transaction, raw []byte) (hash, bool) {
	whole := appendItem(make([]byte, 0, len(raw)+160), fieldRaw, raw)
	for _, s := range t.Signature {
		signature, err := hex.DecodeString(s)
		if err != nil {
			return hash{}, false
		}
		whole = appendItem(whole, fieldSignature, signature)
	}
	for _, r := range t.Ret {
		result, known := results[r.ContractRet]
		code, told := codes[r.Ret]
		if !known || !told {
			return hash{}, false
		}
		out := appendNumber(appendNumber(appendNumber(nil, 1, r.Fee), 2, code), 3, result)
		out = appendNumber(appendNumber(appendBytes(out, 14, []byte(r.AssetID)), 15, r.WithdrawAmount), 16, r.UnfreezeAmount)
		for i, n := range []int64{r.Received, r.Injected, r.Withdrawn, r.ExchangeID, r.ShieldedFee} {
			out = appendNumber(out, protowire.Number(18+i), n)
		}
		whole = appendItem(whole, fieldRet, appendNumber(out, 27, r.ExpireAmount))
	}
	return sha256.Sum256(whole), true
}

// idOf computes the id of a block from its header: its height, and the end of the hash.
func idOf(h *client.RawHeader) (string, bool) {
	decoded := make([][]byte, 4)
	for i, text := range []string{h.TxTrieRoot, h.Parent, h.Witness, h.AccountRoot} {
		b, err := hex.DecodeString(text)
		if err != nil {
			return "", false
		}
		decoded[i] = b
	}
	out := appendNumber(nil, 1, h.Timestamp)
	out = appendBytes(out, 2, decoded[0])
	out = appendBytes(out, 3, decoded[1])
	out = appendNumber(appendNumber(out, 7, h.Number), 8, h.WitnessID)
	out = appendNumber(appendBytes(out, 9, decoded[2]), 10, h.Version)
	out = appendBytes(out, 11, decoded[3])
	id := hash(sha256.Sum256(out))
	binary.BigEndian.PutUint64(id[:8], uint64(h.Number))
	return id.String(), true
}
