package api

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"causeway/internal/store"
)

// asParameter are values for a query parameter or a reference, still percent-encoded.
func asParameter() []string {
	return []string{
		"", "0", "-0", "-1", "%2B1", "1.5", "1e3", "0x10", "abc", "9223372036854775807", "9223372036854775808", "-9223372036854775809",
		strings.Repeat("9", 6000),
		"%00", "a%00b", "%FF", "%C0%80", "%ED%A0%80", "%EF%BB%BF", "%E2%80%AE", "%20", "+", "%0d%0aX:%20y", "%zz", "%", "%%", "%25", "_",
		"%27", "%27%20or%20%27%27=%27",
		"1;drop%20table%20payouts", "%27;drop%20table%20payouts;--", "%22", "%5C", "%5C%27", "$1", "?0", "%3F0", "%3FTableAlias", "{{.}}",
		"null", "true", "NaN", "Infinity", "..%2F..%2Fetc%2Fpasswd",
		"2026-02-30", "2026-13-01", "0000-01-01", "0001-01-01", "9999-12-31", "10000-01-01", "-001-01-01", "2026-1-1",
		"2026-01-01T00:00:00Z", "infinity", "%EF%BC%91", "%E2%88%921",
		strings.Repeat("x", 6000), strings.Repeat("%C3%A9", 2000), strings.Repeat("%F0%9F%98%80",
			255), "USDT", "Tron", "pending", "PENDING", "evm", "in", "DEPOSIT",
	}
}

// Every filter of every operation takes every value, once, twice and under a name of another kind.
func TestHostileQueries(t *testing.T) {
	everyRoute(t, func(f *hostileFront, r *Route) {
		if f.calm = true; r.Method != http.MethodGet {
			return
		}
		base, given, _ := strings.Cut(f.orders(r).target, "?")
		names := []string{"unknown"}
		for _, p := range r.Doc.Params {
			if p.In == "" || p.In == "query" {
				names = append(names, p.Name)
			}
		}
		for _, name := range names {
			for _, value := range asParameter() {
				f.sentTo(r.Method, base+"?"+name+"="+value+"&"+given, "")
			}
			for _, query := range []string{name, name + "[]=1", name + "[a]=1", name + "=1&" + name + "=2", name + "=1;" + name + "=2",
				strings.ToUpper(name) + "=1", "&&=&" + name + "&=x", name + "%00=1"} {
				f.sentTo(r.Method, base+"?"+query+"&"+given, "")
			}
		}
		many := strings.Repeat("a=b&", 4000)
		f.send("thousands of parameters", f.asked(r.Method, base+"?"+many+given, ""))
	})
}

// A parameter's value is only ever compared with stored ones.
func TestHostileReferences(t *testing.T) {
	everyRoute(t, func(f *hostileFront, r *Route) {
		found := pathParameter.FindString(r.Path)
		if f.calm = true; found == "" {
			return
		}
		base, rest, _ := strings.Cut(r.Path, found)
		for _, value := range append(asParameter(), strings.Repeat("x", 9), strings.Repeat("x", 756), strings.Repeat("x", 757),
			strings.Repeat("%C3%A9", 756),
			strings.ToUpper(f.payout), "{"+f.payout+"}", "urn:uuid:"+f.payout, strings.ReplaceAll(f.payout, "-",
				""), f.payout+"%20", f.payout+"%00", uuid.Nil.String(), uuid.Max.String()) {
			a := f.sentTo(r.Method, base+value+rest, "")
			if found := a.status == http.StatusOK; found && value != strings.ToUpper(f.payout) {
				t.Errorf("%s%.60s: %s", base, value, a.text)
			}
		}
	})
}

// A reference made of metacharacters is found by itself alone.
func TestHostileReferencesAreFoundAgain(t *testing.T) {
	f := newHostileFront(t)
	defer f.close()
	references := []string{`%%%%%%%%%%`, `__________`, `'; drop table payins; --`, `?0 ?1 ?TableAlias`, `$1 $2 $3 $4`, `\' or 1=1 --`,
		strings.Repeat("\\", 12), `{"a":"b"} []`, `100%25 of it`,
		"line\nline\tline", "\u202egnirts a si", "\u00e9 is not e\u0301", strings.Repeat("\U0001F600", 255), `a+b&c=d#e/f?g`, `"quoted" twice`}
	for _, reference := range references {
		f.post("/v1/payin", with(aPayin, "reference_id", jsonText(reference)))
		f.post("/v1/payout", item("", "reference_id", jsonText(reference)))
	}
	for _, reference := range references {
		for _, list := range []string{"/v1/list-payin", "/v1/list-payout", "/v1/statements"} {
			a := f.send("found again", f.asked(http.MethodGet, list+"?reference_id="+url.QueryEscape(reference), ""))
			want := 1.0
			if list == "/v1/statements" {
				want = 2 // the payout and its fee
			}
			if got := decodeReply(t, a.text).at("meta.total"); got != want {
				t.Errorf("%s of %q: %v", list, reference, got)
			}
		}
		a := f.send("checked", f.asked(http.MethodGet, "/v1/check-payin/"+url.PathEscape(reference), ""))
		if got := decodeReply(t, a.text).at("deposit.reference_id"); got != reference {
			t.Errorf("check-payin of %q: %d %v", reference, a.status, got)
		}
	}
}

func jsonText(text string) string {
	body, _ := encode(text)
	return string(body)
}

// Another merchant's row is answered as a missing one: the same words, the same statements and no more time.
func TestHostileForeignReferences(t *testing.T) {
	f := newHostileFront(t)
	defer f.close()
	deposit := f.send("own", f.asked(http.MethodGet, "/v1/check-payin/payin-0000", ""))
	payin := decodeReply(t, deposit.text).at("deposit.internal_reference").(string)
	_, f.key = f.newKey()
	counted := &statements{}
	deps := f.deps
	*f.store = *store.New(f.db.WithQueryHook(counted))
	f.front = New(deps)
	for base, foreign := range map[string]string{"/v1/check-payout/": f.payout, "/v1/check-payin/": payin, "/v1/check-payin": "/payin-0000"} {
		unknown := uuid.Must(uuid.NewV7()).String()
		if foreign == "/payin-0000" {
			unknown = "/payin-9999"
		}
		var took [2][]time.Duration
		var texts [2]string
		var queries [2]int32
		for range 150 {
			for i, reference := range []string{foreign, unknown} {
				before, start := counted.n.Load(), time.Now()
				a, _ := f.serve(f.asked(http.MethodGet, base+reference, ""))
				took[i], queries[i] = append(took[i], time.Since(start)), counted.n.Load()-before
				if texts[i] = a.text; a.status != http.StatusNotFound {
					t.Fatalf("%s%s: %d %s", base, reference, a.status, a.text)
				}
			}
		}
		if texts[0] != texts[1] || queries[0] != queries[1] {
			t.Errorf("%s: %s after %d statements, of nobody %s after %d", base, texts[0], queries[0], texts[1], queries[1])
		}
		if a, b := median(took[0]), median(took[1]); a > 2*b || b > 2*a {
			t.Errorf("%s: another's takes %v, nobody's %v", base, a, b)
		}
	}
}

func median(all []time.Duration) time.Duration {
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	return all[len(all)/2]
}

// Filters of days are read in UTC-03:00: a day begins at 03:00:00 UTC and its last moment is before the next one's.
func TestHostileDatesAtTheEdges(t *testing.T) {
	f := newHostileFront(t)
	defer f.close()
	for i, moment := range []string{"2026-03-01 02:59:59.999999+00", "2026-03-01 03:00:00+00", "2026-03-02 02:59:59.999999+00",
		"2026-03-02 03:00:00+00"} {
		reference := fmt.Sprintf("edge-%05d", i)
		f.post("/v1/payin", with(aPayin, "reference_id", quote(reference)))
		f.post("/v1/payout", item(reference))
		for _, table := range []string{"payins", "payouts"} {
			f.exec("update "+table+" set created_at = ? where reference_id = ?", moment, reference)
		}
	}
	for _, list := range []string{"/v1/list-payin", "/v1/list-payout"} {
		for query, want := range map[string][]string{
			"date_from=2026-03-01&date_to=2026-03-01": {"edge-00001", "edge-00002"},
			"date_from=2026-02-28&date_to=2026-02-28": {"edge-00000"},
			"date_from=2026-03-02&date_to=2026-03-02": {"edge-00003"},
			"date_to=2026-03-01":                      {"edge-00000", "edge-00001", "edge-00002"},
		} {
			a := f.send("edges", f.asked(http.MethodGet, list+"?"+query, ""))
			r := decodeReply(t, a.text)
			var got []string
			for _, row := range append(r.list("deposits"), r.list("payments")...) {
				got = append(got, row.(map[string]any)["reference_id"].(string))
			}
			slices.Sort(got)
			if !slices.Equal(got, want) || r.at("meta.total") != float64(len(want)) {
				t.Errorf("%s?%s: %v of %v, want %v", list, query, got, r.at("meta.total"), want)
			}
		}
	}
}
