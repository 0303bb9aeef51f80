package api

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
)

// statementColumns are the fields of a StatementLine in their order (api-v1 §Extensions).
var statementColumns = []string{"id", "type", "direction", "balance", "crypto_currency", "amount", "balance_after", "network",
	"reference_id", "internal_reference", "txid", "created_at"}

// wantsCSV reports whether Accept names text/csv itself and likes application/json less.
func wantsCSV(accept []string) bool {
	text, json := preferences(accept, "csv")
	const named = 3
	return text.specific == named && text.quality > json.quality
}

// csv returns statements as a table with a line of names.
func (c *Call) csv(lines []StatementLine) error {
	var out bytes.Buffer
	writeRow(&out, statementColumns)
	for i := range lines {
		writeRow(&out, lines[i].cells())
	}
	h := c.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(out.Len()))
	c.written = http.StatusOK
	c.writer.WriteHeader(http.StatusOK)
	_, _ = c.writer.Write(out.Bytes()) // the client is gone: there is nobody to tell
	return nil
}

// writeRow writes one record by RFC 4180. encoding/csv would change the line breaks inside of its fields.
func writeRow(out *bytes.Buffer, cells []string) {
	for i, cell := range cells {
		if i > 0 {
			out.WriteByte(',')
		}
		if strings.ContainsAny(cell, ",\"\r\n") || strings.TrimSpace(cell) != cell {
			cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
		}
		out.WriteString(cell)
	}
	out.WriteString("\r\n")
}

// cells are the columns of a line; null is empty.
func (l *StatementLine) cells() []string {
	reference := ""
	if l.InternalReference != nil {
		reference = l.InternalReference.String()
	}
	return []string{strconv.FormatInt(l.ID, 10), l.Type, l.Direction, l.Balance, l.CryptoCurrency, l.Amount, l.BalanceAfter,
		orEmpty(l.Network), orEmpty(l.ReferenceID), reference, orEmpty(l.Txid), l.CreatedAt}
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
