package sandbox

import (
	"context"

	"causeway/chains"
)

const (
	nextQuery = `select n.faults, (select coalesce(max(t.nonce) + 1, 0) from sandbox_transactions t
	 where t.network = n.network and t.sender_match = ? and t.state in ('pending', 'mined')
	 and t.until is null and t.coins is null and t.place = 0)
	from sandbox_networks n where n.network = ?`

	usedQuery = `select n.faults, (select coalesce(max(t.nonce) + 1, 0) from sandbox_transactions t
	 where t.network = n.network and t.sender_match = ? and t.state = 'mined' and t.height <= ?
	 and t.until is null and t.coins is null and t.place = 0)
	from sandbox_networks n where n.network = ?`

	originQuery = `select n.faults, coalesce(t.txid, ''), coalesce(t.sender_match, ''), coalesce(t.nonce, -1)
	from sandbox_networks n left join sandbox_transactions t
	  on t.network = n.network and t.txid = ? and t.place = 0 and t.nonce is not null and t.state in ('pending', 'mined')
	where n.network = ?`
)

// NextNonce returns the nonce of an address after the greatest one in a block or in the mempool.
func (c *chain) NextNonce(ctx context.Context, address string) (uint64, error) {
	var f Faults
	var next int64
	if err := c.read(ctx, nextQuery, []any{address, c.net.Name}, asJSON(&f), &next); err != nil {
		return 0, err
	}
	if err := c.pass(f, f.Broadcast); err != nil {
		return 0, err
	}
	return uint64(next), nil
}

// NonceAt returns the first nonce of an address unused in the blocks up to a height.
func (c *chain) NonceAt(ctx context.Context, address string, height int64) (nonce uint64, err error) {
	var f Faults
	if err := c.read(ctx, usedQuery, []any{address, height, c.net.Name}, asJSON(&f), &nonce); err != nil {
		return 0, err
	}
	return nonce, c.pass(f, f.Scan)
}

// Origin returns the sender of a transaction, and its nonce. The faucet's transactions have none, and are not known.
func (c *chain) Origin(ctx context.Context, txid string) (out chains.Origin, err error) {
	var f Faults
	if err := c.read(ctx, originQuery, []any{txid, c.net.Name}, asJSON(&f), &out.Txid, &out.From, &out.Nonce); err != nil {
		return chains.Origin{}, err
	}
	return out, c.pass(f, f.Scan)
}
