package client

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"causeway/chains"
)

// told is a node that is none: it tells the same of everything.
type told []byte

func (t told) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(t))}, nil
}

// FuzzAnswers: whatever a node tells, a question ends with what it is for, or with the node being down.
func FuzzAnswers(f *testing.F) {
	for _, result := range []string{
		`{"last":{"workchain":-1,"seqno":7,"root_hash":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="},"init":{}}`,
		`{"id":{"workchain":-1,"seqno":7},"gen_utime":1700000000,"prev_blocks":[{"seqno":6}]}`,
		`{"balance":"5","state":"active","data":"te6cckEBAQEAAgAAAEysuc0=","last_transaction_id":{"lt":9007199254740993},"block_id":{"seqno":7}}`,
		`[{"data":"te6cckEBAQEAAgAAAEysuc0="}]`, `{"data":"te6cckEBAQEAAgAAAEysuc0="}`,
		`{"exit_code":0,"stack":[["num","-0x1"],["cell",{"bytes":"te6cckEBAQEAAgAAAEysuc0="}],["null",null]],"block_id":{"seqno":7}}`,
	} {
		f.Add([]byte(`{"ok":true,"result":` + result + `}`))
	}
	f.Add([]byte(`{"ok":false,"error":"LITE_SERVER_NOTREADY","code":500}`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		c := New("http://node/jsonRPC", "", time.Minute)
		c.http.Transport = told(answer)
		tip, _, err := c.Tip(t.Context())
		check(t, err, tip.Height >= 0)
		h, err := c.Header(t.Context(), 7)
		check(t, err, h.Seqno == 7 && h.Hash != "" && h.Time.Year() < 2107)
		s, err := c.State(t.Context(), "a", 7)
		check(t, err, s.Balance >= 0 && (s.Data != nil) == s.Active)
		all, err := c.Transactions(t.Context(), "a", 9, Hash{}, 0, 2)
		check(t, err, len(all) <= 2)
		for _, one := range all {
			check(t, nil, one != nil)
		}
		_, err = c.Located(t.Context(), "a", "b", 9)
		check(t, err, true)
		values, err := c.Run(t.Context(), "a", "get_wallet_data", 7)
		for _, v := range values {
			check(t, err, v.Number == nil || v.Number.BitLen() <= 4*longestNumber)
		}
		check(t, err, true)
	})
}

func check(t *testing.T, err error, right bool) {
	t.Helper()
	if err == nil && !right || err != nil && !errors.Is(err, chains.ErrDown) {
		t.Errorf("%v", err)
	}
}
