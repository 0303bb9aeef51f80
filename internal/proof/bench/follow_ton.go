package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"time"

	"github.com/shopspring/decimal"
	"github.com/xssnick/tonutils-go/address"
	"github.com/xssnick/tonutils-go/tlb"
	"github.com/xssnick/tonutils-go/ton/wallet"
	"github.com/xssnick/tonutils-go/tvm/cell"

	"causeway/chains/ton"
)

const (
	tonFirst  = 50_000_000 // the last block of the masterchain before the first replayed one
	tonPeriod = 5          // seconds between two blocks
	tonLT     = 1_000_000  // of logical time in a block
	tonFee    = 50_000     // nanotons for a transaction without code
)

// tonReplay is the word of a node of TON about our accounts. Nobody reads all blocks of its shards there, so all others are left out.
type tonReplay struct {
	*following
	key   string // public, in hex
	nano  int64
	begin time.Time
	top   int64
	all   map[string]*tonAccount // by the address
}

// tonAccount is an account that was paid, with its transactions.
type tonAccount struct {
	id    []byte
	steps []tonStep // the oldest first
}

// tonStep is a transaction, and what its account holds then.
type tonStep struct {
	seqno   int64
	lt      uint64
	hash    []byte
	cell    string // in base64
	balance int64
}

func newTONReplay(f *following) (replay, error) {
	key, err := xpubOf(f.network)
	if err != nil {
		return nil, err
	}
	public, err := hex.DecodeString(key)
	if err != nil {
		return nil, err
	}
	shared, err := wallet.AddressFromPubKey(public, wallet.V4R2, wallet.DefaultSubwallet+1)
	if err != nil {
		return nil, err
	}
	amount, err := decimal.NewFromString(f.amount)
	if err != nil {
		return nil, err
	}
	f.shared = shared.Bounce(false).String()
	return &tonReplay{following: f, key: key, nano: amount.Shift(9).IntPart(), begin: time.Now().Add(-time.Hour), top: tonFirst, all: map[string]*tonAccount{}}, nil
}

func (r *tonReplay) settings(url string) string {
	return fmt.Sprintf("networks:\n  %s: {rpc: %q, public_key: %s, stale_after: 24h}\n", r.network, url, r.key)
}

func (r *tonReplay) height() int64 { return r.top }

func (r *tonReplay) add(pays []payee) {
	r.top++
	for i, to := range pays {
		a := r.all[to.address]
		if a == nil {
			a = &tonAccount{id: address.MustParseAddr(to.address).Data()}
			r.all[to.address] = a
		}
		step, err := a.next(to.memo, r.nano, r.top, uint64(r.top)*tonLT+uint64(i), r.timeOf(r.top)) //nolint:gosec // above zero
		if err != nil {
			panic(err)
		}
		a.steps = append(a.steps, step)
	}
}

func (r *tonReplay) timeOf(seqno int64) int64 {
	return r.begin.Add(time.Duration(seqno-tonFirst) * tonPeriod * time.Second).Unix()
}

// last is the newest transaction of an account up to a block.
func (a *tonAccount) last(seqno int64) (s tonStep) {
	if a == nil {
		return tonStep{hash: make([]byte, 32)}
	}
	s.hash = make([]byte, 32)
	for _, step := range a.steps {
		if step.seqno <= seqno {
			s = step
		}
	}
	return s
}

// next receives coins with a comment, as a wallet not yet deployed.
func (a *tonAccount) next(comment string, nano, seqno int64, lt uint64, at int64) (s tonStep, err error) {
	before := a.last(seqno)
	body := cell.BeginCell()
	if comment != "" {
		body = body.MustStoreUInt(0, 32).MustStoreStringSnake(comment)
	}
	in := &tlb.InternalMessage{IHRDisabled: true, SrcAddr: address.NewAddress(0, 0, random(32)), DstAddr: address.NewAddress(0, 0, a.id), Amount: tlb.FromNanoTON(big.NewInt(nano)),
		CreatedLT: lt - 1, CreatedAt: uint32(at), Body: body.EndCell()} //nolint:gosec // of this century
	t := tlb.Transaction{AccountAddr: a.id, LT: lt, PrevTxHash: before.hash, PrevTxLT: before.lt, Now: uint32(at), //nolint:gosec // of this century
		OrigStatus: tlb.AccountStatusUninit, EndStatus: tlb.AccountStatusUninit, TotalFees: tlb.CurrencyCollection{Coins: tlb.FromNanoTON(big.NewInt(tonFee))},
		StateUpdate: tlb.HashUpdate{OldHash: random(32), NewHash: random(32)},
		Description: tlb.TransactionDescriptionOrdinary{CreditPhase: &tlb.CreditPhase{Credit: tlb.CurrencyCollection{Coins: tlb.FromNanoTON(big.NewInt(nano))}},
			ComputePhase: tlb.ComputePhase{Phase: tlb.ComputePhaseSkipped{Reason: tlb.ComputeSkipReason{Type: tlb.ComputeSkipReasonNoState}}}, Aborted: true}}
	t.IO.In = &tlb.Message{MsgType: tlb.MsgTypeInternal, Msg: in}
	root, err := tlb.ToCell(t)
	if err != nil {
		return s, err
	}
	return tonStep{seqno, lt, root.Hash(), base64.StdEncoding.EncodeToString(root.ToBOC()), before.balance + nano - tonFee}, nil
}

// questions are those about the states of all our accounts.
func (r *tonReplay) questions(height int64) []string {
	out := []string{r.question(r.shared, height)}
	for i := range r.fixed() {
		out = append(out, r.question(r.address(i), height))
	}
	return out
}

func (r *tonReplay) question(of string, height int64) string {
	return fmt.Sprintf(` {"jsonrpc":"2.0","id":1,"method":"getAddressInformation","params":{"address":"%s","seqno":%d}}`, of, height)
}

// answer is of plain JSON-RPC: nobody asks so here.
func (r *tonReplay) answer(int64, string, []json.RawMessage) ([][]byte, string) {
	return nil, `"none"`
}

// answerAt answers a question in the form of toncenter's API.
func (r *tonReplay) answerAt(top int64, _ string, body []byte) [][]byte {
	var asked struct {
		Method string
		Params struct {
			Address, LT string
			To          string `json:"to_lt"`
			Seqno       int64
		}
	}
	if json.Unmarshal(body, &asked) != nil {
		return nil
	}
	p, result := asked.Params, ""
	switch asked.Method {
	case "getMasterchainInfo":
		result = fmt.Sprintf(`{"@type":"blocks.masterchainInfo","last":%s,"state_root_hash":"","init":{"@type":"ton.blockIdExt","workchain":-1,"shard":"0","seqno":0,"root_hash":"%s"}}`, tonBlock(top), ton.Mainnet)
	case "getBlockHeader":
		if p.Seqno <= top {
			result = fmt.Sprintf(`{"@type":"blocks.header","id":%s,"gen_utime":%d,"prev_blocks":[%s]}`, tonBlock(p.Seqno), r.timeOf(p.Seqno), tonBlock(p.Seqno-1))
		}
	case "getAddressInformation":
		last := r.all[p.Address].last(p.Seqno)
		result = fmt.Sprintf(`{"@type":"raw.fullAccountState","balance":"%d","extra_currencies":[],"code":"","data":"","last_transaction_id":{"@type":"internal.transactionId","lt":"%d","hash":"%s"},`+
			`"block_id":%s,"frozen_hash":"","sync_utime":%d,"state":"uninitialized"}`, last.balance, last.lt, base64.StdEncoding.EncodeToString(last.hash), tonBlock(p.Seqno), r.timeOf(p.Seqno))
	case "getTransactions":
		result = r.transactions(p.Address, p.LT, p.To)
	case "runGetMethod":
		result = `{"@type":"smc.runResult","gas_used":0,"stack":[],"exit_code":-13}`
	}
	if result == "" {
		return [][]byte{[]byte(`{"ok":false,"error":"not found","code":500,"jsonrpc":"2.0","id":1}`)}
	}
	return [][]byte{[]byte(`{"ok":true,"result":` + result + `,"jsonrpc":"2.0","id":1}`)}
}

// tonBlock names a block of the masterchain.
func tonBlock(seqno int64) string {
	root := sha256.Sum256([]byte(strconv.FormatInt(seqno, 10)))
	return fmt.Sprintf(`{"@type":"ton.blockIdExt","workchain":-1,"shard":"-9223372036854775808","seqno":%d,"root_hash":"%s"}`, seqno, base64.StdEncoding.EncodeToString(root[:]))
}

// transactions are those of an account from one down to another, the newest first.
func (r *tonReplay) transactions(of, from, to string) string {
	newest, _ := strconv.ParseUint(from, 10, 64) // of our own connector
	oldest, _ := strconv.ParseUint(to, 10, 64)
	all := ""
	for i := len(r.all[of].steps) - 1; i >= 0; i-- {
		if s := r.all[of].steps[i]; s.lt <= newest && s.lt > oldest {
			if all != "" {
				all += ","
			}
			all += fmt.Sprintf(`{"@type":"raw.transaction","data":"%s"}`, s.cell)
		}
	}
	return "[" + all + "]"
}
