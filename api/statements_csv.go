package api

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"causeway/internal/web/sheets"
	"causeway/ledger"
)

const (
	linesOfPiece = 500         // of a whole statement, read and sent together
	pieceTime    = time.Minute // for a client to take one piece, and for a later piece to wait for its place
)

// statementColumns are the fields of a StatementLine in their order; the zone is in the name of a moment (api-v1 §Extensions).
var statementColumns = []string{"id", "type", "direction", "balance", "crypto_currency", "amount", "balance_after", "network",
	"reference_id", "internal_reference", "txid", "created_at_utc"}

var errAccessChanged = errors.New("the key or its account was changed meanwhile")

// wantsCSV reports whether Accept names text/csv itself and likes application/json less.
func wantsCSV(accept []string) bool {
	text, json := preferences(accept, "csv")
	const named = 3
	return text.specific == named && text.quality > json.quality
}

// csvPage returns one page of statements as a table with a line of names.
func (c *Call) csvPage(f *statementFilter, lines []StatementLine) error {
	out := f.sheet()
	for i := range lines {
		sheets.Write(out, lines[i].cells())
	}
	c.Header().Set("Content-Length", strconv.Itoa(out.Len()))
	c.beginCSV()
	_, _ = c.writer.Write(out.Bytes()) // the client is gone: there is nobody to tell
	return nil
}

// sheet returns a table with its column names only.
func (f *statementFilter) sheet() *bytes.Buffer {
	out := new(bytes.Buffer)
	if f.bom {
		out.WriteString(sheets.BOM)
	}
	sheets.Write(out, statementColumns)
	return out
}

func (c *Call) beginCSV() {
	h := c.Header()
	h.Set("Content-Type", sheets.Type)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	c.written = http.StatusOK
	c.writer.WriteHeader(http.StatusOK)
}

// wholeCSV answers every movement of the filter. A piece is read in a place of long reads, below the last line of the piece
// before, and sent before the next is read: neither memory nor a connection is held while the client reads. An unreadable piece
// breaks the answer off, so no client takes a part for the whole.
func (q *Queries) wholeCSV(c *Call, cat *Catalogue, f *statementFilter) error {
	piece, err := q.piece(c, f, nil)
	if err != nil {
		return unread(err)
	}
	out, control := f.sheet(), http.NewResponseController(c.writer)
	for first := true; ; first = false {
		for i := range piece {
			line := statementLine(cat, &piece[i])
			sheets.Write(out, line.cells())
		}
		last := len(piece) < linesOfPiece
		if first && last {
			c.Header().Set("Content-Length", strconv.Itoa(out.Len()))
		}
		if first {
			c.beginCSV()
		}
		_ = control.SetWriteDeadline(time.Now().Add(pieceTime)) // as far as there is one
		_, gone := out.WriteTo(c.writer)
		if gone != nil || last {
			return nil //nolint:nilerr // the client is gone: there is nobody to tell
		}
		if piece, err = q.piece(c, f, &piece[len(piece)-1]); err != nil {
			c.breakOff(err)
		}
	}
}

// piece reads the movements below a line, nil for the first. Later pieces wait longer for a place. They are refused if the
// caller's access has changed since the first.
func (q *Queries) piece(c *Call, f *statementFilter, below *ledger.StatementLine) (lines []ledger.StatementLine, err error) {
	read := func(ctx context.Context) (err error) {
		lines, err = ledger.MovementsBelow(ctx, q.Store.Q, f.StatementFilter, below, linesOfPiece)
		return err
	}
	if len(f.Kinds()) == 0 {
		return nil, nil
	}
	if below == nil {
		err = q.look(c, f, read)
		return lines, err
	}
	now, err := c.keys.Caller(c.Context(), c.Caller.Key.ID, "")
	switch {
	case err != nil:
		return nil, err
	case now.Access != c.Caller.Access:
		return nil, errAccessChanged
	}
	err = q.long.within(c, pieceTime, read)
	return lines, err
}

// breakOff logs why an unfinished answer ends here, and ends its connection. A client hanging up is no warning.
func (c *Call) breakOff(err error) {
	log := c.Log().WithError(err)
	if c.Context().Err() != nil {
		log.Debug("the client hung up")
	} else {
		log.Warn("a statement was broken off")
	}
	panic(http.ErrAbortHandler)
}

// cells are the columns of a line; null is empty.
func (l *StatementLine) cells() []string {
	return []string{strconv.FormatInt(l.ID, 10), l.Type, l.Direction, l.Balance, l.CryptoCurrency, l.Amount, l.BalanceAfter,
		orEmpty(l.Network), orEmpty(l.ReferenceID), idOrEmpty(l.InternalReference), orEmpty(l.Txid), l.CreatedAt}
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func idOrEmpty(id *uuid.UUID) string {
	if id == nil {
		return ""
	}
	return id.String()
}
