package sandbox

import (
	"context"

	"causeway/chains"
)

const originQuery = `select n.faults, coalesce(t.txid, ''), coalesce(t.sender_match, ''), coalesce(t.nonce, -1)
	from sandbox_networks n left join sandbox_transactions t
	  on t.network = n.network and t.txid = ? and t.nonce is not null and t.state in ('pending', 'mined')
	where n.network = ?`

// Origin returns who has sent a transaction, and at which nonce; the faucet's have none, and are not known.
func (c *chain) Origin(ctx context.Context, txid string) (out chains.Origin, err error) {
	var f Faults
	if err := c.read(ctx, originQuery, []any{txid, c.net.Name}, asJSON(&f), &out.Txid, &out.From, &out.Nonce); err != nil {
		return chains.Origin{}, err
	}
	return out, c.pass(f, f.Scan)
}
