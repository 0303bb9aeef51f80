package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"
	"google.golang.org/protobuf/encoding/protowire"

	"causeway/chains/addresses"
	"causeway/chains/tron"
)

const (
	tronFirst  = 70_000_000 // the last block before the first replayed one
	tronTxs    = 300        // of a block: two of three call a token, the third moves TRX
	tronSolid  = 19         // how far the solid block is behind
	tronKept   = 450        // answers of older blocks are forgotten
	tronPeriod = 3000       // ms between two blocks
)

// tronReplay is a chain of Tron. Ids and roots are as they should be: the connector computes them.
type tronReplay struct {
	*following
	xpub   string
	token  [20]byte
	units  int64
	blocks []tronBlock // from tronFirst on
}

// tronBlock has the answers about a block.
type tronBlock struct {
	id           [32]byte
	time         int64
	header       string
	whole, infos []byte // with its transactions; what they did
}

func newTronReplay(f *following) (replay, error) {
	xpub, err := xpubOf(f.network)
	if err != nil {
		return nil, err
	}
	amount, err := decimal.NewFromString(f.amount)
	if err != nil {
		return nil, err
	}
	token := f.tokenOf(f.token)
	contract, err := addresses.TronAccount(token.Contract)
	if err != nil {
		return nil, err
	}
	r := &tronReplay{following: f, xpub: xpub, token: contract, units: amount.Shift(int32(token.Decimals)).IntPart()} //nolint:gosec // of the catalogue
	first := tronBlock{id: [32]byte(random(32)), time: time.Now().UnixMilli() - 100*tronPeriod}
	binary.BigEndian.PutUint64(first.id[:], tronFirst)
	first.header = fmt.Sprintf(`"blockID":"%x","block_header":{"raw_data":{"number":%d,"timestamp":%d}}`, first.id, tronFirst, first.time)
	r.blocks = []tronBlock{first}
	return r, nil
}

func (r *tronReplay) settings(url string) string {
	return fmt.Sprintf("networks:\n  %s: {rpc: %q, xpub: %s, stale_after: 24h}\n", r.network, url, r.xpub)
}

func (r *tronReplay) height() int64 { return tronFirst + int64(len(r.blocks)) - 1 }

// field writes a field of bytes of protocol buffers.
func field(out []byte, number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(out, number, protowire.BytesType), value)
}

// count writes a field of a number.
func count(out []byte, number protowire.Number, value int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(out, number, protowire.VarintType), uint64(value)) //nolint:gosec // above zero
}

func tronLong(account []byte) []byte { return append([]byte{0x41}, account...) }

// raw writes the signed part of a transaction.
func (r *tronReplay) raw(kind int64, name string, parameter []byte) []byte {
	value := field(field(nil, 1, []byte("type.googleapis.com/protocol."+name)), 2, parameter)
	at := time.Now().UnixMilli()
	out := count(field(field(nil, 1, random(2)), 4, random(8)), 8, at+60_000)
	out = count(field(out, 11, field(count(nil, 1, kind), 2, value)), 14, at)
	if kind == 31 {
		out = count(out, 18, 100_000_000)
	}
	return out
}

func (r *tronReplay) add(pays []payee) {
	height, before := r.height()+1, r.blocks[len(r.blocks)-1]
	b := tronBlock{time: before.time + tronPeriod}
	var txs, infos bytes.Buffer
	leaves := make([][32]byte, tronTxs)
	paid := 0
	for i := range tronTxs {
		from, to, signature := random(20), random(20), random(65)
		var raw []byte
		var log string
		parameter := field(nil, 1, tronLong(from))
		if i%3 == 2 {
			raw = r.raw(1, "TransferContract", count(field(parameter, 2, tronLong(to)), 3, 1_234_567))
		} else {
			units := int64(7_654_321)
			if paid < len(pays) {
				account, _ := addresses.TronAccount(pays[paid].address) // made here
				to, units, paid = account[:], r.units, paid+1
			}
			data := append([]byte{0xa9, 0x05, 0x9c, 0xbb}, make([]byte, 12)...)
			data = binary.BigEndian.AppendUint64(append(append(data, to...), make([]byte, 24)...), uint64(units))
			raw = r.raw(31, "TriggerSmartContract", field(field(parameter, 2, tronLong(r.token[:])), 4, data))
			log = fmt.Sprintf(`,"log":[{"address":"%x","topics":["%s","%024x%x","%024x%x"],"data":"%064x"}]`, r.token, transferTopic[2:], 0, from, 0, to, units)
		}
		id := sha256.Sum256(raw)
		leaves[i] = sha256.Sum256(field(field(field(nil, 1, raw), 2, signature), 5, count(nil, 3, 1)))
		comma(&txs, i)
		fmt.Fprintf(&txs, `{"ret":[{"contractRet":"SUCCESS"}],"signature":["%x"],"txID":"%x","raw_data":{"contract":[{"parameter":{"value":{"data":"%x","owner_address":"41%x","contract_address":"41%x"},`+
			`"type_url":"type.googleapis.com/protocol.TriggerSmartContract"},"type":"TriggerSmartContract"}],"ref_block_bytes":"e7f0","ref_block_hash":"85fc9d795829e089","expiration":%d,"fee_limit":100000000,"timestamp":%d},"raw_data_hex":"%x"}`,
			signature, id, random(68), from, r.token, b.time+60_000, b.time, raw)
		comma(&infos, i)
		receipt := `"net_usage":268`
		if log != "" {
			receipt = `"energy_usage":64285,"energy_usage_total":64285,"net_usage":345,"result":"SUCCESS"`
		}
		fmt.Fprintf(&infos, `{"id":"%x","blockNumber":%d,"blockTimeStamp":%d,"contractResult":["%064x"],"contract_address":"41%x","receipt":{%s}%s}`, id, height, b.time, 0, r.token, receipt, log)
	}
	root := tronRoot(leaves)
	witness := tronLong(random(20))
	header := field(field(count(nil, 1, b.time), 2, root[:]), 3, before.id[:])
	header = count(field(count(header, 7, height), 9, witness), 10, 32)
	b.id = sha256.Sum256(header)
	binary.BigEndian.PutUint64(b.id[:], uint64(height)) //nolint:gosec // above zero
	b.header = fmt.Sprintf(`"blockID":"%x","block_header":{"raw_data":{"number":%d,"txTrieRoot":"%x","witness_address":"%x","parentHash":"%x","version":32,"timestamp":%d},"witness_signature":"%x"}`,
		b.id, height, root, witness, before.id, b.time, random(65))
	b.whole, b.infos = fmt.Appendf(nil, `{%s,"transactions":[%s]}`, b.header, txs.Bytes()), fmt.Appendf(nil, `[%s]`, infos.Bytes())
	r.blocks = append(r.blocks, b)
	if old := len(r.blocks) - tronKept; old > 0 {
		r.blocks[old].whole, r.blocks[old].infos = nil, nil
	}
}

// tronRoot is the root over the transactions of a block: an odd one at the end of a level goes up as it is.
func tronRoot(level [][32]byte) [32]byte {
	for len(level) > 1 {
		var above [][32]byte
		for i := 0; i < len(level); i += 2 {
			if i+1 == len(level) {
				above = append(above, level[i])
				continue
			}
			above = append(above, sha256.Sum256(append(level[i][:], level[i+1][:]...)))
		}
		level = above
	}
	return level[0]
}

func (r *tronReplay) questions(height int64) []string {
	return []string{fmt.Sprintf(`wallet/getblockbynum {"num":%d}`, height), fmt.Sprintf(`wallet/gettransactioninfobyblocknum {"num":%d}`, height)}
}

// answer is of JSON-RPC: nobody asks so here.
func (r *tronReplay) answer(int64, string, []json.RawMessage) ([][]byte, string) {
	return nil, `"none"`
}

// answerAt answers a question by its path.
func (r *tronReplay) answerAt(top int64, path string, body []byte) [][]byte {
	var asked struct {
		Num   int64
		Block string `json:"id_or_num"`
	}
	_ = json.Unmarshal(body, &asked)
	at := func(height int64) *tronBlock {
		if height < tronFirst || height > top {
			return nil
		}
		return &r.blocks[height-tronFirst]
	}
	switch path {
	case "wallet/getblock", "walletsolidity/getblock":
		height := top
		if strings.HasPrefix(path, "walletsolidity") {
			height = max(top-tronSolid, tronFirst)
		}
		if asked.Block == "0" {
			return [][]byte{fmt.Appendf(nil, `{"blockID":"%s","block_header":{"raw_data":{}}}`, tron.Mainnet)}
		}
		if asked.Block != "" {
			height, _ = strconv.ParseInt(asked.Block, 10, 64)
		}
		if b := at(height); b != nil {
			return [][]byte{fmt.Appendf(nil, `{%s}`, b.header)}
		}
	case "wallet/getblockbynum":
		if b := at(asked.Num); b != nil && b.whole != nil {
			return [][]byte{b.whole}
		} else if b != nil {
			return [][]byte{fmt.Appendf(nil, `{%s}`, b.header)}
		}
	case "wallet/gettransactioninfobyblocknum":
		if b := at(asked.Num); b != nil && b.infos != nil {
			return [][]byte{b.infos}
		}
	case "walletsolidity/triggerconstantcontract", "wallet/triggerconstantcontract":
		return [][]byte{fmt.Appendf(nil, `{"result":{"result":true},"energy_used":1000,"constant_result":["%s"],"transaction":{"ret":[{}]}}`, hex.EncodeToString(make([]byte, 32)))}
	}
	return [][]byte{[]byte("{}")}
}
