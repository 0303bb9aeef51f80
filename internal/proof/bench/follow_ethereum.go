package main

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains/evm"
)

const (
	ethereumFirst = 20_000_000 // the last block before the first replayed one
	ethereumTxs   = 200        // of a block, where a network has no number of its own,
	ethereumLogs  = 2.5        // and transfers of our tokens by a transaction
	ethereumFinal = 20         // how far the finalized block is behind
	ethereumKept  = 450        // answers of older blocks are forgotten
	transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
)

// ethereumReplay is a chain of an EVM network.
type ethereumReplay struct {
	*following
	xpub      string
	chainID   uint64
	decimals  map[string]int // by contract
	contracts []string
	paid      string // contract of payments to us
	units     *big.Int
	blocks    []ethereumBlock // from ethereumFirst on
}

// ethereumBlock has the answers about a block.
type ethereumBlock struct {
	hash, header        string
	whole, logs, status []byte // with its transactions; its logs, without brackets; its receipts
}

func newEthereumReplay(f *following) (replay, error) {
	xpub, err := xpubOf(f.network)
	if err != nil {
		return nil, err
	}
	amount, err := decimal.NewFromString(f.amount)
	if err != nil {
		return nil, err
	}
	token := f.tokenOf(f.token)
	r := &ethereumReplay{following: f, xpub: xpub, chainID: evm.Defaults(f.network).ChainID, decimals: map[string]int{}, paid: strings.ToLower(token.Contract),
		units: amount.Shift(int32(token.Decimals)).BigInt()} //nolint:gosec // of the catalogue
	for _, t := range f.catalogue {
		if t.Network == f.network && t.Contract != "" {
			contract := strings.ToLower(t.Contract)
			r.decimals[contract], r.contracts = t.Decimals, append(r.contracts, contract)
		}
	}
	r.blocks = []ethereumBlock{r.headerOf(ethereumFirst, "0x"+hex.EncodeToString(random(32)))}
	return r, nil
}

func (r *ethereumReplay) settings(url string) string {
	return fmt.Sprintf("networks:\n  %s: {rpc: %q, xpub: %s}\n", r.network, url, r.xpub)
}

func (r *ethereumReplay) height() int64 { return ethereumFirst + int64(len(r.blocks)) - 1 }

// headerOf makes a block without transactions.
func (r *ethereumReplay) headerOf(height int64, parent string) ethereumBlock {
	b := ethereumBlock{hash: "0x" + hex.EncodeToString(random(32))}
	b.header = fmt.Sprintf(`"number":"0x%x","hash":"%s","parentHash":"%s","timestamp":"0x%x","baseFeePerGas":"0x3b9aca00","logsBloom":"0x%s","gasLimit":"0x2255100",`+
		`"gasUsed":"0x1c9c380","miner":"%s","stateRoot":"%s","receiptsRoot":"%s","transactionsRoot":"%s","extraData":"0x","difficulty":"0x0","nonce":"0x0000000000000000"`,
		height, b.hash, parent, time.Now().Unix(), strings.Repeat("ff", 256), someAddress(), someHash(), someHash(), someHash())
	return b
}

func someAddress() string { return "0x" + hex.EncodeToString(random(20)) }

func someHash() string { return "0x" + hex.EncodeToString(random(32)) }

func (r *ethereumReplay) add(pays []payee) {
	height := r.height() + 1
	b := r.headerOf(height, r.blocks[len(r.blocks)-1].hash)
	at := fmt.Sprintf(`"blockHash":"%s","blockNumber":"0x%x"`, b.hash, height)
	var txs, logs, receipts bytes.Buffer
	logged, count := 0, cmp.Or(r.txs, ethereumTxs)
	for i := range count {
		id := someHash()
		first := logs.Len()
		for range int(ethereumLogs*float64(i+1)) - int(ethereumLogs*float64(i)) {
			to, contract, units := someAddress(), r.contracts[logged%len(r.contracts)], big.NewInt(1_234_567)
			if logged < len(pays) {
				to, contract, units = strings.ToLower(pays[logged].address), r.paid, r.units
			}
			comma(&logs, logged)
			fmt.Fprintf(&logs, `{"address":"%s","topics":["%s","0x%024x%s","0x%024x%s"],"data":"0x%064x",%s,"transactionHash":"%s","transactionIndex":"0x%x","logIndex":"0x%x","removed":false}`,
				contract, transferTopic, 0, someAddress()[2:], 0, to[2:], units, at, id, i, logged)
			logged++
		}
		own := bytes.TrimPrefix(logs.Bytes()[first:], []byte(","))
		value, input := "0x0", "0x"+hex.EncodeToString(random(400))
		if i%3 == 0 { // a payment of the coin
			value, input = "0xde0b6b3a7640000", "0x"
		}
		from, to := someAddress(), someAddress()
		comma(&txs, i)
		fmt.Fprintf(&txs, `{%s,"hash":"%s","transactionIndex":"0x%x","type":"0x2","chainId":"0x%x","nonce":"0x1f","from":"%s","to":"%s","value":"%s","gas":"0x5208","gasPrice":"0x4a817c800",`+
			`"maxFeePerGas":"0x4a817c800","maxPriorityFeePerGas":"0x3b9aca00","input":"%s","accessList":[],"v":"0x1","yParity":"0x1","r":"%s","s":"%s"}`,
			at, id, i, r.chainID, from, to, value, input, someHash(), someHash())
		comma(&receipts, i)
		fmt.Fprintf(&receipts, `{%s,"transactionHash":"%s","transactionIndex":"0x%x","type":"0x2","from":"%s","to":"%s","status":"0x1","gasUsed":"0x5208","cumulativeGasUsed":"0x5208",`+
			`"effectiveGasPrice":"0x4a817c800","contractAddress":null,"logsBloom":"0x%s","logs":[%s]}`, at, id, i, from, to, strings.Repeat("00", 256), own)
	}
	b.whole = fmt.Appendf(nil, `{%s,"transactions":[%s]}`, b.header, txs.Bytes())
	b.status = fmt.Appendf(nil, `[%s]`, receipts.Bytes())
	b.logs = logs.Bytes()
	r.blocks = append(r.blocks, b)
	if old := len(r.blocks) - ethereumKept; old > 0 {
		r.blocks[old].whole, r.blocks[old].logs, r.blocks[old].status = nil, nil, nil
	}
}

func comma(b *bytes.Buffer, i int) {
	if i > 0 {
		b.WriteByte(',')
	}
}

func (r *ethereumReplay) questions(height int64) []string {
	b := r.at(height)
	return []string{
		fmt.Sprintf(`{"id":1,"method":"eth_getBlockByNumber","params":["0x%x",true]}`, height),
		fmt.Sprintf(`{"id":1,"method":"eth_getLogs","params":[{"fromBlock":"0x%x","toBlock":"0x%x"}]}`, height, height),
		fmt.Sprintf(`{"id":1,"method":"eth_getBlockReceipts","params":["%s"]}`, b.hash),
	}
}

func (r *ethereumReplay) at(height int64) *ethereumBlock {
	if height < ethereumFirst || height > r.height() {
		return nil
	}
	return &r.blocks[height-ethereumFirst]
}

// named returns the block of a hash.
func (r *ethereumReplay) named(hash string) *ethereumBlock {
	for i := len(r.blocks) - 1; i >= 0; i-- {
		if r.blocks[i].hash == hash {
			return &r.blocks[i]
		}
	}
	return nil
}

// number reads a height, or a tag.
func (r *ethereumReplay) number(text string, top int64) int64 {
	switch text {
	case "latest", "pending":
		return top
	case "safe", "finalized":
		return max(top-ethereumFinal, ethereumFirst)
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(text, "0x"), 16, 64)
	if err != nil {
		return -1
	}
	return n
}

func (r *ethereumReplay) answer(top int64, method string, params []json.RawMessage) ([][]byte, string) {
	var first string
	if len(params) > 0 {
		_ = json.Unmarshal(params[0], &first)
	}
	switch method {
	case "eth_chainId":
		return [][]byte{fmt.Appendf(nil, `"0x%x"`, r.chainID)}, ""
	case "eth_blockNumber":
		return [][]byte{fmt.Appendf(nil, `"0x%x"`, top)}, ""
	case "eth_getBalance", "eth_getTransactionCount":
		return [][]byte{[]byte(`"0x0"`)}, ""
	case "eth_getCode":
		return [][]byte{[]byte(`"0x"`)}, ""
	case "eth_call":
		return [][]byte{r.call(params[0])}, ""
	case "eth_getBlockByNumber":
		height := r.number(first, top)
		b := r.at(height)
		switch {
		case b == nil || height > top:
			return [][]byte{[]byte("null")}, ""
		case string(params[1]) == "true" && b.whole != nil:
			return [][]byte{b.whole}, ""
		}
		return [][]byte{fmt.Appendf(nil, `{%s,"transactions":[]}`, b.header)}, ""
	case "eth_getBlockReceipts":
		if b := r.named(first); b != nil && b.status != nil {
			return [][]byte{b.status}, ""
		}
		return [][]byte{[]byte("null")}, ""
	case "eth_getLogs":
		return r.logs(params[0], top), ""
	}
	return nil, fmt.Sprintf(`{"code":-32601,"message":"the method %s is not prepared"}`, method)
}

// call answers for the decimals of a token, and zero for everything else.
func (r *ethereumReplay) call(param json.RawMessage) []byte {
	var asked struct{ To, Data, Input string }
	_ = json.Unmarshal(param, &asked)
	answer := 0
	if data := asked.Data + asked.Input; strings.HasPrefix(data, "0x313ce567") {
		answer = r.decimals[strings.ToLower(asked.To)]
	}
	return fmt.Appendf(nil, `"0x%064x"`, answer)
}

func (r *ethereumReplay) logs(param json.RawMessage, top int64) [][]byte {
	var asked struct{ FromBlock, ToBlock string }
	_ = json.Unmarshal(param, &asked)
	out := [][]byte{[]byte("[")}
	for height := r.number(asked.FromBlock, top); height <= min(r.number(asked.ToBlock, top), top); height++ {
		if b := r.at(height); b != nil && len(b.logs) > 0 {
			if len(out) > 1 {
				out = append(out, []byte(","))
			}
			out = append(out, b.logs)
		}
	}
	return append(out, []byte("]"))
}
