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
	over     = "over"
	missing  = "missing"
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
	Beside         decimal.Decimal `json:"beside,omitzero"`
	Cost           decimal.Decimal `json:"cost,omitzero"`
	Until          *int64          `json:"until,omitempty"`
	Coins          []string        `json:"coins,omitempty"`
	Owners         []string        `json:"owners,omitempty"` // where the coins lie, by the message
	More           []further       `json:"more,omitempty"`   // only of a transaction of coins
}

// further is what an output after the first changes of the record.
type further struct {
	Place          int             `json:"place"`
	Recipient      string          `json:"recipient"`
	RecipientMatch string          `json:"recipient_match"`
	Memo           string          `json:"memo"`
	Token          string          `json:"token"`
	Amount         decimal.Decimal `json:"amount"`
	Fee            int             `json:"fee"`   // 0: the first has it
	Coins          *string         `json:"coins"` // nil: the first has them
}

// record is a message as the network writes it down.
func (c *chain) record(m message, txid string) record {
	first := m.Outputs[0]
	r := record{
		Network: c.net.Name, Txid: txid, Sender: m.From, SenderMatch: c.Match(m.From), Nonce: &m.Nonce,
		Recipient: first.To, RecipientMatch: c.Match(first.To), Memo: first.Memo, Token: first.Token, Amount: first.Amount,
		Fee: m.Fee, Until: m.Until, Coins: m.Coins,
	}
	for _, id := range m.Coins {
		owner := r.SenderMatch
		if index, of := m.Deposits[id]; of {
			owner = c.Match(c.deposit(index))
		}
		r.Owners = append(r.Owners, owner)
	}
	for i, o := range m.Outputs[1:] {
		r.More = append(r.More, further{Place: i + 1, Recipient: o.To, RecipientMatch: c.Match(o.To), Memo: o.Memo, Token: o.Token, Amount: o.Amount})
	}
	return r
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
	if f.Broadcast == copied {
		raw = c.copied(raw)
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
	answer, err := c.submit(ctx, c.record(m, txidOf(c.net.Family, raw)), rejecting)
	if err != nil {
		return chains.Unknown, err.Error()
	}
	return c.outcome(answer)
}

// outcome puts an answer of sandbox_submit in the words of the contract.
func (c *chain) outcome(answer string) (chains.Outcome, string) {
	has := "another transaction has this nonce"
	if c.exclusion == chains.ByCoins {
		has = "another transaction has a coin of this one"
	}
	switch answer {
	case sent, known:
		return chains.Accepted, ""
	case rejected:
		return chains.Rejected, "the network has rejected this transaction for good"
	case replaced:
		return chains.Underpriced, has + ", for no lower fee"
	case spent:
		return chains.SlotTaken, has
	case short:
		return chains.NotTaken, "the sender holds too little"
	case over:
		return chains.Expired, "the next block is after its last one"
	case missing:
		return chains.NotTaken, "a coin of it is in no block"
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
