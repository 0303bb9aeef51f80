package evm

import (
	"slices"

	"github.com/ethereum/go-ethereum/core/types"

	"causeway/chains/evm/client"
)

// movedNothing tells whether the hot wallet has called one of its tokens, and the call, which did not revert, logged nothing: the
// token has answered false. Any log speaks against it, whoever has written it and whatever it says, but for those that the chain
// itself writes of its coin: a token may take a part as a fee, keep its books in another contract, or have events of its own.
// Where the logs and their filter are not both there to say so, nothing is proven.
func (c *Connector) movedNothing(l *lookup) bool {
	if l.tx == nil || l.tx.To == nil || l.tx.From != c.hot || l.receipt.Logs == nil || len(l.receipt.Bloom) != types.BloomByteLength {
		return false
	}
	if t, ours := c.logged[*l.tx.To]; !ours || t.native {
		return false
	}
	logged := slices.ContainsFunc(*l.receipt.Logs, func(e client.Log) bool { return !c.logged[e.Address].native })
	return !logged && !types.BytesToBloom(l.receipt.Bloom).Test(transferTopic[:])
}
