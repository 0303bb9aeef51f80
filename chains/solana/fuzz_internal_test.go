package solana

import (
	"bytes"
	"encoding/json"
	"testing"

	"causeway/chains/solana/client"
)

// FuzzTransaction: whatever bytes are read as a transaction are written as they were read, and none is signed but by the known calls.
func FuzzTransaction(f *testing.F) {
	for _, v := range readVectors(f).Transactions[:24] {
		f.Add(unhex(f, v.Raw))
	}
	f.Add(append([]byte{1}, make([]byte, 300)...))
	f.Fuzz(func(t *testing.T, raw []byte) {
		read, err := readTransaction(raw)
		if err != nil {
			return
		}
		_ = read.verify()
		if !bytes.Equal(read.encode(), raw) {
			t.Fatalf("%x is written as %x", raw, read.encode())
		}
		c := &Connector{hot: read.message.keys[0]}
		c.known.Store(tablesOf(Defaults()))
		s := &Sender{Connector: c}
		if s.maySign(&read.message, c.hot) != nil {
			return
		}
		for _, i := range read.message.instructions() {
			if i.program != budgetProgram && i.program != systemProgram {
				t.Fatalf("%x would be signed", raw)
			}
		}
	})
}

// FuzzDone: no answer about a transaction panics, and what is moved is never more than what some account has more.
func FuzzDone(f *testing.F) {
	hot, to, mint := mustKey("GsbwXfJraMomNxBcjYLcG3mxkBUiyWXAB32fGbSMQRdW"), mustKey("11111111111111111111111111111111"), mustKey("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v")
	f.Add([]byte(`{"slot":5,"transaction":{"signatures":["x"],"message":{"accountKeys":["` + hot.String() + `","` + to.String() + `","` + mint.String() + `"],"header":{"numRequiredSignatures":1}}},
		"meta":{"err":null,"fee":5000,"preBalances":[9000,0,7],"postBalances":[3000,1000,7],"preTokenBalances":[],
		"postTokenBalances":[{"accountIndex":2,"mint":"` + mint.String() + `","owner":"` + hot.String() + `","programId":"` + tokenProgram.String() + `","uiTokenAmount":{"amount":"18446744073709551615"}}]}}`))
	f.Add([]byte(`{"meta":{"err":{},"preBalances":[1]}}`))
	cfg := Defaults()
	cfg.Tokens = map[string]Token{"USDC": {mint.String(), 6}}
	tables := tablesOf(cfg)
	usdc := tables.byMint[mint]
	usdc.program = &tokenProgram
	tables.byMint[mint] = usdc
	f.Fuzz(func(t *testing.T, text []byte) {
		var told client.Transaction
		if json.Unmarshal(text, &told) != nil {
			return
		}
		d, err := readDone("x", &told)
		if err != nil {
			return
		}
		_ = d.cost()
		for _, m := range d.moves(tables, hot) {
			more := uint64(0)
			if m.token.native {
				for i := range d.keys {
					more = max(more, d.post[i]-min(d.pre[i], d.post[i])+d.fee)
				}
			}
			for _, h := range d.holdings {
				more = max(more, h.after-min(h.before, h.after))
			}
			if d.failed || m.units == 0 || m.units > more {
				t.Fatalf("%s moves %+v", text, m)
			}
		}
	})
}
