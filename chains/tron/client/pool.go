package client

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"causeway/chains"
	"causeway/chains/nodes"
)

// Pool asks the nodes of a list (see nodes.Pool).
type Pool = nodes.Pool[*Client]

// Node is a node of a Pool at its turn to be asked.
type Node = nodes.Node[*Client]

// Turn implements nodes.Client. No request is sent twice here, so no node is hasty.
func (c *Client) Turn(timeout time.Duration, _ bool) *Client {
	other := *c
	other.timeout = timeout
	return &other
}

// HeaderQuestion asks for the header of a block, without its transactions.
type HeaderQuestion struct {
	Block  string `json:"id_or_num,omitempty"` // none for the newest
	Detail bool   `json:"detail"`
}

// Best implements nodes.Client. The best block is looked at again after the others were read, so all are of its chain.
func (c *Client) Best(ctx context.Context, heights ...int64) (v nodes.View, err error) {
	var best Header
	if err := c.Ask(ctx, &best, "wallet/getblock", HeaderQuestion{}); err != nil {
		return v, err
	}
	height, raw := best.Header.Raw.Number, best.Header.Raw
	if !best.Complete() {
		return v, fmt.Errorf("%w: a newest block without its fields", chains.ErrDown)
	}
	v = nodes.View{Best: chains.Mark{Height: height, Hash: best.ID}, Time: time.UnixMilli(raw.Timestamp).UTC()}
	if len(heights) == 0 {
		return v, nil
	}
	if v.Hashes, err = c.Hashes(ctx, heights...); err != nil {
		return v, err
	}
	again, err := c.Hashes(ctx, height)
	if err == nil && again[height] != best.ID {
		err = fmt.Errorf("%w: the newest block has gone while others were read", chains.ErrDown)
	}
	return v, err
}

// hashesAtOnce is how many blocks are asked for at the same time.
const hashesAtOnce = 4

// Hashes implements nodes.Client.
func (c *Client) Hashes(ctx context.Context, heights ...int64) (map[int64]string, error) {
	var lock sync.Mutex
	out := map[int64]string{}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(hashesAtOnce)
	for _, height := range heights {
		group.Go(func() error {
			var h Header
			err := c.Ask(ctx, &h, "wallet/getblock", HeaderQuestion{Block: strconv.FormatInt(height, 10)})
			if err == nil && h.Complete() && h.Header.Raw.Number == height {
				lock.Lock()
				defer lock.Unlock()
				out[height] = h.ID
			}
			return err
		})
	}
	return out, group.Wait()
}

// Complete reports whether a header says where it stands. The first block of a chain may have no time.
func (h *Header) Complete() bool {
	id, err := hex.DecodeString(h.ID)
	raw := h.Header.Raw
	return err == nil && len(id) == 32 && strings.ToLower(h.ID) == h.ID && raw.Number >= 0 && (raw.Timestamp > 0 || raw.Number == 0)
}

// FaultOf says what an error means for its node. What a node refuses is asked of the next, and the node is kept unless it takes no
// questions at this moment.
func FaultOf(err error) nodes.Fault {
	var e *Error
	if !errors.As(err, &e) {
		down := errors.Is(err, chains.ErrDown)
		return nodes.Fault{Leave: down, Next: down}
	}
	return nodes.Fault{Leave: !e.Answer || strings.Contains(e.Text, "lack of computing resources"), Next: true, Rest: e.after,
		Silent: !e.Answer, Waited: e.waited}
}
