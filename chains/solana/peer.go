package solana

import (
	"context"
	"time"

	"causeway/chains"
	"causeway/chains/nodes"
	"causeway/chains/solana/client"
)

// peer is one node, and its chain in blocks of ours. It implements nodes.Client.
type peer struct {
	*client.Client
	groups *groups
}

// peerAt makes the peer of an address. No node is asked.
func peerAt(address string, timeout time.Duration) *peer {
	return &peer{client.New(address, timeout), &groups{}}
}

// Turn implements nodes.Client. No request is sent twice here, so no node is hasty.
func (p *peer) Turn(timeout time.Duration, _ bool) *peer { return &peer{p.Within(timeout), p.groups} }

// Best implements nodes.Client. Final blocks alone are told, so none of them goes while the others are read.
func (p *peer) Best(ctx context.Context, heights ...int64) (v nodes.View, err error) {
	tip, err := p.tip(ctx)
	if err != nil {
		return v, err
	}
	best, err := p.group(ctx, tip)
	if err != nil {
		return v, err
	}
	v = nodes.View{Best: chains.Mark{Height: tip, Hash: best.hash}, Time: best.time}
	v.Hashes, err = p.hashes(ctx, tip, heights)
	return v, err
}

// Hashes implements nodes.Client.
func (p *peer) Hashes(ctx context.Context, heights ...int64) (map[int64]string, error) {
	tip, err := p.tip(ctx)
	if err != nil {
		return nil, err
	}
	return p.hashes(ctx, tip, heights)
}

// hashes are those of blocks up to the newest one.
func (p *peer) hashes(ctx context.Context, tip int64, heights []int64) (map[int64]string, error) {
	out := map[int64]string{}
	for _, height := range heights {
		if height > tip {
			continue
		}
		at, err := p.group(ctx, height)
		if err != nil {
			return nil, err
		}
		out[height] = at.hash
	}
	return out, nil
}
