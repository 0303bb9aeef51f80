package client

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// raw asks for bytes, and returns what came.
func raw(t *testing.T, c *Client) (got []byte, err error) {
	t.Helper()
	err = c.Raw(t.Context(), func(r io.Reader) (err error) {
		got, err = io.ReadAll(r)
		return err
	}, "getblock", "00", 0)
	return got, err
}

// TestRawAnswers: the bytes of an answer come as the node has sent them, wherever its other members stand.
func TestRawAnswers(t *testing.T) {
	t.Parallel()
	want := bytes.Repeat([]byte{0, 7, 0xfe}, 100_000)
	text := hex.EncodeToString(want)
	for _, answer := range []string{
		`{"result":"` + text + `","error":null,"id":1}` + "\n",
		`{ "jsonrpc" : "2.0", "id": 1 , "result" : "` + strings.ToUpper(text) + `" }`,
		`{"id":1,"notes":{"a":["}",{"b":"\"\\"}],"result":"ff"},"result":"` + text + `"}`,
	} {
		c := serve(t, saying(answer))
		if got, err := raw(t, c); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%.60s…: %d bytes, %v", answer, len(got), err)
		}
		none := errors.New("none of it is wanted")
		if err := c.Raw(t.Context(), func(io.Reader) error { return none }, "getblock"); !errors.Is(err, none) {
			t.Errorf("%.60s…: %v", answer, err)
		}
	}
}

// TestRawUsesOneConnection: an answer is read to its end, so that the next question needs no new connection.
func TestRawUsesOneConnection(t *testing.T) {
	t.Parallel()
	from := map[string]bool{}
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		from[r.RemoteAddr] = true
		w.(http.Flusher).Flush() // of a length that is not told
		_, _ = io.WriteString(w, `{"result":"0102","error":null,"id":1}`+"\n")
	})
	for range 5 {
		if got, err := raw(t, c); err != nil || len(got) != 2 {
			t.Fatalf("%x, %v", got, err)
		}
	}
	if len(from) != 1 {
		t.Errorf("%d connections", len(from))
	}
}

// TestRawRefusals: an answer that is cut, that is no bytes, that is too large, or that is to another question, is none.
func TestRawRefusals(t *testing.T) {
	t.Parallel()
	for answer, says := range map[string]string{
		`{"result":"0102`:                     "unexpected EOF",
		`{"result":"010`:                      "unexpected EOF",
		`{"result":"010","id":1}`:             "not in hex",
		`{"result":"01zz","id":1}`:            "not in hex",
		`{"result":"0102"}`:                   "an answer to no question",
		`{"result":"0102","id":2}`:            "an answer to no question",
		`{"result":"0102","id":1`:             "EOF",
		`{"result":null,"error":null,"id":1}`: "another shape",
		`{"result":{"a":1},"id":1}`:           "another shape",
		`{"result":7,"id":1}`:                 "another shape",
		`{"result" "01"}`:                     "no JSON",
		`["01"]`:                              "no JSON",
		`{"notes":"` + strings.Repeat("x", maxMember) + `"}`: "no JSON",
		"": "EOF",
		`{"result":null,"error":{"code":-5,"message":"Block not found"},"id":1}`: "Block not found",
	} {
		_, err := raw(t, serve(t, saying(answer)))
		var failed *Error
		if !errors.As(err, &failed) || !strings.Contains(err.Error(), says) || failed.Answer != strings.Contains(answer, "-5") {
			t.Errorf("%.60s: %v, want %s", answer, err, says)
		}
	}
	missing := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, `{"result":null,"error":{"code":-5,"message":"Block not found"},"id":1}`)
	})
	if _, err := raw(t, missing); !IsClass(err, Missing) {
		t.Errorf("%v, want class %d", err, Missing)
	}
	busy := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	if _, err := raw(t, busy); !IsClass(err, Down) || !strings.Contains(err.Error(), "HTTP 503") {
		t.Errorf("%v", err)
	}
}

// TestRawIsBounded: the text of an answer has an end.
func TestRawIsBounded(t *testing.T) {
	t.Parallel()
	zeros := bytes.Repeat([]byte("0"), 1<<20)
	endless := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, err := io.WriteString(w, `{"result":"`)
		for err == nil && r.Context().Err() == nil {
			_, err = w.Write(zeros)
		}
	})
	var read int64
	err := endless.Raw(t.Context(), func(r io.Reader) (err error) {
		read, err = io.Copy(io.Discard, r)
		return err
	}, "getblock")
	if !IsClass(err, Limit) || read > MaxRaw+1<<20 || read < MaxRaw-1<<20 {
		t.Errorf("%d bytes, %v", read, err)
	}
}
