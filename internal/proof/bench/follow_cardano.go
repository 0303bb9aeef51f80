package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/shopspring/decimal"

	"causeway/chains/addresses"
)

const (
	cardanoTxs    = 300 // of a block, with two inputs and three outputs each
	cardanoKept   = 250 // texts of older blocks are forgotten
	cardanoPeriod = 20  // seconds between two blocks
)

// cardanoReplay is a chain of blocks in the words of Ogmios.
type cardanoReplay struct {
	*following
	xpub     string
	lovelace int64
	began    time.Time
	blocks   []cardanoBlock // from height 1 on
}

type cardanoBlock struct {
	id   string
	text []byte
}

func newCardanoReplay(f *following) (replay, error) {
	xpub, err := xpubOf(f.network)
	if err != nil {
		return nil, err
	}
	amount, err := decimal.NewFromString(f.amount)
	if err != nil {
		return nil, err
	}
	r := &cardanoReplay{following: f, xpub: xpub, lovelace: amount.Shift(6).IntPart(), began: time.Unix(time.Now().Unix()-3600, 0).UTC()}
	r.add(nil)
	return r, nil
}

func (r *cardanoReplay) settings(url string) string {
	return fmt.Sprintf("networks:\n  %s: {rpc: %q, xpub: %s, network_magic: 42, stale_after: 24h}\n", r.network, url, r.xpub)
}

func (r *cardanoReplay) height() int64 { return int64(len(r.blocks)) }

func (r *cardanoReplay) add(pays []payee) {
	height, ancestor := len(r.blocks)+1, "genesis"
	if height > 1 {
		ancestor = r.blocks[height-2].id
	}
	id := hex.EncodeToString(random(32))
	text := bytes.NewBufferString(fmt.Sprintf(`{"type":"praos","era":"conway","id":"%s","ancestor":"%s","height":%d,"slot":%d,"size":{"bytes":88000},"transactions":[`,
		id, ancestor, height, height*cardanoPeriod))
	for i := range cardanoTxs {
		comma(text, i)
		to, lovelace := addresses.Encode(r.network, [32]byte(random(32))), int64(4_321_000_000)
		if i < len(pays) {
			to, lovelace = pays[i].address, r.lovelace
		}
		r.transaction(text, to, lovelace)
	}
	text.WriteString("]}")
	r.blocks = append(r.blocks, cardanoBlock{id, text.Bytes()})
	if old := height - cardanoKept; old > 0 {
		r.blocks[old-1].text = nil
	}
}

// transaction writes one with a payment, an output with tokens, and change.
func (r *cardanoReplay) transaction(text *bytes.Buffer, to string, lovelace int64) {
	from := addresses.Encode(r.network, [32]byte(random(32)))
	fmt.Fprintf(text, `{"id":"%x","spends":"inputs","inputs":[{"transaction":{"id":"%x"},"index":0},{"transaction":{"id":"%x"},"index":1}],"outputs":[`+
		`{"address":"%s","value":{"ada":{"lovelace":%d}}},{"address":"%s","value":{"ada":{"lovelace":1400000},"%x":{"544f4b454e":%d,"4f54484552":1}}},`+
		`{"address":"%s","value":{"ada":{"lovelace":987654321}}}],"fee":{"ada":{"lovelace":182000}},"validityInterval":{"invalidAfter":130000000},`+
		`"signatories":[{"key":"%x","signature":"%x"}]}`, random(32), random(32), random(32), to, lovelace, from, random(28), lovelace, from, random(32), random(64))
}

func (r *cardanoReplay) questions(height int64) []string {
	return []string{fmt.Sprintf(`{"id":1,"method":"block","params":[%d]}`, height)}
}

// answer gives a block to whom asks for it by its height, as nobody asks Ogmios.
func (r *cardanoReplay) answer(_ int64, _ string, params []json.RawMessage) ([][]byte, string) {
	height, err := strconv.Atoi(string(params[0]))
	if err != nil {
		return nil, `"no height"`
	}
	return [][]byte{r.blocks[height-1].text}, ""
}

// point names a block, or the origin before the first one.
func (r *cardanoReplay) point(height int64) string {
	if height == 0 {
		return `"origin"`
	}
	return fmt.Sprintf(`{"slot":%d,"id":"%s","height":%d}`, height*cardanoPeriod, r.blocks[height-1].id, height)
}

// cardanoSession is a connection, with the place of its reader.
type cardanoSession struct {
	chain *cardanoReplay
	at    int64
	back  bool // the next answer goes back to the place
}

// say answers a question while the node has blocks up to top.
func (s *cardanoSession) say(top int64, method string, params json.RawMessage) string {
	r := s.chain
	switch method {
	case "queryNetwork/genesisConfiguration":
		return `{"networkMagic":42,"network":"mainnet"}`
	case "queryNetwork/startTime":
		return r.began.Format(`"2006-01-02T15:04:05Z"`)
	case "queryLedgerState/eraSummaries":
		return `[{"start":{"time":{"seconds":0},"slot":0},"parameters":{"slotLength":{"milliseconds":1000}}}]`
	case "findIntersection":
		return s.find(top, params)
	case "nextBlock":
		if s.back {
			s.back = false
			return `{"direction":"backward","point":` + r.point(s.at) + `,"tip":` + r.point(top) + `}`
		}
		s.at++
		return `{"direction":"forward","block":` + string(r.blocks[s.at-1].text) + `,"tip":` + r.point(top) + `}`
	case "queryLedgerState/utxo":
		return `[]`
	case "queryLedgerState/tip":
		return r.point(top)
	case "queryLedgerState/protocolParameters":
		return `{"minFeeCoefficient":44,"minFeeConstant":{"ada":{"lovelace":155381}},"minUtxoDepositCoefficient":4310,"maxTransactionSize":{"bytes":16384}}`
	case "hasTransaction":
		return `false`
	default:
		return `{}` // of states and of the mempool
	}
}

// find moves to the first of some points in the chain.
func (s *cardanoSession) find(top int64, params json.RawMessage) string {
	var asked struct{ Points []json.RawMessage }
	_ = json.Unmarshal(params, &asked)
	for _, p := range asked.Points {
		var named struct{ Slot int64 }
		_ = json.Unmarshal(p, &named) // zero for the origin
		if height := named.Slot / cardanoPeriod; height <= top && (height == 0 || strings.Contains(string(p), s.chain.blocks[height-1].id)) {
			s.at, s.back = height, true
			return `{"intersection":` + s.chain.point(height) + `,"tip":` + s.chain.point(top) + `}`
		}
	}
	return ""
}

// serveCardano answers on a connection until it ends.
func (n *node) serveCardano(w http.ResponseWriter, r *http.Request, chain *cardanoReplay) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	s := &cardanoSession{chain: chain}
	for {
		_, text, err := conn.Read(r.Context())
		if err != nil {
			return
		}
		var call struct {
			Method string
			Params json.RawMessage
			ID     json.RawMessage
		}
		if json.Unmarshal(text, &call) != nil {
			return
		}
		n.mu.Lock()
		n.asks(1)
		if n.moment.IsZero() {
			n.moment = time.Now()
		}
		result := s.say(n.top, call.Method, call.Params)
		n.mu.Unlock()
		answer := `{"jsonrpc":"2.0","id":` + string(call.ID) + `,"result":` + result + `}`
		if result == "" {
			answer = `{"jsonrpc":"2.0","id":` + string(call.ID) + `,"error":{"code":1000,"message":"No intersection found."}}`
		}
		if conn.Write(r.Context(), websocket.MessageText, []byte(answer)) != nil {
			return
		}
	}
}
