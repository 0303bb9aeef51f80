package cardano

import (
	"context"
	"errors"
	"fmt"
	"time"

	"causeway/chains"
	"causeway/chains/cardano/client"
	"causeway/chains/nodes"
)

// node is a node at its turn to be asked.
type node = nodes.Node[*peer]

// peer is one node, and its chain as far as it was read. It implements nodes.Client.
type peer struct {
	*history

	reader *client.Client // of the chain
	seeker *client.Client // of the coins of addresses: such a question takes long
	asker  *client.Client // of everything else
}

// history is what this process has read of a node's chain.
type history struct {
	of    *Connector
	track track
	clock clock
}

// peerAt makes the peer of an address. No node is asked.
func (c *Connector) peerAt(address string) *peer {
	h := &history{of: c}
	h.track.clear()
	made := func() *client.Client { return client.New(address, c.cfg.Timeout, h.verify) }
	return &peer{h, made(), made(), made()}
}

// Turn implements nodes.Client. No request is sent twice here, so no node is hasty.
func (p *peer) Turn(timeout time.Duration, _ bool) *peer {
	return &peer{p.history, p.reader.Within(timeout), p.seeker.Within(timeout), p.asker.Within(timeout)}
}

// Best implements nodes.Client.
func (p *peer) Best(ctx context.Context, heights ...int64) (v nodes.View, err error) {
	err = p.follow(ctx, func(s *client.Session, t *track, tip client.Tip) error {
		if tip.ID == "" {
			return unread("the node has no block")
		}
		v = nodes.View{Best: chains.Mark{Height: tip.Height, Hash: hashOfPoint(tip.Point)}, Time: p.clock.at(tip.Slot)}
		v.Hashes, err = p.hashes(ctx, s, tip, heights)
		return err
	})
	return v, err
}

// Hashes implements nodes.Client.
func (p *peer) Hashes(ctx context.Context, heights ...int64) (out map[int64]string, err error) {
	err = p.follow(ctx, func(s *client.Session, _ *track, tip client.Tip) error {
		out, err = p.hashes(ctx, s, tip, heights)
		return err
	})
	return out, err
}

// hashes are those of blocks up to the newest one, without those below what was read.
func (p *peer) hashes(ctx context.Context, s *client.Session, tip client.Tip, heights []int64) (map[int64]string, error) {
	out := map[int64]string{}
	for _, height := range heights {
		if height > tip.Height {
			continue
		}
		if err := p.grow(ctx, s, &p.track, tip, height); err != nil {
			return nil, err
		}
		if at, ok := p.track.at(height); ok {
			out[height] = hashOfPoint(at)
		}
	}
	return out, nil
}

// Requests implements nodes.Client.
func (p *peer) Requests() int64 {
	return p.reader.Requests() + p.seeker.Requests() + p.asker.Requests()
}

// Close implements nodes.Client.
func (p *peer) Close() {
	for _, one := range []*client.Client{p.reader, p.seeker, p.asker} {
		one.Close()
	}
}

// unread says that this process has not read enough yet: it is no fault of the node.
type unread string

// Error implements error.
func (u unread) Error() string { return chains.ErrDown.Error() + ": " + string(u) }

// Unwrap returns chains.ErrDown.
func (u unread) Unwrap() error { return chains.ErrDown }

// faultOf says what an error means for its node. What a node answers by an error of its own, another may answer otherwise, and blames nobody.
func faultOf(err error) nodes.Fault {
	var early unread
	switch {
	case errors.As(err, &early), client.Answered(err):
		return nodes.Fault{Next: true}
	case errors.Is(err, chains.ErrDown):
		return nodes.Fault{Leave: true, Next: true, Silent: true}
	default:
		return nodes.Fault{}
	}
}

// shelley is the last block before Shelley's era on the main network.
var shelley = client.Point{Slot: 4492799, ID: "f8084c61b6a238acec985b59310b6ecec49c0ab8352249afd7268da5cff2a457"}

// verify checks the chain of a node before any other answer of a connection is believed.
func (h *history) verify(ctx context.Context, s *client.Session) error {
	g, err := s.Genesis(ctx)
	if err != nil {
		return fmt.Errorf("network %s: %w", Network, err)
	}
	if magic := h.of.cfg.Magic; g.Magic != int64(magic) || g.Name != "mainnet" {
		return fmt.Errorf("network %s: %w: its number is %d, and network_magic is %d: %w", Network, ErrChain, g.Magic, magic, chains.ErrDown)
	}
	if h.of.cfg.Magic == Mainnet {
		if _, _, err := s.Intersect(ctx, []client.Point{shelley}); err != nil {
			return fmt.Errorf("network %s: the node has no block %s of the main network, or is still syncing: %w", Network, shelley.ID, err)
		}
	}
	eras, err := s.Eras(ctx)
	if err != nil {
		return fmt.Errorf("network %s: %w", Network, err)
	}
	h.clock.set(g.Start, eras)
	return nil
}
