package ripple

import (
	"context"
	"math"
	"strconv"
	"sync"
	"time"

	"causeway/chains/ripple/client"
)

// reservesFor is how long the reserves are believed. Validators change them by votes, rarely.
const reservesFor = time.Minute

// reserves are what an account must keep, in drops.
type reserves struct {
	base, increment int64
}

// of returns what an account with so many objects must keep.
func (r reserves) of(owners int64) int64 { return r.base + owners*r.increment }

// prices remembers the reserves.
type prices struct {
	sync.Mutex
	last reserves
	at   time.Time
}

// mostReserve bounds what is believed of a reserve, in XRP.
const mostReserve = 1000

// reserves asks for what accounts must keep.
func (c *Connector) reserves(ctx context.Context, n node) (reserves, error) {
	c.prices.Lock()
	defer c.prices.Unlock()
	if !c.prices.at.IsZero() && time.Since(c.prices.at) < reservesFor {
		return c.prices.last, nil
	}
	var told client.Info
	if err := n.Client.Call(ctx, &told, "server_info", nil); err != nil {
		return reserves{}, err
	}
	v := told.Info.Validated
	if !(v.Reserve > 0 && v.Reserve <= mostReserve) || !(v.Increment >= 0 && v.Increment <= mostReserve) {
		return reserves{}, odd("the node tells no reserves: it has no validated ledger")
	}
	units := func(xrp float64) int64 { return int64(math.Round(xrp * 1_000_000)) }
	c.prices.last, c.prices.at = reserves{units(v.Reserve), units(v.Increment)}, time.Now()
	return c.prices.last, nil
}

// fees are the costs of a transaction now, in drops.
type fees struct {
	minimum int64 // that is taken at all
	open    int64 // of the open ledger: a cheaper one waits in the queue
}

// fees asks for the costs of a transaction.
func (c *Connector) fees(ctx context.Context, n node) (fees, error) {
	var told client.Fee
	if err := n.Client.Call(ctx, &told, "fee", nil); err != nil {
		return fees{}, err
	}
	minimum, err := strconv.ParseInt(told.Drops.Minimum, 10, 64)
	open, wrong := strconv.ParseInt(told.Drops.Open, 10, 64)
	if err != nil || wrong != nil || minimum <= 0 || open <= 0 || minimum > 1<<50 || open > 1<<50 {
		return fees{}, odd("the node tells no fees")
	}
	return fees{minimum, max(open, minimum)}, nil
}
