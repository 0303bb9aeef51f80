package evm

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"causeway/chains"
	"causeway/chains/evm/client"
)

// move is a transfer in base units.
type move struct {
	tx       common.Hash
	token    token
	from, to common.Address
	units    *big.Int
	value    bool // of the coin itself; a log may show it once more
}

// transfers returns the transfers in one block. A position is the rank among the moves of its token within the transaction, so
// it stays when the transaction is mined elsewhere and log indexes shift.
func (c *Connector) transfers(txs []client.Tx, inner []move, logs []client.Log) []chains.Transfer {
	moves := make([]move, 0, len(txs)+len(inner)+len(logs))
	for _, tx := range txs {
		moves = append(moves, move{*tx.Hash, c.coin, tx.From, *tx.To, tx.Value.ToInt(), true})
	}
	moves = append(moves, inner...)
	slices.SortFunc(logs, func(a, b client.Log) int { return cmp.Compare(*a.Index, *b.Index) })
	for i, l := range logs {
		if i > 0 && *logs[i-1].Index == *l.Index {
			continue
		}
		if m, ok := c.logMove(l); ok && !c.alreadyMoved(moves, m) {
			moves = append(moves, m)
		}
	}
	return ranked(moves)
}

// logMove reads a Transfer log of one of our contracts. Moves of nothing and to oneself are none, and so are logs only similar
// to a transfer, such as an NFT's.
func (c *Connector) logMove(l client.Log) (move, bool) {
	t, ours := c.logged()[l.Address]
	read := readTransferLog
	if t.native && l.Address == polygonCoin {
		read = readCoinLog
	}
	from, to, units, ok := read(l)
	if !ours || !ok {
		return move{}, false
	}
	return move{tx: *l.TxHash, token: t, units: units, from: from, to: to}, units.Sign() > 0 && from != to
}

// alreadyMoved reports whether a log of the native coin shows a value once more. It takes the value out of the running, so one
// value hides one log.
func (c *Connector) alreadyMoved(moves []move, m move) bool {
	if !m.token.native {
		return false
	}
	for i, d := range moves {
		if d.value && d.tx == m.tx && d.to == m.to && d.units.Cmp(m.units) == 0 {
			moves[i].value = false
			return true
		}
	}
	return false
}

func ranked(moves []move) []chains.Transfer {
	type place struct {
		tx     common.Hash
		symbol string
	}
	next := map[place]int{}
	out := make([]chains.Transfer, len(moves))
	for i, m := range moves {
		at := place{m.tx, m.token.symbol}
		out[i] = chains.Transfer{
			Txid: m.tx.Hex(), Token: m.token.symbol, Position: next[at],
			From: match(m.from), To: match(m.to), Amount: m.token.amount(m.units),
		}
		next[at]++
	}
	return out
}
