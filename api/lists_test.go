package api

import (
	"math"
	"net/url"
	"testing"
	"time"

	"causeway/internal/proof/contract"
)

var testStatuses = map[string][]string{"pending": {"queued", "sent"}, "completed": {"completed"}}

// The rules and codes are those of api-v1 §GET /v1/list-payout and addendum §10.
func TestReadListingRefuses(t *testing.T) {
	t.Parallel()
	for query, code := range map[string]string{
		"page=-1":                                    "invalid_page_number",
		"page=-99999999999999999999":                 "invalid_page_number",
		"per_page=-1":                                "invalid_per_page_limit",
		"per_page=101":                               "invalid_per_page_limit",
		"per_page=9223372036854775808":               "invalid_per_page_limit",
		"status=refunded":                            "invalid_status_filter",
		"status=pending%20":                          "invalid_status_filter",
		"network=tron":                               "invalid_network_filter",
		"network=TRC20":                              "invalid_network_filter",
		"network=Tron%00":                            "invalid_network_filter",
		"date_from=2026-02-30":                       "invalid_date_from",
		"date_from=2026-1-05":                        "invalid_date_from",
		"date_from=0000-01-01":                       "invalid_date_from",
		"date_from=2026-01-05T00:00:00":              "invalid_date_from",
		"date_to=05/01/2026":                         "invalid_date_to",
		"date_from=2026-01-06&date_to=2026-01-05":    "invalid_date_to",
		"page=-1&per_page=101&status=x&network=nope": "invalid_page_number",
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := readListing(q.Get, testStatuses); codeOf(err) != code {
			t.Errorf("%s: %v, want %s", query, err, code)
		}
	}
}

func TestReadListingPages(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §13: A page number or page size")
	for query, want := range map[string][2]int{
		"":                         {1, 50},
		"page=0&per_page=0":        {1, 50},
		"page=abc&per_page=1e2":    {1, 50},
		"page=2&per_page=100":      {2, 100},
		"page=1.5&per_page=%2B7":   {1, 50},
		"page=-1.5&per_page=101.5": {1, 50},
		"page=9223372036854775808": {math.MaxInt32, 50},
	} {
		q, _ := url.ParseQuery(query)
		l, err := readListing(q.Get, testStatuses)
		if err != nil || l.Page != want[0] || l.PerPage != want[1] {
			t.Errorf("%s: page %d of %d, %v; want %v", query, l.Page, l.PerPage, err, want)
		}
	}
}

// A day in UTC-03:00 begins and ends at 03:00 UTC.
func TestReadListingDates(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §General conventions: 3")
	q, _ := url.ParseQuery("date_from=2026-03-01&date_to=2026-03-01")
	l, err := readListing(q.Get, testStatuses)
	if err != nil {
		t.Fatal(err)
	}
	from, until := time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC), time.Date(2026, 3, 2, 3, 0, 0, 0, time.UTC)
	if !l.From.Equal(from) || !l.Until.Equal(until) {
		t.Errorf("from %v until %v, want %v and %v", l.From, l.Until, from, until)
	}
}

func TestReadListingMeta(t *testing.T) {
	t.Parallel()
	q, _ := url.ParseQuery("status=PENDING&network=Tron&crypto_currency=USDT&reference_id=r-1&date_from=2026-01-01&page=2&per_page=3")
	l, err := readListing(q.Get, testStatuses)
	if err != nil {
		t.Fatal(err)
	}
	m := l.meta(7)
	if m.CurrentPage != 2 || m.PerPage != 3 || m.Total != 7 || m.TotalPages != 3 {
		t.Errorf("meta %+v", m)
	}
	if len(l.Statuses) != 2 || l.Token != "USDT" || l.Reference != "r-1" {
		t.Errorf("filter %+v", l.Filter)
	}
	want := map[string]string{"status": "pending", "network": "Tron", "crypto_currency": "USDT", "reference_id": "r-1"}
	if len(m.Filters) != len(want) {
		t.Errorf("filters %v", m.Filters)
	}
	for name, value := range want {
		if m.Filters[name] != value {
			t.Errorf("filter %s is %q", name, m.Filters[name])
		}
	}
}
