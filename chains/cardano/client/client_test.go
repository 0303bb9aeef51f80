package client_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/chains/cardano/client"
)

// hostile is no node: it answers each question with one text, in which %d is the number of the question.
func hostile(t *testing.T, text string) *client.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = conn.CloseNow() }()
		for id := 1; ; id++ {
			if _, _, err := conn.Read(r.Context()); err != nil {
				return
			}
			answer := strings.Replace(text, "%d", fmt.Sprint(id), 1)
			if conn.Write(r.Context(), websocket.MessageText, []byte(answer)) != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	c := client.New(server.URL, 10*time.Second, func(context.Context, *client.Session) error { return nil })
	t.Cleanup(c.Close)
	return c
}

// TestHostileAnswers: each is an error that wraps chains.ErrDown, and the connection is dropped, since nobody knows what it would tell next.
func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	coin := `{"transaction": {"id": "` + strings.Repeat("ab", 32) + `"}, "index": %s, "address": "x", "value": {"ada": {"lovelace": %s}}}`
	for name, answer := range map[string]string{
		"the id of another question": `{"jsonrpc": "2.0", "id": 77, "result": []}`,
		"an id as a text":            `{"jsonrpc": "2.0", "id": "1", "result": []}`,
		"no id":                      `{"jsonrpc": "2.0", "result": []}`,
		"no result":                  `{"jsonrpc": "2.0", "id": %d}`,
		"no JSON":                    `id: 1`,
		"a deep list":                `{"jsonrpc": "2.0", "id": %d, "result": ` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`,
		"an object":                  `{"jsonrpc": "2.0", "id": %d, "result": {"ada": 1}}`,
		"a coin below nothing":       `{"jsonrpc": "2.0", "id": %d, "result": [` + fmt.Sprintf(coin, "0", "-1") + `]}`,
		"more than there is":         `{"jsonrpc": "2.0", "id": %d, "result": [` + fmt.Sprintf(coin, "0", "45000000000000001") + `]}`,
		"a fraction":                 `{"jsonrpc": "2.0", "id": %d, "result": [` + fmt.Sprintf(coin, "0", "1.5") + `]}`,
		"a number too large":         `{"jsonrpc": "2.0", "id": %d, "result": [` + fmt.Sprintf(coin, "0", "1"+strings.Repeat("0", 400)) + `]}`,
		"an index too large":         `{"jsonrpc": "2.0", "id": %d, "result": [` + fmt.Sprintf(coin, "4294967296", "1") + `]}`,
		"an index below nothing":     `{"jsonrpc": "2.0", "id": %d, "result": [` + fmt.Sprintf(coin, "-1", "1") + `]}`,
		"tokens alone":               `{"jsonrpc": "2.0", "id": %d, "result": [` + strings.Replace(fmt.Sprintf(coin, "0", "1"), "ada", "abcd", 1) + `]}`,
	} {
		c := hostile(t, answer)
		for range 2 { // on a connection of its own each time
			err := c.Use(t.Context(), func(s *client.Session) error {
				_, err := s.Coins(t.Context(), []string{"x"})
				return err
			})
			require.ErrorIs(t, err, chains.ErrDown, name)
			require.False(t, client.Answered(err), name)
		}
		require.Equal(t, int64(2), c.Failures(), name)
	}
}

// TestACutConnectionIsOpenedAgain: a connection that was cut while nobody used it loses no question.
func TestACutConnectionIsOpenedAgain(t *testing.T) { //nolint:paralleltest // the time is one for all
	former := client.TryAfter(0)
	defer client.TryAfter(former)
	var opened, cut atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = conn.CloseNow() }()
		opened.Add(1)
		for id := 1; cut.Add(-1) != 0; id++ {
			if _, _, err := conn.Read(r.Context()); err != nil {
				return
			}
			if conn.Write(r.Context(), websocket.MessageText, fmt.Appendf(nil, `{"jsonrpc": "2.0", "id": %d, "result": "origin"}`, id)) != nil {
				return
			}
		}
	}))
	defer server.Close()
	c := client.New(server.URL, 10*time.Second, func(context.Context, *client.Session) error { return nil })
	defer c.Close()
	ask := func() {
		t.Helper()
		require.NoError(t, c.Use(t.Context(), func(s *client.Session) error {
			_, err := s.Slot(t.Context())
			return err
		}))
	}
	ask()
	require.Equal(t, int64(1), opened.Load())
	ask() // tried, and asked
	require.Equal(t, int64(1), opened.Load())
	cut.Store(2) // after the next answer
	ask()
	ask()
	require.Equal(t, int64(2), opened.Load())
	require.Zero(t, c.Failures())
}

// TestErrorsAreAnswers: an error of the node is one, and its connection goes on. Texts of it are cut.
func TestErrorsAreAnswers(t *testing.T) {
	t.Parallel()
	c := hostile(t, `{"jsonrpc": "2.0", "id": %d, "error": {"code": 0, "message": "`+strings.Repeat("secret ", 10_000)+`"}}`)
	for range 2 {
		err := c.Use(t.Context(), func(s *client.Session) error {
			_, err := s.Coins(t.Context(), []string{"x"})
			return err
		})
		require.ErrorIs(t, err, chains.ErrDown)
		require.True(t, client.Answered(err))
		require.Less(t, len(err.Error()), 1000)
	}
	require.Zero(t, c.Failures())
	require.Equal(t, int64(2), c.Requests())
}

// TestHostileBlocks: what is no next block ends the reading.
func TestHostileBlocks(t *testing.T) {
	t.Parallel()
	at := client.Point{Slot: 7, ID: strings.Repeat("cd", 32)}
	back := `{"direction": "backward", "point": {"slot": 7, "id": "` + at.ID + `"}}`
	for name, result := range map[string]string{
		"back twice":        back,
		"back elsewhere":    `{"direction": "backward", "point": "origin"}`,
		"forward at once":   `{"direction": "forward", "block": {"id": "x"}}`,
		"forward to none":   `{"direction": "forward"}`,
		"nowhere":           `{}`,
		"a slot below zero": `{"direction": "backward", "point": {"slot": -7, "id": "` + at.ID + `"}}`,
		"a list":            `[]`,
	} {
		c := hostile(t, `{"jsonrpc": "2.0", "id": %d, "result": `+result+`}`)
		err := c.Use(t.Context(), func(s *client.Session) error {
			return s.Read(t.Context(), at, 3, func(*client.Block) error {
				t.Errorf("%s is no block", name)
				return nil
			})
		})
		require.ErrorIs(t, err, chains.ErrDown, name)
	}
}
