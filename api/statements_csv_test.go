package api

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"causeway/internal/proof/contract"
	"causeway/internal/web/sheets"
)

func TestStatementColumnsAreTheFields(t *testing.T) {
	t.Parallel()
	var names []string
	for f := range reflect.TypeFor[StatementLine]().Fields() {
		names = append(names, f.Tag.Get("json"))
	}
	if strings.Join(names, ",")+"_utc" != strings.Join(statementColumns, ",") {
		t.Errorf("columns %v, fields %v", statementColumns, names)
	}
}

// The table holds the values of the JSON, one by one, whatever the reference of the merchant is.
func TestStatementsAsCSV(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Extensions: GET /v1/statements is also answered as CSV")
	s, id := withMovements(t)
	s.exec("update payins set reference_id = ? where id = ?", "order, \"1\"\nsecond line", id)
	asking := func(target string, accept ...string) answer {
		r := request(http.MethodGet, target, s.key, "")
		r.Header["Accept"] = accept
		return ask(t, s.front, r)
	}
	for _, query := range []string{"", "?per_page=2&page=2", "?direction=in", "?type=RATE", "?reference_id=nobody"} {
		plain := asking("/v1/statements" + query)
		a := asking("/v1/statements"+query, "text/csv")
		if a.status != 200 || a.header.Get("Content-Type") != "text/csv; charset=utf-8" {
			t.Fatalf("%s: %d %v", query, a.status, a.header)
		}
		rows, err := csv.NewReader(strings.NewReader(a.text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		lines := decodeReply(t, plain.text).list("statements")
		if len(rows) != len(lines)+1 || strings.Join(rows[0], ",") != strings.Join(statementColumns, ",") {
			t.Fatalf("%s: %d rows for %d statements: %v", query, len(rows), len(lines), rows[0])
		}
		for i, line := range lines {
			for column, name := range statementColumns {
				want := ""
				if value := line.(map[string]any)[strings.TrimSuffix(name, "_utc")]; value != nil {
					want = fmt.Sprint(value)
				}
				if rows[i+1][column] != want {
					t.Errorf("%s: %s of %d is %q, want %q", query, name, i, rows[i+1][column], want)
				}
			}
		}
	}
	refused := asking("/v1/statements?type=x", "text/csv")
	refused.is(t, 400, "invalid_format")
}

// A reference with any bytes RFC 4180 lets a field have comes out of the CSV as it is, unless a spreadsheet would compute it.
func TestCSVKeepsReferences(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Extensions: GET /v1/statements is also answered as CSV")
	s, id := withMovements(t)
	for _, reference := range []string{"x\ry", "x\ny", "x\r\ny", "\n", "\r\n\r", ` lead "and" trail `, `"`, `\.`, "a,b;c\td", "=1+1"} {
		s.exec("update payins set reference_id = ? where id = ?", reference, id)
		r := request(http.MethodGet, "/v1/statements?type=DEPOSIT", s.key, "")
		r.Header.Set("Accept", "text/csv")
		a := ask(t, s.front, r)
		field := sheets.Defused(reference)
		if computed := strings.HasPrefix(reference, "=") || strings.HasPrefix(reference, "\r"); computed != (field == "'"+reference) {
			t.Errorf("%q is written %q", reference, field)
		}
		if strings.ContainsAny(reference, ",\"\r\n") {
			field = `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
		}
		if a.status != 200 || !strings.Contains(a.text, ","+field+","+id) || !strings.HasSuffix(a.text, "\r\n") {
			t.Errorf("%q: %d %q", reference, a.status, a.text)
		}
	}
}

// A client not naming text/csv, or liking JSON as much, gets the contract's answer.
func TestStatementsAreJSONElse(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]bool{
		"": false, "*/*": false, "text/*": false, "application/json": false, "text/csv": true, "text/csv;q=0.5, */*;q=0.1": true,
		"text/csv, application/json": false, "application/json;q=0.9, TEXT/CSV": true, "text/csv;q=0": false, "text/html, */*": false,
	} {
		if wantsCSV([]string{accept}) != want {
			t.Errorf("%q: %v", accept, !want)
		}
	}
	s, _ := withMovements(t)
	r := request(http.MethodGet, "/v1/statements", s.key, "")
	r.Header.Set("Accept", "text/*")
	if a := ask(t, s.front, r); !json.Valid([]byte(a.text)) || !strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
		t.Errorf("%v %s", a.header, a.text)
	}
}
