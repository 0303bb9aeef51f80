package evm

import (
	"bytes"
	"math/big"

	"github.com/ethereum/go-ethereum/common"

	"causeway/chains"
	"causeway/chains/evm/client"
)

// amiss compares the order in a mined token payment with the logs of the token's contract. A receipt of status 1 proves
// nothing: some tokens answer false in place of reverting, and some keep a part. The payment is right if one log has the
// sender, the recipient and the amount. Otherwise amiss returns the amounts in the logs. Known is false while the node leaves
// out the transaction, the logs or a part of them.
func (c *Connector) amiss(l *lookup) (wrong *chains.Amiss, known bool) {
	if l.tx == nil || l.tx.From == nil || l.tx.To != nil && l.tx.Input == nil {
		return nil, false
	}
	payee, units, ok := readTransferCall(l.tx.Input)
	if l.tx.To == nil || !ok {
		return nil, true
	}
	if l.receipt.Logs == nil {
		return nil, false
	}
	arrived, spent := new(big.Int), new(big.Int)
	for _, log := range l.receipt.Logs {
		if log.Address == (common.Address{}) || log.Topics == nil || log.Data == nil {
			return nil, false
		}
		from, to, moved, ok := readTransferLog(log)
		if !ok || log.Address != *l.tx.To {
			continue
		}
		if from == *l.tx.From && to == payee && moved.Cmp(units) == 0 {
			return nil, true
		}
		if from == *l.tx.From {
			spent.Add(spent, moved)
		}
		if to == payee {
			arrived.Add(arrived, moved)
		}
	}
	t, ours := c.logged()[*l.tx.To]
	if !ours { // without its decimals nothing can be said of an amount: one of ours waits until the token is configured again
		return nil, *l.tx.From != c.hot
	}
	return &chains.Amiss{Arrived: t.amount(arrived), Spent: t.amount(spent)}, true
}

// readTransferCall reads the calldata of transfer(address,uint256).
func readTransferCall(data []byte) (to common.Address, units *big.Int, ok bool) {
	const size = 4 + 2*common.HashLength
	if len(data) != size || !bytes.HasPrefix(data, selectorTransfer) {
		return to, nil, false
	}
	return common.BytesToAddress(data[4 : 4+common.HashLength]), new(big.Int).SetBytes(data[4+common.HashLength:]), true
}

// readTransferLog reads a log of Transfer(address,address,uint256). The log of an NFT has a fourth topic, and is none.
func readTransferLog(l client.Log) (from, to common.Address, units *big.Int, ok bool) {
	if len(l.Topics) != 3 || l.Topics[0] != transferTopic || len(l.Data) != common.HashLength {
		return from, to, nil, false
	}
	return common.BytesToAddress(l.Topics[1][:]), common.BytesToAddress(l.Topics[2][:]), new(big.Int).SetBytes(l.Data), true
}
