package sandbox

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/chains"
)

// The answers of sandbox_submit.
const (
	sent     = "sent"
	known    = "known"
	rejected = "rejected"
	replaced = "replaced"
	spent    = "spent"
	short    = "short"
)

// record is a row of sandbox_transactions on its way in.
type record struct {
	Network        string          `json:"network"`
	Txid           string          `json:"txid"`
	Sender         string          `json:"sender"`
	SenderMatch    string          `json:"sender_match"`
	Nonce          *uint64         `json:"nonce"` // nil: from the faucet
	Recipient      string          `json:"recipient"`
	RecipientMatch string          `json:"recipient_match"`
	Memo           string          `json:"memo"`
	Token          string          `json:"token"`
	Amount         decimal.Decimal `json:"amount"`
	Fee            decimal.Decimal `json:"fee"`
}

// Broadcast sends raw bytes. A txid rejected once is rejected for ever; a known one is accepted again.
func (c *chain) Broadcast(ctx context.Context, raw []byte) (chains.Outcome, string) {
	f, err := c.faultsNow(ctx)
	if err != nil {
		return chains.Unknown, err.Error()
	}
	lost := c.dice.below(f.Lose)
	switch {
	case f.Broadcast == down:
		return chains.Unknown, errSwitched.Error()
	case f.Broadcast == timeout, lost && c.dice.below(50):
		return chains.Unknown, "timed out before it was sent"
	}
	outcome, reason := c.send(ctx, raw, f.Broadcast == reject)
	if lost || f.Broadcast == timeoutAfterSend {
		return chains.Unknown, "timed out after it was sent"
	}
	return outcome, reason
}

func (c *chain) send(ctx context.Context, raw []byte, rejecting bool) (chains.Outcome, string) {
	m, err := c.decode(raw)
	if err != nil {
		return chains.Rejected, err.Error()
	}
	answer, err := c.submit(ctx, record{
		Network: c.net.Name, Txid: txidOf(c.net.Family, raw),
		Sender: m.From, SenderMatch: c.match, Nonce: &m.Nonce,
		Recipient: m.To, RecipientMatch: c.Match(m.To), Memo: m.Memo,
		Token: m.Token, Amount: m.Amount, Fee: m.Fee,
	}, rejecting)
	switch {
	case err != nil:
		return chains.Unknown, err.Error()
	case answer == sent, answer == known:
		return chains.Accepted, ""
	case answer == rejected:
		return chains.Rejected, "the network has rejected this transaction for good"
	case answer == replaced:
		return chains.Underpriced, "another transaction has this nonce, for no lower fee"
	case answer == spent:
		return chains.NonceTaken, "another transaction has this nonce"
	case answer == short:
		return chains.NotTaken, "the sender holds too little"
	default:
		return chains.NotTaken, "another transaction has this id"
	}
}

// submission is a transaction on its way in, and whether the network is to reject it.
type submission struct {
	record
	Reject bool `json:"reject"`
}

// submit hands a transaction to the network: into the mempool, or into the book of the rejected.
func (c *chain) submit(ctx context.Context, r record, rejecting bool) (string, error) {
	return c.submissions.Do(ctx, submission{r, rejecting}, c.submitGroup)
}

// submitGroup hands in simultaneous transactions: a network takes one after the other.
func (c *chain) submitGroup(ctx context.Context, group []submission) (answers []string, err error) {
	content, err := json.Marshal(group)
	if err != nil {
		return nil, err
	}
	const query = "select unnest(sandbox_submit_all($1::jsonb))"
	err = c.ask(ctx, query, []any{string(content)}, func(rows *sql.Rows) error {
		answers = append(answers, "")
		return rows.Scan(&answers[len(answers)-1])
	})
	if err != nil {
		return nil, fmt.Errorf("%s: submit %s: %w", c.net.Name, group[0].Txid, err)
	}
	return answers, nil
}

// submit hands in one transaction within a database transaction of the caller's.
func submit(ctx context.Context, db bun.IDB, r record) (answer string, err error) {
	content, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	if err := db.NewRaw("select sandbox_submit(?::jsonb, false)", string(content)).Scan(ctx, &answer); err != nil {
		return "", fmt.Errorf("%s: submit %s: %w", r.Network, r.Txid, err)
	}
	return answer, nil
}
