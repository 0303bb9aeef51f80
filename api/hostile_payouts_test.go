package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/pg"
	"causeway/internal/proof/contract"
)

// pays returns the result of a payout to an address: invalid_format, or "" when only the balance stood in the way.
func (f *hostileFront) pays(t *pay.Token, wallet string) string {
	f.t.Helper()
	f.serial++
	body := item("", "reference_id", fmt.Sprintf(`"paid-%06d"`, f.serial), "crypto_currency", quote(t.Symbol), "network", quote(t.Network),
		"crypto_amount", `"1000000000"`, "wallet", jsonText(wallet), "memo", `"12345678"`)
	a := f.send(t.Network+" to "+wallet, f.asked(http.MethodPost, "/v1/payout", body))
	if a.body.Error.Code == errInsufficientTotal.Code {
		return ""
	}
	code, _ := decodeReply(f.t, a.text).at("results.0.error.code").(string)
	return code
}

// oneTokenOf returns a token of each network.
func (f *hostileFront) oneTokenOf() map[string]*pay.Token {
	f.t.Helper()
	catalogue, err := f.store.Catalogue(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	out := map[string]*pay.Token{}
	for i := range catalogue.Tokens {
		out[catalogue.Tokens[i].Network] = &catalogue.Tokens[i]
	}
	return out
}

func TestHostileDestinations(t *testing.T) {
	contract.Covers(t, "addendum §13: An EVM address in mixed case")
	f := newHostileFront(t)
	defer f.close()
	// Forms shared by two families: a destination of the one can be paid to on the other.
	shared := map[pay.Family][]pay.Family{pay.Bitcoin: {pay.BitcoinSV}, pay.BitcoinCash: {pay.BitcoinSV}}
	tokens := f.oneTokenOf()
	for _, on := range f.networks.All() {
		token := tokens[on.Name]
		if token == nil {
			t.Errorf("%s has no token", on.Name)
			continue
		}
		good := addressOn(t, f, on.Name)
		if code := f.pays(token, good); code != "" {
			t.Errorf("%s to %s: %s", on.Name, good, code)
		}
		bad := map[string]string{"the hot wallet": on.Hot, "cut": good[:len(good)-1], "longer": good + "1",
			"a space within": good[:9] + " " + good[9:], "a letter of another script": good[:9] + "а" + good[10:]}
		if on.Family != pay.Solana { // its addresses have no checksum
			bad["a wrong checksum"] = otherCase(good)
		}
		for _, of := range f.networks.All() {
			if of.Family != on.Family && !slices.Contains(shared[on.Family], of.Family) {
				bad["an address of "+of.Name] = addressOn(t, f, of.Name)
			}
		}
		for what, wallet := range bad {
			if code := f.pays(token, wallet); code != errWalletFormat.Code {
				t.Errorf("%s to %s, %s: %q", on.Name, wallet, what, code)
			}
		}
	}
}

// otherCase makes a change for a checksum to find: the case of a letter where case counts, else a character.
func otherCase(address string) string {
	at := len(address) - 1
	for i := at; i > 2 && strings.HasPrefix(address, "0x"); i-- {
		if c := address[i]; c >= 'a' && c <= 'f' {
			return address[:i] + strings.ToUpper(address[i:i+1]) + address[i+1:]
		}
	}
	last := byte('q')
	if address[at] == last {
		last = 'p'
	}
	return address[:at] + string(last)
}

func TestHostileContractsAndNobodys(t *testing.T) {
	f := newHostileFront(t)
	defer f.close()
	catalogue, err := f.store.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tokens := f.oneTokenOf()
	for i := range catalogue.Tokens {
		contract := catalogue.Tokens[i].Contract
		network := catalogue.Tokens[i].Network
		for _, wallet := range []string{contract, strings.ToLower(contract)} {
			if contract == "" || wallet != contract && !strings.HasPrefix(contract, "0x") {
				continue
			}
			if code := f.pays(tokens[network], wallet); code != errWalletFormat.Code {
				t.Errorf("%s to the contract %s: %q", network, wallet, code)
			}
		}
	}
	for network, wallet := range map[string]string{
		"Ethereum": "0x" + strings.Repeat("0", 40), "Base": "0x" + strings.Repeat("0", 40), "Tron": "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb",
		"Solana": strings.Repeat("1", 32), "Ripple": "rrrrrrrrrrrrrrrrrrrrrhoLvTp", "TON": "UQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAJKZ",
	} {
		if code := f.pays(tokens[network], wallet); code != errWalletFormat.Code {
			t.Errorf("%s to nobody's %s: %q", network, wallet, code)
		}
	}
}

// One reference in several spellings: text and number are the same, and a space makes another.
func TestHostileReferencesOfABatch(t *testing.T) {
	f := newHostileFront(t)
	defer f.close()
	raws := []string{`77`, `"77"`, `" 77"`, `"77 "`, `"077"`, `"77.0"`, `"\u0037\u0037"`, `77`, `-77`, `"-77"`, `"７７"`}
	var items []string
	for _, raw := range raws {
		items = append(items, item("", "reference_id", raw))
	}
	a := f.send("spellings", f.asked(http.MethodPost, "/v1/payout", batchOf(items...)))
	r := decodeReply(t, a.text)
	for i, created := range []bool{true, false, true, true, true, true, false, false, true, false, true} {
		path := fmt.Sprintf("results.%d.", i)
		if got := r.at(path+"status") == "created"; got != created || !created && r.at(path+"error.code") != errRepeated.Code {
			t.Errorf("%s: %v", raws[i], r.at(fmt.Sprintf("results.%d", i)))
		}
	}
	if a.status != http.StatusMultiStatus {
		t.Errorf("%d", a.status)
	}
}

// A balance equal to the cost of payouts is spent to zero; a unit less is not enough, and nothing is taken.
func TestHostileExactBalances(t *testing.T) {
	f := newHostileFront(t)
	defer f.close()
	f.exec("update merchants set payment_rate = 1.234567")
	left := func() (available string) {
		if err := f.db.NewRaw("select available from balances where merchant_id = ? and asset = 'USDT'", f.merchant).
			Scan(t.Context(), &available); err != nil {
			t.Fatal(err)
		}
		return available
	}
	set := func(amount string) { f.exec("update balances set available = ? where asset = 'USDT'", amount) }
	const debit = "12.123456" // 10, a rate fee of 0.1234567 cut to 6 decimals, a network fee of 2
	set("12.123455")
	a := f.send("a unit short", f.asked(http.MethodPost, "/v1/payout", item("short-00001")))
	if code := decodeReply(t, a.text).at("results.0.error.code"); code != errInsufficient.Code || left() != "12.12345500" {
		t.Errorf("%v, %s left", code, left())
	}
	set(debit)
	f.post("/v1/payout", item("exact-00001"))
	if left() != "0.00000000" {
		t.Errorf("%s is left", left())
	}
	set("24.246911")
	a = f.send("a unit short for two", f.asked(http.MethodPost, "/v1/payout", batchOf(item("two-000001"), item("two-000002"))))
	r := decodeReply(t, a.text)
	if a.status != http.StatusMultiStatus || r.at("results.0.status") != "created" ||
		r.at("results.1.error.code") != errInsufficient.Code || left() != "12.12345500" {
		t.Errorf("%s; %s left", a.text, left())
	}
	set("19.999999")
	a = f.send("a unit short in sum", f.asked(http.MethodPost, "/v1/payout", batchOf(item("sum-000001"), item("sum-000002"))))
	if a.is(t, 400, errInsufficientTotal.Code); left() != "19.99999900" {
		t.Errorf("%s is left", left())
	}
}

// The daily limit is of the UTC day: its last microsecond is full, and the first one after has the whole limit again. A
// settable clock replaces the database's.
func TestHostileMidnight(t *testing.T) {
	t.Parallel()
	template := testkit.DB(t)
	for _, statement := range []string{
		"create schema clock", "create table clock.hands (moment timestamptz)", "insert into clock.hands values (now())",
		"create function clock.now() returns timestamptz language sql stable as 'select moment from clock.hands'",
		"do $$ begin execute format('alter database %I set search_path = clock, pg_catalog, public', current_database()); end $$",
	} {
		if _, err := template.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	db, err := pg.Open(testkit.DSN(t), 4)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s := newShop(t, on(db))
	s.fund(s.merchant, "USDT", "1000")
	s.exec(`update keys set daily_limit_usd = 100 where id = ?`, s.keyID)
	for i, c := range []struct{ moment, amount, code string }{
		{"2026-03-01 23:59:59.999998+00", "98", ""},
		{"2026-03-01 23:59:59.999999+00", "1", "daily_payout_limit_exceeded"},
		{"2026-03-02 00:00:00+00", "98", ""},
		{"2026-03-02 00:00:00.000001+00", "1", "daily_payout_limit_exceeded"},
		{"2026-03-02 02:59:59.999999+00", "1", "daily_payout_limit_exceeded"}, // still the day before in UTC-03:00: it does not matter
		{"2026-03-02 03:00:00+00", "1", "daily_payout_limit_exceeded"},
		{"2026-03-03 00:00:00+00", "98", ""},
	} {
		s.exec("update clock.hands set moment = ?", c.moment)
		a := s.payOut(item(fmt.Sprintf("midnight-%d", i), "crypto_amount", quote(c.amount)))
		if code, _ := decodeReply(t, a.text).at("results.0.error.code").(string); code != c.code {
			t.Errorf("%s at %s: %s", c.amount, c.moment, a.text)
		}
	}
}
