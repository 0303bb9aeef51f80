package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"causeway/internal/lists"
	"causeway/internal/pay"
	"causeway/ledger"
)

// StatementsAnswer is the answer to GET /v1/statements.
type StatementsAnswer struct {
	Message    string          `json:"message"`
	Statements []StatementLine `json:"statements"`
	Meta       listMeta        `json:"meta"`
}

// StatementLine is one movement; amount is positive, direction (in or out) tells the sign (addendum §10).
type StatementLine struct {
	ID                int64      `json:"id"`
	Type              string     `json:"type"`
	Direction         string     `json:"direction"`
	Balance           string     `json:"balance"`
	CryptoCurrency    string     `json:"crypto_currency"`
	Amount            string     `json:"amount"`
	BalanceAfter      string     `json:"balance_after"`
	Network           *string    `json:"network"`
	ReferenceID       *string    `json:"reference_id"`
	InternalReference *uuid.UUID `json:"internal_reference"`
	Txid              *string    `json:"txid"`
	CreatedAt         string     `json:"created_at"`
}

// StatementsSummary is the answer to GET /v1/statements/summary.
type StatementsSummary struct {
	Message string         `json:"message"`
	Summary []StatementSum `json:"summary"`
}

// StatementSum is the sum of the movements of one balance, type and direction.
type StatementSum struct {
	Balance        string `json:"balance"`
	CryptoCurrency string `json:"crypto_currency"`
	Type           string `json:"type"`
	Direction      string `json:"direction"`
	Count          int    `json:"count"`
	TotalAmount    string `json:"total_amount"`
}

var errStatements = pay.E(pay.Internal, "database_error", "The statements could not be read.")

// statements answers GET /v1/statements.
func (q *Queries) statements(c *Call) error {
	cat, err := q.catalogue(c)
	if err != nil {
		return err
	}
	f, err := readStatementFilter(c.Query, cat, c.Now)
	if err != nil {
		return err
	}
	f.Merchant = c.Caller.Merchant.ID
	inCSV := wantsCSV(c.Request.Header["Accept"])
	if inCSV && c.Query("page") == "" && c.Query("per_page") == "" {
		return q.wholeCSV(c, cat, f)
	}
	lines, total, err := q.movements(c, f)
	if err != nil {
		return unread(err)
	}
	out := StatementsAnswer{"statements_retrieved_success", make([]StatementLine, len(lines)),
		listMeta{f.page, f.perPage, total, pages(total, f.perPage), f.applied}}
	for i := range lines {
		out.Statements[i] = statementLine(cat, &lines[i])
	}
	if inCSV {
		return c.csvPage(f, out.Statements)
	}
	return c.JSON(http.StatusOK, out)
}

// movements returns the asked page and how many movements there are on all of them: by their counts, whatever the size of
// the statement, unless amounts or a reference are asked for (docs/decisions/0012-counted-lists.md).
func (q *Queries) movements(c *Call, f *statementFilter) (lines []ledger.StatementLine, total int, err error) {
	ctx, kinds := c.Context(), f.Kinds()
	switch {
	case len(kinds) == 0:
		return nil, 0, nil
	case !f.AnsweredByCounts():
		err = q.look(c, f, func(ctx context.Context) (err error) {
			lines, total, err = ledger.SearchMovements(ctx, q.Store.Q, f.StatementFilter, f.page, f.perPage)
			return err
		})
		return lines, total, err
	case len(kinds) == len(ledger.Movements):
		kinds = nil
	}
	ids, total, err := lists.Movements(ctx, q.Store, lists.Filter{Merchant: f.Merchant, Statuses: kinds, Token: f.Asset, Network: f.Network,
		From: f.From, Until: f.Until, Page: f.page, PerPage: f.perPage})
	if err != nil {
		return nil, 0, err
	}
	lines, err = ledger.MovementsByID(ctx, q.Store.Q, ids)
	return lines, total, err
}

// look reads movements in a place of long reads, unless a reference narrows them down to a few.
func (q *Queries) look(c *Call, f *statementFilter, read func(ctx context.Context) error) error {
	if f.Reference != "" {
		return read(c.Context())
	}
	return q.long.do(c, read)
}

// unread says why statements are not answered.
func unread(err error) error {
	if errors.Is(err, errLongReads) {
		return err
	}
	return errStatements.Because(err)
}

func statementLine(cat *Catalogue, l *ledger.StatementLine) StatementLine {
	return StatementLine{
		ID: l.ID, Type: string(l.Movement), Direction: l.Movement.Direction(), Balance: l.Asset, CryptoCurrency: cat.symbolOf(l.Asset),
		Amount: kept(l.Amount), BalanceAfter: kept(l.BalanceAfter), Network: l.Network,
		ReferenceID: l.ReferenceID, InternalReference: l.InternalReference, Txid: l.Txid, CreatedAt: wireTime(l.CreatedAt),
	}
}

// statementsSummary answers GET /v1/statements/summary: the same filters, no pages.
func (q *Queries) statementsSummary(c *Call) error {
	cat, err := q.catalogue(c)
	if err != nil {
		return err
	}
	f, err := readStatementFilter(unpaged(c.Query), cat, c.Now)
	if err != nil {
		return err
	}
	f.Merchant = c.Caller.Merchant.ID
	var sums []ledger.MovementTotal
	err = q.look(c, f, func(ctx context.Context) (err error) {
		sums, err = ledger.MovementTotals(ctx, q.Store.Q, f.StatementFilter)
		return err
	})
	if err != nil {
		return unread(err)
	}
	out := StatementsSummary{"statements_summary_retrieved_success", make([]StatementSum, len(sums))}
	for i, s := range sums {
		out.Summary[i] = StatementSum{s.Asset, cat.symbolOf(s.Asset), string(s.Movement), s.Movement.Direction(), s.Count, kept(s.Total)}
	}
	return c.JSON(http.StatusOK, out)
}

func unpaged(q query) query {
	return func(name string) string {
		if name == "page" || name == "per_page" || name == "bom" {
			return ""
		}
		return q(name)
	}
}
