package evm

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"causeway/chains/evm/client"
)

// polygonCoin is the contract named in Polygon's logs of each move of its coin, also those by contracts.
var polygonCoin = common.HexToAddress("0x0000000000000000000000000000000000001010")

// coinTopic is the first topic of such a log. It has the contract, the sender and the recipient as topics. Its data are the amount and
// the balances of both before and after.
var coinTopic = crypto.Keccak256Hash([]byte("LogTransfer(address,address,address,uint256,uint256,uint256,uint256,uint256)"))

// logsCoin reports whether logs show the native coin sent by contracts.
func (c *Connector) logsCoin() bool {
	return c.cfg.NativeLogs != "" && common.HexToAddress(c.cfg.NativeLogs) == polygonCoin
}

// topics returns the first topics of the logs to read.
func (c *Connector) topics() []common.Hash {
	if c.logsCoin() {
		return []common.Hash{transferTopic, coinTopic}
	}
	return []common.Hash{transferTopic}
}

// readCoinLog reads a log of Polygon's coin. A call of the contract's own transfer has three logs of one payment: two of the chain, for
// the way to the contract and on to the recipient, and one of the contract. Only in the chain's logs does the sender's balance fall by the amount.
func readCoinLog(l client.Log) (from, to common.Address, units *big.Int, ok bool) {
	if len(l.Topics) != 4 || l.Topics[0] != coinTopic || len(l.Data) != 5*common.HashLength {
		return from, to, nil, false
	}
	word := func(i int) *big.Int {
		return new(big.Int).SetBytes(l.Data[i*common.HashLength : (i+1)*common.HashLength])
	}
	units = word(0)
	fell := new(big.Int).Sub(word(1), word(3))
	return common.BytesToAddress(l.Topics[2][:]), common.BytesToAddress(l.Topics[3][:]), units, fell.Cmp(units) == 0
}
