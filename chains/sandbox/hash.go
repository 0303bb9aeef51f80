package sandbox

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/mr-tron/base58"

	"causeway/internal/pay"
)

// fork is a reorganisation still shown: from its first height on, hashes carry its salt.
type fork struct {
	First int64 `json:"first"`
	Salt  int64 `json:"salt"`
}

// txidOf is the id of a transaction in the family's usual form.
func txidOf(f pay.Family, content []byte) string {
	if f == pay.Solana {
		sum := sha512.Sum512(content)
		return base58.Encode(sum[:])
	}
	return form(f, sha256.Sum256(content))
}

// blockHash is the hash of the block at a height while these forks, in ascending order, are shown.
func blockHash(n pay.Network, forks []fork, height int64) string {
	salt := int64(0)
	for _, f := range forks {
		if f.First > height {
			break
		}
		salt = f.Salt
	}
	return form(n.Family, sha256.Sum256(fmt.Appendf(nil, "causeway sandbox block|%s|%d|%d", n.Name, height, salt)))
}

func form(f pay.Family, sum [sha256.Size]byte) string {
	digits := hex.EncodeToString(sum[:])
	switch f {
	case pay.EVM:
		return "0x" + digits
	case pay.Ripple:
		return strings.ToUpper(digits)
	case pay.Solana:
		return base58.Encode(sum[:])
	default:
		return digits
	}
}
