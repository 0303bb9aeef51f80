package skeleton

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"causeway/chains"
)

// block is a block in the node's words.
type block struct {
	Height       int64
	Hash, Parent string
	Time         time.Time
	Transfers    []transfer
}

// transfer is an output in the node's words: units are the smallest of the coin.
type transfer struct {
	Txid, To string
	Output   int
	Units    int64
}

// Bounds of one question to the node.
const (
	timeout   = 8 * time.Second
	mostBytes = 16 << 20
)

// node asks the network's node. Its errors wrap chains.ErrDown and do not have the URL, which may hold a key.
type node struct {
	url    string
	client http.Client
}

func newNode(url string) *node { return &node{url: url, client: http.Client{Timeout: timeout}} }

// ask reads the answer to a question.
func (n *node) ask(ctx context.Context, question string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, n.url+question, http.NoBody)
	if err != nil {
		return fmt.Errorf("%w: no question", chains.ErrDown)
	}
	answer, err := n.client.Do(request)
	if err != nil {
		return fmt.Errorf("%w: no answer", chains.ErrDown)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%w: status %d", chains.ErrDown, answer.StatusCode)
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, mostBytes)).Decode(into); err != nil {
		return fmt.Errorf("%w: not readable", chains.ErrDown)
	}
	return nil
}
