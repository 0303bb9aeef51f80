package tron

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"causeway/chains/tron/client"
)

// FuzzEnvelope: whatever bytes are read as a transaction, none but the known kinds are signed, and those are written as they were read.
func FuzzEnvelope(f *testing.F) {
	for _, b := range recordedBlocks(f) {
		for _, t := range b.Transactions {
			data, _ := hex.DecodeString(t.RawData)
			signature, _ := hex.DecodeString(t.Signature[0])
			f.Add(envelope{data, signature}.encode())
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if e, err := readEnvelope(data); err == nil {
			_, _ = e.signer()
			data = e.raw
		}
		r, err := readRaw(data)
		if err != nil {
			return
		}
		owner, _ := r.owner()
		s := signerOf(nil, owner)
		if s.maySign(s.hotWallet(), data) == nil && (!bytes.Equal(r.encode(), data) || r.kind != kindTransfer && r.kind != kindTrigger) {
			t.Fatalf("%x would be signed", data)
		}
	})
}

// FuzzBlockTold: no answer makes a block but one that has the root and the id of its header, and none of it panics.
func FuzzBlockTold(f *testing.F) {
	all := recordedBlocks(f)
	text, _ := json.Marshal(all[len(all)-1]) // a small one
	f.Add(text, []byte(`[]`))
	f.Add([]byte(`{}`), []byte(`[{"id":"","log":[{"address":"","topics":["","",""],"data":""}]}]`))
	f.Fuzz(func(t *testing.T, text, infos []byte) {
		var told client.Block
		if json.Unmarshal(text, &told) != nil {
			return
		}
		b, err := new(Connector).parseBlock(&told, told.Header.Header.Raw.Number)
		if err != nil {
			return
		}
		if id, ok := idOf(&told.Header.Header.Raw); !ok || id != b.id {
			t.Fatalf("%s is read as block %s", text, b.id)
		}
		var done client.Infos
		if json.Unmarshal(infos, &done) == nil && b.addInfos(done) == nil {
			for i := range b.txs {
				b.txs[i].changes(coin, func(common.Address, *big.Int) {})
			}
		}
	})
}
