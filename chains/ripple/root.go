package ripple

import (
	"slices"

	"causeway/chains/ripple/client"
)

// leaf is a transaction in the tree of its ledger.
type leaf struct{ key, hash client.Hash }

// leafOf hashes a transaction with its metadata.
func leafOf(id client.Hash, blob, meta []byte) leaf {
	return leaf{id, client.Half(client.PrefixLeaf, lengthOf(blob), blob, lengthOf(meta), meta, id[:])}
}

// lengthOf writes the length before a value.
func lengthOf(value []byte) []byte {
	switch n := len(value); {
	case n <= 192:
		return []byte{byte(n)}
	case n <= 12_480:
		n -= 193
		return []byte{byte(193 + n>>8), byte(n)}
	default:
		n -= 12_481
		return []byte{byte(241 + n>>16), byte(n >> 8), byte(n)}
	}
}

// digits are those of a key, in hex.
const digits = 64

// root returns the hash of a tree of transactions: its nodes branch by the digits of the ids, and a leaf stands as high as it stands alone.
func root(leaves []leaf) client.Hash {
	if len(leaves) == 0 {
		return client.Hash{}
	}
	sorted := slices.Clone(leaves)
	slices.SortFunc(sorted, func(a, b leaf) int { return slices.Compare(a.key[:], b.key[:]) })
	return inner(sorted, 0)
}

// inner returns the hash of the node above leaves that have their first digits in common.
func inner(leaves []leaf, depth int) client.Hash {
	var below [16]client.Hash
	for len(leaves) > 0 {
		digit := digitOf(leaves[0].key, depth)
		n := 1
		for n < len(leaves) && digitOf(leaves[n].key, depth) == digit {
			n++
		}
		if n == 1 || depth == digits-1 { // ids are never the same
			below[digit] = leaves[0].hash
		} else {
			below[digit] = inner(leaves[:n], depth+1)
		}
		leaves = leaves[n:]
	}
	parts := make([]byte, 0, 16*32)
	for _, h := range below {
		parts = append(parts, h[:]...)
	}
	return client.Half(client.PrefixInner, parts)
}

func digitOf(key client.Hash, depth int) byte {
	if depth%2 == 0 {
		return key[depth/2] >> 4
	}
	return key[depth/2] & 15
}
