package tron

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"causeway/chains/nodes"
	"causeway/chains/tron/client"
)

// block is a block with what its transactions did.
type block struct {
	height     int64
	id, parent string
	time       time.Time
	txs        []transaction
}

// transaction is a transaction of a block, as far as it is needed. Blocks are kept, so it is small.
type transaction struct {
	id    hash
	kind  int64
	owner common.Address
	// known says that the owner could be read.
	known     bool
	succeeded bool
	to        common.Address // who is paid, or the contract that is called
	units     int64          // of TRX that move to it, or are staked
	call      []byte         // the calldata of a transfer of a token
	done      *deed          // nil where the node told nothing
	logs      []moved
}

// deed is what a transaction cost and did, beside its own words and its logs.
type deed struct {
	fee      int64
	back     int64 // out of rewards, and of stakes of the first kind, which are not held
	unstaked int64 // out of stakes
	inner    []innerMove
}

// innerMove is TRX that a contract moved.
type innerMove struct {
	from, to common.Address
	units    int64
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
		return nil, odd("block %d is not %.64s", height, nodes.Words(told.ID))
	}
	b := &block{height: height, id: id, parent: h.Parent, time: time.UnixMilli(h.Timestamp).UTC(), txs: make([]transaction, len(told.Transactions))}
	leaves := make([]hash, len(told.Transactions))
	for i := range told.Transactions {
		t := &told.Transactions[i]
		data, err := hex.DecodeString(t.RawData)
		sum := hash(sha256.Sum256(data))
		if err != nil || sum.String() != t.ID {
			return nil, odd("block %d: transaction %d is not %.64s", height, i, nodes.Words(t.ID))
		}
		if leaves[i], ok = leaf(t, data); !ok {
			return nil, odd("block %d: transaction %s has a signature or a result that cannot be read", height, t.ID)
		}
		b.txs[i] = readTransaction(t, data, sum)
	}
	if got := root(leaves); got.String() != h.TxTrieRoot && height > 0 && !c.accepts(id) {
		return nil, odd("block %d, %s: the root of its %d transactions is %s, and its header has %.64s. The list may miss some. If an explorer "+
			"shows the same ones, its id may be named in accept_blocks", height, id, len(leaves), got, nodes.Words(h.TxTrieRoot))
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
func readTransaction(t *client.Transaction, data []byte, id hash) transaction {
	out := transaction{id: id}
	r, err := readRaw(data)
	if err != nil {
		return out
	}
	out.kind = r.kind
	out.owner, out.known = r.owner()
	out.succeeded = len(t.Ret) == 1 && t.Ret[0].ContractRet == "SUCCESS" && t.Ret[0].Ret != "FAILED"
	switch r.kind {
	case kindTransfer:
		if move, ok := readTransfer(r.parameter); ok {
			out.to, out.units = move.to, move.units
		}
	case kindTrigger:
		if called, ok := readTrigger(r.parameter); ok {
			out.to, out.units = called.contract, called.value
			if _, _, transfers := readTransferCall(called.data); transfers {
				out.call = bytes.Clone(called.data)
			}
		}
	case kindFreeze, kindFreezeV2:
		if m, err := readMessage(r.parameter); err == nil {
			out.units = m.number(2)
		}
	}
	return out
}

// contract reports whether a transaction runs a contract.
func (x *transaction) contract() bool { return x.kind == kindTrigger || x.kind == kindCreateContract }

// deedOf keeps what is needed of an info.
func deedOf(n *client.Info) *deed {
	d := &deed{fee: n.Fee, back: n.UnfreezeAmount + n.WithdrawAmount, unstaked: n.ExpireAmount}
	for _, inner := range n.Internal {
		from, fine := hexAccount(inner.Caller)
		to, known := hexAccount(inner.To)
		for _, v := range inner.Values {
			if fine && known && !inner.Rejected && v.TokenID == "" {
				d.inner = append(d.inner, innerMove{from, to, v.Value})
			}
		}
	}
	return d
}

// addInfos adds what the transactions did. They are of the same block: of the same transactions at the same time. Contracts' transactions
// need one each, since their logs are there.
func (b *block) addInfos(infos []client.Info) error {
	place := make(map[string]int, len(b.txs))
	for i := range b.txs {
		place[b.txs[i].id.String()] = i
	}
	for i := range infos {
		n := &infos[i]
		at, ours := place[n.ID]
		if !ours || n.BlockNumber != b.height || n.BlockTime != b.time.UnixMilli() {
			return errForked
		}
		t := &b.txs[at]
		if t.contract() && t.succeeded != (n.Receipt.Result == "SUCCESS") || t.succeeded && n.Result == "FAILED" {
			return odd("block %d: transaction %s succeeds and fails", b.height, t.id)
		}
		if t.done = deedOf(n); t.succeeded {
			t.logs = readLogs(n.Log)
		}
	}
	for i := range b.txs {
		if t := &b.txs[i]; t.done == nil && t.contract() {
			return odd("block %d: the node does not tell what %s did", b.height, t.id)
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
