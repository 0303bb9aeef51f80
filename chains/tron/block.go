package tron

import (
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"causeway/chains/tron/client"
)

// block is a block with what its transactions did.
type block struct {
	height     int64
	id, parent string
	time       time.Time
	txs        []transaction
}

// transaction is a transaction of a block.
type transaction struct {
	id    string
	raw   raw
	owner common.Address
	// known says that the owner could be read.
	known     bool
	succeeded bool
	done      *client.Info // nil where the node told nothing
	logs      []moved
}

// moved is a log of a transfer of a token.
type moved struct {
	contract, from, to common.Address
	units              *big.Int
}

// parseBlock reads a block. Its id is that of its header, whose root is over its transactions: none is missing, and none was added.
func (c *Connector) parseBlock(told *client.Block, height int64) (*block, error) {
	h := &told.Header.Header.Raw
	id, ok := idOf(h)
	if !ok || id != told.ID || h.Number != height {
		return nil, odd("block %d is not %.64s", height, client.Clean(told.ID))
	}
	b := &block{height: height, id: id, parent: h.Parent, time: time.UnixMilli(h.Timestamp).UTC(), txs: make([]transaction, len(told.Transactions))}
	leaves := make([]hash, len(told.Transactions))
	for i := range told.Transactions {
		t := &told.Transactions[i]
		data, err := hex.DecodeString(t.RawData)
		sum := hash(sha256.Sum256(data))
		if err != nil || sum.String() != t.ID {
			return nil, odd("block %d: transaction %d is not %.64s", height, i, client.Clean(t.ID))
		}
		if leaves[i], ok = leaf(t, data); !ok {
			return nil, odd("block %d: transaction %s has a signature or a result that cannot be read", height, t.ID)
		}
		b.txs[i] = readTransaction(t, data)
	}
	if got := root(leaves); got.String() != h.TxTrieRoot && height > 0 && !c.accepts(id) {
		return nil, odd("block %d, %s: the root of its %d transactions is %s, and its header has %.64s. The list may miss some. If an explorer "+
			"shows the same ones, its id may be named in accept_blocks", height, id, len(leaves), got, client.Clean(h.TxTrieRoot))
	}
	return b, nil
}

// accepts reports whether an operator has checked the list of a block.
func (c *Connector) accepts(id string) bool {
	for _, accepted := range c.cfg.AcceptBlocks {
		if accepted == id {
			return true
		}
	}
	return false
}

// readTransaction reads a transaction. One that cannot be read is nobody's, and moves nothing: no node takes a contract without an owner.
func readTransaction(t *client.Transaction, data []byte) transaction {
	out := transaction{id: t.ID}
	var err error
	if out.raw, err = readRaw(data); err != nil {
		return out
	}
	out.owner, out.known = out.raw.owner()
	out.succeeded = len(t.Ret) == 1 && t.Ret[0].ContractRet == "SUCCESS" && t.Ret[0].Ret != "FAILED"
	return out
}

// addInfos adds what the transactions did. They are of the same block: of the same transactions at the same time. Contracts' transactions
// need one each, since their logs are there.
func (b *block) addInfos(infos []client.Info) error {
	place := make(map[string]int, len(b.txs))
	for i := range b.txs {
		place[b.txs[i].id] = i
	}
	for i := range infos {
		n := &infos[i]
		at, ours := place[n.ID]
		if !ours || n.BlockNumber != b.height || n.BlockTime != b.time.UnixMilli() {
			return errForked
		}
		b.txs[at].done = n
	}
	for i := range b.txs {
		t := &b.txs[i]
		contract := t.raw.kind == kindTrigger || t.raw.kind == kindCreateContract
		switch {
		case t.done == nil && contract:
			return odd("block %d: the node does not tell what %s did", b.height, t.id)
		case t.done == nil:
			continue
		case contract && t.succeeded != (t.done.Receipt.Result == "SUCCESS") || t.succeeded && t.done.Result == "FAILED":
			return odd("block %d: transaction %s succeeds and fails", b.height, t.id)
		}
		if t.succeeded {
			t.logs = readLogs(t.done.Log)
		}
	}
	return nil
}

// readLogs returns the transfers among logs. Others, such as those of an NFT, are none.
func readLogs(logs []client.Log) (out []moved) {
	for i := range logs {
		if m, ok := readLog(&logs[i]); ok {
			out = append(out, m)
		}
	}
	return out
}

func readLog(l *client.Log) (m moved, ok bool) {
	if len(l.Topics) != 3 || l.Topics[0] != transferTopicText {
		return m, false
	}
	contract, err := hex.DecodeString(l.Address)
	data, wrong := hex.DecodeString(l.Data)
	from, fine := topicAccount(l.Topics[1])
	to, known := topicAccount(l.Topics[2])
	if err != nil || wrong != nil || !fine || !known || len(contract) != common.AddressLength || len(data) != common.HashLength {
		return m, false
	}
	return moved{common.Address(contract), from, to, new(big.Int).SetBytes(data)}, true
}

var transferTopicText = hex.EncodeToString(transferTopic[:])

func topicAccount(text string) (a common.Address, ok bool) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != common.HashLength {
		return a, false
	}
	return common.BytesToAddress(b), true
}
