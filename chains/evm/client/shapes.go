package client

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// Header is a block without its transactions. Pointers are nil where the node left the field out.
type Header struct {
	Number     *Uint64      `json:"number"`
	Hash       *common.Hash `json:"hash"`
	ParentHash *common.Hash `json:"parentHash"`
	Timestamp  *Uint64      `json:"timestamp"`
	BaseFee    *Big         `json:"baseFeePerGas"`
	Bloom      Bytes        `json:"logsBloom"`
}

// Complete reports whether the header says where it stands, as the block of this height.
func (h *Header) Complete(height int64) bool {
	return h != nil && h.Number != nil && h.Hash != nil && h.ParentHash != nil && h.Timestamp != nil &&
		uint64(*h.Number) == uint64(height) && uint64(*h.Timestamp) < 1<<40
}

// Best returns the height and time of a best block, if it has its fields.
func (h *Header) Best() (height int64, at time.Time, ok bool) {
	if h == nil || h.Number == nil || uint64(*h.Number) >= 1<<53 || !h.Complete(int64(*h.Number)) {
		return 0, at, false
	}
	return int64(*h.Number), time.Unix(int64(*h.Timestamp), 0).UTC(), true
}

// Block is a block with its transactions.
type Block struct {
	Header
	Transactions []Tx `json:"transactions"`
}

// Tx is a transaction as the node shows it, of any type, including those of its chain alone.
type Tx struct {
	Hash  *common.Hash    `json:"hash"`
	From  common.Address  `json:"from"`
	To    *common.Address `json:"to"`
	Value *Big            `json:"value"`
	Gas   *Uint64         `json:"gas"`
}

// SentTx is a transaction with its price, block and calldata.
type SentTx struct {
	Hash      *common.Hash `json:"hash"`
	GasPrice  *Big         `json:"gasPrice"`
	BlockHash *common.Hash `json:"blockHash"`

	From  *common.Address `json:"from"`
	To    *common.Address `json:"to"` // nil where it makes a contract
	Input Bytes           `json:"input"`
}

// Origin is the sender of a transaction.
type Origin struct {
	Hash  *common.Hash    `json:"hash"`
	From  *common.Address `json:"from"`
	Nonce *Uint64         `json:"nonce"`
}

// Outcome says whether a transaction has succeeded, and in which block.
type Outcome struct {
	TxHash    *common.Hash `json:"transactionHash"`
	BlockHash *common.Hash `json:"blockHash"`
	Status    *Status      `json:"status"`
}

// LoggedReceipt is a receipt with its events.
type LoggedReceipt struct {
	Outcome
	Logs Logs `json:"logs"`
}

// Receipt is the outcome of a transaction, and its cost.
type Receipt struct {
	Outcome
	BlockNumber *Uint64 `json:"blockNumber"`
	GasUsed     *Uint64 `json:"gasUsed"`
	GasPrice    *Big    `json:"effectiveGasPrice"`
	L1Fee       *Big    `json:"l1Fee"` // of chains with their data on another one
	Logs        []Log   `json:"logs"`  // nil where the node left them out

	// Of OP chains with an operator's fee.
	OperatorScalar   *Big `json:"operatorFeeScalar"`
	OperatorConstant *Big `json:"operatorFeeConstant"`
	Footprint        any  `json:"daFootprintGasScalar"` // nil before Jovian
}

// Status reports whether a transaction has succeeded.
type Status bool

var errStatus = errors.New("a status that is neither 0x0 nor 0x1")

// UnmarshalJSON implements json.Unmarshaler. Anything but yes or no is an error: a failed transaction moved nothing.
func (s *Status) UnmarshalJSON(text []byte) error {
	*s = string(text) == `"0x1"`
	if !*s && string(text) != `"0x0"` {
		return errStatus
	}
	return nil
}

// Log is one event of a contract.
type Log struct {
	Address     common.Address `json:"address"`
	Topics      []common.Hash  `json:"topics"`
	Data        Bytes          `json:"data"`
	BlockNumber *Uint64        `json:"blockNumber"`
	BlockHash   *common.Hash   `json:"blockHash"`
	TxHash      *common.Hash   `json:"transactionHash"`
	Index       *Uint64        `json:"logIndex"`
	Removed     bool           `json:"removed"`
}

// Logs are the events in a node's answer.
type Logs []Log

var errNoList = errors.New("null in place of a list")

// UnmarshalJSON implements json.Unmarshaler. Null is an error: it is the answer of a node that has not looked, and the missing
// events are not asked for again.
func (l *Logs) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return errNoList
	}
	return json.Unmarshal(text, (*[]Log)(l))
}

// Trace is the course of a transaction, as geth's callTracer tells it.
type Trace struct {
	TxHash *common.Hash `json:"txHash"` // missing on old nodes
	Result *Frame       `json:"result"`
}

// Frame is one call of a transaction with its own calls.
type Frame struct {
	Type  string          `json:"type"`
	From  common.Address  `json:"from"`
	To    *common.Address `json:"to"`
	Value *Big            `json:"value"`
	Error string          `json:"error"` // it was undone, with all calls in it
	Calls []Frame         `json:"calls"`
}
