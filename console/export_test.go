package console_test

import (
	"encoding/csv"
	"io"
	"net/http"
	"strings"
	"testing"

	"causeway/admin"
)

// bulk is many payins of the merchant, of one moment.
func (d *desk) bulk(n int) {
	d.t.Helper()
	d.exec(`insert into payins (id, merchant_id, reference_id, token, network, status, wallet, asset, process_by, amount, fiat_currency,
			webhook_url, percent_rate, network_fee, minimum_payment, expires_at)
		select gen_random_uuid(), ?0, 'bulk-' || n, 'USDT', 'Tron', 'completed', 'w', 'USDT', 'crypto_amount', 1, 'USD', '', 0, 0, 100, now()
		from generate_series(1, ?1) n`, d.merchant, n)
}

// file answers a list as CSV: its columns, and the rows by column.
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
		select gen_random_uuid(), ?0, 'tron', 'c' || n, 'w' || n, 'STATUS_ASSIGNED' from generate_series(1, ?1) n`, d.merchant, others)
	d.exec(`insert into audit (actor, action, subject) select 'bob', 'counted', 'row:' || n from generate_series(1, ?0) n`, others)
	d.exec(`insert into merchants (id, name, webhook_secret) select gen_random_uuid(), 'Stall', '\x' from generate_series(1, ?0)`, others-1)
	p := d.person()
	p.login("ann", password)
	of := "&merchant=" + d.merchant.String()
	for _, c := range []struct {
		path, column string
		want         int
	}{
		{"payins?format=csv", "Reference", payins}, {"payins?format=csv" + of, "Reference", payins},
		{"webhooks?format=csv", "Receiver", others}, {"webhooks?format=csv" + of, "Receiver", others},
		{"wallets?format=csv", "Address", others}, {"merchants?format=csv", "Id", others}, {"rates?format=csv", "Merchant", others},
		{"audit?format=csv", "Of", d.count("audit")},
	} {
		_, rows := p.file(c.path)
		seen := map[string]bool{}
		for _, row := range rows {
			seen[row[c.column]] = true
		}
		if len(rows) != c.want || c.column != "Merchant" && c.column != "Of" && len(seen) != c.want {
			t.Errorf("%s has %d rows, %d of them different, and not %d", c.path, len(rows), len(seen), c.want)
		}
	}
}

func (d *desk) count(table string) (n int) {
	d.t.Helper()
	must(d.t, d.db.NewRaw("select count(*) from "+table).Scan(d.t.Context(), &n))
	return n
}

// What a file lacks is never left out in silence: the transfer breaks off, and there is no file.
//
// Covers operator §Console: A CSV has every row
func TestAFileThatCannotBeReadToItsEndIsBrokenOff(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	d.bulk(600)
	d.exec("update payins set amount = 'NaN' where id = (select min(id::text)::uuid from payins)") // which nobody reads
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
}
