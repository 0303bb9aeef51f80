package client_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strconv"
	"testing"

	"causeway/client"
)

// vectors are the cases shared with the clients in other languages (clients/vectors.json).
type vectors struct {
	Signing []struct {
		Secret, Method, Path, Query, Timestamp, Nonce, Body, Signature string
	}
	Webhooks []struct {
		Name, Signature, Timestamp, Delivery, Body string
		Secrets                                    []string
		Now                                        int64
		HeaderPrefix                               string `json:"header_prefix"`
		Good                                       bool
	}
	Keys  []sharedKey
	Calls []sharedCall
}

type sharedKey struct {
	Of    string
	Times int
	Fits  bool
}

// sharedCall is a call, the answers to it, how often the API is asked, and the call's end.
type sharedCall struct {
	Name, Call, Code string
	Asked            int
	Answers          []struct {
		Status    int
		Body      string
		Headers   map[string]string
		Lost, Cut bool
	}
	OtherBody bool `json:"other_body"`
	NoAnswer  bool `json:"no_answer"`
	Refused   bool // without a code
}

func shared(t *testing.T) *vectors {
	t.Helper()
	text, err := os.ReadFile("../clients/vectors.json")
	v := new(vectors)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil || len(v.Signing) < 2 || len(v.Webhooks) < 15 || len(v.Keys) < 5 || len(v.Calls) < 20 {
		t.Fatalf("%d calls: %v", len(v.Calls), err)
	}
	return v
}

func (c *sharedCall) replies() (out []reply) {
	for _, a := range c.Answers {
		r := reply{a.Status, a.Body, map[string]string{}}
		for name, value := range a.Headers {
			r.header[name] = value
		}
		switch {
		case a.Lost:
			r.status = 0
		case a.Cut:
			r.header["Content-Length"] = strconv.Itoa(len(a.Body) + 10)
		}
		out = append(out, r)
	}
	return out
}

var sharedCalls = map[string]func(*testing.T, *client.Client) error{
	"read": func(t *testing.T, c *client.Client) error { _, err := c.GetBalances(t.Context()); return err },
	"keyed": func(t *testing.T, c *client.Client) error {
		_, err := c.CreatePayout(t.Context(), "key-1", client.Payout{})
		return err
	},
	"payout": func(t *testing.T, c *client.Client) error {
		_, err := c.CreatePayout(t.Context(), "", client.Payout{})
		return err
	},
	"payin": func(t *testing.T, c *client.Client) error {
		_, err := c.CreatePayin(t.Context(), client.Payin{})
		return err
	},
	"rehearsal": func(t *testing.T, c *client.Client) error {
		_, err := c.RehearsePayouts(t.Context(), []client.Payout{{}})
		return err
	},
}

func TestOnlyWhatMayBeRepeatedIsRetried(t *testing.T) {
	t.Parallel()
	for _, c := range shared(t).Calls {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			s, api := play(t, func(config *client.Config) { config.HTTP = unkept() }, c.replies()...)
			err := sharedCalls[c.Call](t, api)
			if len(s.requests()) != c.Asked || !c.ends(err) {
				t.Errorf("asked %d times, %v", len(s.requests()), err)
			}
			for i, body := range s.sent() {
				if body != s.sent()[0] || s.requests()[i].Header.Get("Idempotency-Key") != s.requests()[0].Header.Get("Idempotency-Key") {
					t.Errorf("attempt %d is another request", i)
				}
			}
		})
	}
}

// unkept opens a connection for each request: on a kept one, net/http repeats a request by itself.
func unkept() *http.Client { return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} }

// ends reports whether an error is the call's expected end.
func (c *sharedCall) ends(err error) bool {
	var refusal *client.Error
	switch {
	case c.OtherBody:
		return errors.Is(err, client.ErrOtherBody)
	case c.NoAnswer:
		return err != nil && !errors.As(err, &refusal)
	case c.Refused:
		return err != nil && (!errors.As(err, &refusal) || refusal.Code == "")
	case c.Code != "":
		return client.Is(err, c.Code)
	default:
		return err == nil
	}
}
