package sandbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

// View is a network as an explorer shows it: its transactions in blocks and in the mempool, oldest first.
type View struct {
	Height       int64         `json:"height"`
	Transactions []Transaction `json:"transactions"`
}

// Transaction is one transaction of a View.
type Transaction struct {
	Txid          string          `json:"txid"`
	From          string          `json:"from"`
	To            string          `json:"to"`
	Token         string          `json:"token"`
	Amount        decimal.Decimal `json:"amount"`
	Memo          string          `json:"memo"`
	Status        string          `json:"status"` // pending in the mempool, mined in a block
	Block         *int64          `json:"block"`  // null in the mempool
	Confirmations int64           `json:"confirmations"`
}

// Filter narrows a View; the zero Filter shows all. An address is matched as sender and as recipient.
type Filter struct{ Address, Txid string }

const showQuery = `select n.height,
	(select coalesce(jsonb_agg(jsonb_build_object('txid', t.txid, 'from', t.sender, 'to', t.recipient, 'token', t.token,
	   'amount', t.amount::text, 'memo', t.memo, 'status', t.state, 'block', t.height,
	   'confirmations', coalesce(n.height - t.height + 1, 0)) order by t.height, t.seq), '[]')
	 from sandbox_transactions t where t.network = n.network and t.state in ('pending', 'mined')
	 and (? = '' or t.txid = ?) and (? = '' or t.recipient_match = ? or t.sender_match = ?))
	from sandbox_networks n where n.network = ?`

// Show returns the height and the transactions of a network. An unknown txid, and an address not fitting the network, are
// errors.
func (o Operator) Show(ctx context.Context, network string, f Filter) (View, error) {
	n, err := called(network)
	if err != nil {
		return View{}, err
	}
	address := f.Address
	if address != "" {
		if _, err := validate(n, address); errors.Is(err, chains.ErrFormat) { // an unpayable address may have paid
			return View{}, fmt.Errorf("show %s: %w", n.Name, err)
		}
		address = match(n, address)
	}
	var v View
	args := []any{f.Txid, f.Txid, address, address, address, n.Name}
	err = o.DB.NewRaw(showQuery, args...).Scan(ctx, &v.Height, asJSON(&v.Transactions))
	if errors.Is(err, sql.ErrNoRows) {
		return View{}, fmt.Errorf("%s is not a sandbox network here", n.Name)
	}
	if err != nil {
		return View{}, fmt.Errorf("show %s: %w", n.Name, err)
	}
	if f.Txid != "" && len(v.Transactions) == 0 {
		return View{}, fmt.Errorf("%s is neither in a block of %s nor in its mempool", f.Txid, n.Name)
	}
	return v, nil
}
