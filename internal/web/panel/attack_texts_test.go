package panel_test

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"causeway/internal/people"
	"causeway/internal/web/panel"
)

// markup ends an attribute and a tag, and a template's action; formula is computed by a spreadsheet.
const (
	markup  = `x"'><i data-attack onfocus=alert(1)>{{.}}`
	formula = `=HYPERLINK("https://thief.example")`
)

// written has every column with a text of a merchant, a payer or a browser that is shown to people, by its table.
var written = map[string][]string{
	"merchants": {"name", "wallets_webhook_url"}, "people": {"name"}, "payins": {"reference_id", "customer_info"}, "payouts": {"reference_id", "customer_info"},
	"payment_links": {"label", "description", "return_url", "cancel_url", "support"}, "payment_requests": {"label", "description", "customer_info", "email", "return_url", "cancel_url", "support"},
	"refunds": {"reference_id", "description"}, "wallets": {"customer_info"}, "panel_book": {"name", "memo"}, "deliveries": {"url"},
	"person_sessions": {"agent", "address"}, "transfers": {"sender", "txid"}, "invitations": {"invited_by"},
}

// rewrite puts a text into every written column. A column that is not there any more fails the test.
func (f *floor) rewrite(text string) {
	f.Helper()
	for table, columns := range written {
		for _, column := range columns {
			_, err := f.db.NewRaw("update ? set ? = ? || right(md5(ctid::text), 6)", bun.Ident(table), bun.Ident(column), text).Exec(f.Context())
			f.must(err)
		}
	}
}

// TestTextsAreTexts shows every page and file with texts that are markup or formulas.
func TestTextsAreTexts(t *testing.T) {
	t.Parallel()
	f := open(t)
	bob := f.member(f.other, "bob@example.com", people.Owner)
	bob.coded()
	ids := f.things(f.other, bob)
	f.rewrite(markup)
	escaped := 0
	for _, path := range panel.Paths() {
		code, page := bob.get(named(path, ids))
		if code != http.StatusOK || strings.Contains(page, "<i data-attack") || strings.Contains(page, "href=\"x&#34;") {
			t.Errorf("%s shows %d %s", path, code, page)
		}
		escaped += strings.Count(page, "&lt;i data-attack")
	}
	if escaped < len(written) {
		t.Errorf("%d texts were shown", escaped)
	}
	f.rewrite(formula)
	defused := 0
	for _, path := range panel.Paths() {
		code, file := bob.get(named(path, ids) + "?format=csv")
		if code != http.StatusOK || strings.HasPrefix(file, "<!doctype") {
			continue // a page without a list
		}
		rows, err := csv.NewReader(strings.NewReader(file)).ReadAll()
		f.must(err)
		for _, row := range rows {
			for _, cell := range row {
				if strings.HasPrefix(cell, "=") {
					t.Errorf("%s has the formula %s", path, cell)
				}
				if strings.Contains(cell, "HYPERLINK") {
					defused++
				}
			}
		}
	}
	if defused < 5 {
		t.Errorf("%d formulas were in files", defused)
	}
}

// named is the path of a page with the id of a thing.
func named(path string, ids map[string]string) string {
	path = strings.TrimSuffix(path, "{$}")
	before, _, has := strings.Cut(path, "{")
	if !has {
		return path
	}
	id := ids[path]
	if id == "" {
		id = uuid.NewString()
	}
	return before + id
}
