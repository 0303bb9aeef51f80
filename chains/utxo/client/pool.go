package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"causeway/chains"
	"causeway/chains/nodes"
)

// Pool asks the nodes of a list (see nodes.Pool).
type Pool = nodes.Pool[*Client]

// Node is a node of a Pool at its turn to be asked.
type Node = nodes.Node[*Client]

// Turn implements nodes.Client. No request is sent twice here, so no node is hasty.
func (c *Client) Turn(timeout time.Duration, _ bool) *Client { return c.Within(timeout) }

// Best implements nodes.Client. The best block is read before and after the others, so all are of its chain.
func (c *Client) Best(ctx context.Context, heights ...int64) (v nodes.View, err error) {
	var name string
	if err := c.Call(ctx, &name, "getbestblockhash"); err != nil {
		return v, err
	}
	var best Header
	hashes, questions := byHeight(heights)
	if err := c.known(ctx, append(questions, Ask(&best, "getblockheader", name))); err != nil {
		return v, err
	}
	if best.Hash != name || best.Height < 0 || best.Time <= 0 || best.Confirmations < 1 {
		return v, fmt.Errorf("%w: a best block that is none", chains.ErrDown)
	}
	return nodes.View{Best: chains.Mark{Height: best.Height, Hash: name}, Time: time.Unix(best.Time, 0).UTC(), Hashes: named(heights, hashes)}, nil
}

// Hashes implements nodes.Client.
func (c *Client) Hashes(ctx context.Context, heights ...int64) (map[int64]string, error) {
	hashes, questions := byHeight(heights)
	if err := c.known(ctx, questions); err != nil {
		return nil, err
	}
	return named(heights, hashes), nil
}

func byHeight(heights []int64) ([]string, []*Question) {
	hashes, questions := make([]string, len(heights)), make([]*Question, len(heights))
	for i, height := range heights {
		questions[i] = Ask(&hashes[i], "getblockhash", height)
	}
	return hashes, questions
}

func named(heights []int64, hashes []string) map[int64]string {
	out := map[int64]string{}
	for i, height := range heights {
		if hashes[i] != "" {
			out[height] = hashes[i]
		}
	}
	return out
}

// known asks questions about blocks that the node may not have.
func (c *Client) known(ctx context.Context, questions []*Question) error {
	if err := c.Each(ctx, questions...); err != nil {
		return err
	}
	for _, q := range questions {
		if q.Err != nil && !IsClass(q.Err, Missing) {
			return q.Err
		}
	}
	return nil
}

// FaultOf says what an error means for its node. What one node does not have, or does not take, is asked of the next. A node that
// answers is left alone only if it answers nothing at all.
func FaultOf(err error) nodes.Fault {
	var e *Error
	switch {
	case !errors.As(err, &e):
		down := errors.Is(err, chains.ErrDown)
		return nodes.Fault{Leave: down, Next: down}
	case e.Class == Limit:
		return nodes.Fault{}
	case e.Class == Late && e.Method == "scantxoutset": // it may take longer than is waited for
		return nodes.Fault{Next: true}
	default:
		return nodes.Fault{Leave: !e.Answer || e.Class == Starting, Next: true, Rest: e.after, Silent: !e.Answer, Waited: e.waited}
	}
}
