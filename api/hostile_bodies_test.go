package api

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

const wholeMiB = 1 << 20

// unreadable are bodies no operation gets to see (addendum §4.10).
func unreadable() map[string]string {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = w.Write([]byte(`{"reference_id":"r"}`))
	_ = w.Close()
	return map[string]string{
		"gzip": zipped.String(), "a BOM": "\xef\xbb\xbf{}", "UTF-16": "\xff\xfe{\x00}\x00", "a form": "reference_id=r&wallet=x",
		"XML": "<payout/>", "blanks": "  \r\n\t",
		"cut in an object": `{"reference_id":"r"`, "cut in a string": `{"reference_id":"r`, "cut in an escape": `{"reference_id":"\u00`,
		"cut in a list": `[{"reference_id":"r"},`, "cut in a word": `{"a":tru`,
		"deep lists":   strings.Repeat("[", 1e5) + strings.Repeat("]", 1e5),
		"deep objects": strings.Repeat(`{"a":`, 1e5) + "1" + strings.Repeat("}", 1e5), "deep and cut": strings.Repeat("[", wholeMiB),
		"deep by one": strings.Repeat("[", 33) + strings.Repeat("]", 33), "a doubled key": `{"a":1,"a":1}`,
		"a case twin": `{"wallet":"x","Wallet":"y"}`, "a folded twin": `{"k":1,"\u212a":1}`,
		"an escaped twin": `{"wallet":1,"\u0077allet":2}`, "a twin within": `{"a":[{"b":{"c":1,"C":2}}]}`, "bad UTF-8": "{\"a\":\"\xff\"}",
		"an overlong NUL":   "{\"a\":\"\xc0\x80\"}",
		"a coded surrogate": "{\"a\":\"\xed\xa0\x80\"}", "a lone high surrogate": `{"a":"\ud800"}`,
		"a lone low surrogate": `{"a":"\udc00"}`, "surrogates turned round": `{"a":"\udc00\ud800"}`,
		"a NUL": "{\"a\":\"\x00\"}", "an escaped NUL": `{"a":"\u0000"}`, "a NUL in a key": `{"\u0000":1}`, "a NUL at the end": "{}\x00",
		"two values": `{}{}`, "a value and a word": `{} x`, "a comma at the end": `{"a":1,}`,
		"a comment": `{"a":1}//`, "single quotes": `{'a':1}`, "NaN": `{"a":NaN}`, "Infinity": `{"a":-Infinity}`, "hex": `{"a":0x10}`,
		"a plus": `{"a":+1}`, "a nought before": `{"a":01}`, "a dot behind": `{"a":1.}`,
		"full width": `{"a":１}`, "a line in a string": "{\"a\":\"\n\"}", "a MiB of blanks": strings.Repeat(" ", wholeMiB),
		"a MiB of one key twice": `{"` + strings.Repeat("k", wholeMiB/2-8) + `":1,"` + strings.Repeat("K", wholeMiB/2-8) + `":1}`,
	}
}

// odd are bodies in JSON of no use to any operation.
func odd() map[string]string {
	return map[string]string{
		"null": `null`, "false": `false`, "true": `true`, "0": `0`, "a string": `"x"`, "an empty object": `{}`, "an empty list": `[]`,
		"lists": `[[]]`, "a list of null": `[null]`, "a list of empty": `[{}]`,
		"a mixed list": `[{},1,"x",null,[]]`, "50 empty": "[" + strings.Repeat("{},", 49) + "{}]",
		"51 empty":    "[" + strings.Repeat("{},", 50) + "{}]",
		"10^6 digits": strings.Repeat("9", 1e6), "10^6 digits in a field": `{"crypto_amount":` + strings.Repeat("9", 1e6) + `}`,
		"10^6 digits in text": `{"fiat_amount":"` + strings.Repeat("9", 1e6) + `"}`,
		"a huge exponent":     `{"crypto_amount":1e1000000000,"expires_at":1E+999999999}`,
		"a MiB of text":       `{"webhook_url":"` + strings.Repeat("x", wholeMiB-20) + `"}`,
		"a MiB of escapes":    `{"reference_id":"` + strings.Repeat(`\u00e9`, wholeMiB/6-4) + `"}`,
		"a MiB of lists":      "[" + strings.Repeat("[],", wholeMiB/3-2) + "0]",
		"a MiB of objects":    "[" + strings.Repeat(`{"wallet":0},`, wholeMiB/13-1) + "0]", "a MiB of keys": countlessKeys(`"%x":0,`),
		"a list of a MiB of keys": "[" + countlessKeys(`"%x":0,`) + "]",
		"a MiB of coded keys":     countlessKeys(`"%%6%x\u0064":0,`),
		"keys before":             `{"x":` + countlessKeys(`"%x":0,`) + `,"webhook_url":"https://hooks.test/x"}`,
		"depth 32":                strings.Repeat("[", 32) + strings.Repeat("]", 32),
		"proto":                   `{"__proto__":{"wallet":"x"},"constructor":1}`, "unknown names": `{"\u202e":1,"":2," ":3}`,
	}
}

// spared keeps large bodies from most operations where the race detector makes them slow.
func spared(r *Route, body string) bool {
	return raceDetector && len(body) > 64<<10 && r.Path != "/v1/balances" && r.Path != "/v1/payin" && r.Path != "/v1/payout"
}

// million is the length of a field made hostile by its length alone; less under the slow race detector.
func million() int {
	if raceDetector {
		return 50_000
	}
	return 1_000_000
}

// countlessKeys is an object of somewhat less than a MiB with as many members of a form as go into it.
func countlessKeys(form string) string {
	var out strings.Builder
	out.WriteString("{")
	for i := 0; out.Len() < wholeMiB-64; i++ {
		fmt.Fprintf(&out, form, i)
	}
	return out.String() + `"":0}`
}

func TestHostileUnreadableBodies(t *testing.T) {
	bodies := unreadable()
	everyRoute(t, func(f *hostileFront, r *Route) {
		target := f.orders(r).target
		for name, body := range bodies {
			if spared(r, body) {
				continue
			}
			f.wants(f.send(name, f.asked(r.Method, target, body)), http.StatusBadRequest, "json_parse_exception")
		}
		f.wants(f.send("gzip, as it says", f.asked(r.Method, target, bodies["gzip"], "Content-Encoding", "gzip")), http.StatusBadRequest,
			"json_parse_exception")
		f.wants(f.send("too large", f.asked(r.Method, target, `"`+strings.Repeat("x", wholeMiB)+`"`)), http.StatusRequestEntityTooLarge,
			"request_too_large")
		for name, s := range map[string]sent{
			"more was promised":    {body: `{}`, length: "Content-Length: 3"},
			"a chunk is missing":   {body: "2\r\n{}\r\n", length: "Transfer-Encoding: chunked"},
			"a chunk is no number": {body: "zz\r\n{}\r\n0\r\n\r\n", length: "Transfer-Encoding: chunked"},
			"chunks of one byte":   {body: strings.Repeat("1\r\n[\r\n", 1e4) + "0\r\n\r\n", length: "Transfer-Encoding: chunked"},
		} {
			s.method, s.target, s.headers = r.Method, target, []string{"X-Service-Invoke", f.key}
			f.wants(f.send(name, s), http.StatusBadRequest, "json_parse_exception")
		}
		large := sent{method: r.Method, target: target, headers: []string{"X-Service-Invoke", f.key}, length: "Transfer-Encoding: chunked"}
		large.body = fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", 2*wholeMiB, strings.Repeat(" ", 2*wholeMiB))
		f.wants(f.send("too large in chunks", large), http.StatusRequestEntityTooLarge, "request_too_large")
	})
}

func TestHostileOddBodies(t *testing.T) {
	bodies := odd()
	everyRoute(t, func(f *hostileFront, r *Route) {
		o := f.orders(r)
		for name, body := range bodies {
			if spared(r, body) {
				continue
			}
			a := f.send(name, f.asked(r.Method, o.target, body))
			if o.fields == nil && a.status > http.StatusCreated { // a GET has no use for a body, nor a redelivery
				t.Errorf("%s %s, %s: %d %s", r.Method, r.Path, name, a.status, a.text)
			}
			if o.fields != nil && a.status != http.StatusBadRequest && name != "keys before" {
				t.Errorf("%s %s, %s: %d %s", r.Method, r.Path, name, a.status, a.text)
			}
		}
	})
}

// values are given to a field instead of fitting ones.
func values() []string {
	return []string{
		`true`, `false`, `0`, `-0`, `-1`, `1.5`, `1e3`, `1e1000000000`, `9223372036854775808`, strings.Repeat("9", million()), `[]`, `[1]`,
		`{}`, `{"a":{"b":[]}}`,
		`""`, `" "`, `"\t"`, `"\u00a0"`, `"\u200b"`, `"\u202e"`, `"\ufeff"`, `"\u0001"`, `"\u007f"`, `"\\u0000"`, `"\uffff"`,
		`"\ud83d\ude00"`, `"null"`, `"'"`, `"\""`, `"\\"`, `"'; drop table payouts; --"`, `"' or ''='"`,
		`"$1 ?0 ?TableAlias %s %d %n"`, `"$$a$$"`, `"{{.}}"`, `"<script>alert(1)</script>"`, `"../../../../etc/passwd"`,
		`"\r\nSet-Cookie: a=b"`, `"%00"`, `"1970-01-01"`, `"NaN"`, `"Infinity"`,
		quote(strings.Repeat("x", 10_000)), quote(strings.Repeat("x", million())), quote(strings.Repeat("é",
			255)), quote(strings.Repeat("\U0001F600", 256)), `"` + strings.Repeat(`\u0301`, 5000) + `"`,
		`"https://hooks.test/\u0000"`, // the last is not readable at all
	}
}

// Every field of every body takes every value, alone and in a list, and whatever was taken is answered as it was sent.
func TestHostileFields(t *testing.T) {
	everyRoute(t, func(f *hostileFront, r *Route) {
		for name := range f.orders(r).fields {
			for _, raw := range values() {
				o := f.orders(r)
				what := fmt.Sprintf("%s is %.40s", name, raw)
				a := f.send(what, f.asked(r.Method, o.target, o.body(name, raw)))
				if name == "reference_id" && a.status == http.StatusOK {
					f.repeats(a, raw)
				}
				if r.Path == "/v1/payout" {
					f.send("listed "+what, f.asked(r.Method, o.target,
						batchOf(o.body(name, raw), o.body("reference_id", fmt.Sprintf(`"second-%06d"`, f.serial)))))
				}
			}
		}
	})
}

// repeats wants an answer to name the reference sent.
func (f *hostileFront) repeats(a answer, raw string) {
	f.t.Helper()
	want := raw
	if raw[0] == '"' && json.Unmarshal([]byte(raw), &want) != nil {
		f.t.Fatalf("%.40s was taken", raw)
	}
	r := decodeReply(f.t, a.text)
	payout, payin, refund := r.at("results.0.reference_id"), r.at("data.reference_id"), r.at("refund.reference_id")
	if payout != want && payin != strings.TrimSpace(want) && refund != strings.TrimSpace(want) {
		f.t.Errorf("%.40q is answered as %.200s", want, a.text)
	}
}

// No string can be given a NUL, a lone surrogate or anything else than UTF-8.
func TestHostileCharactersInEveryString(t *testing.T) {
	everyRoute(t, func(f *hostileFront, r *Route) {
		for name := range f.orders(r).fields {
			for _, raw := range []string{`"\u0000"`, `"a\u0000b"`, "\"a\x00\"", "\"\xff\"", "\"a\xc0\x80\"", `"\ud800"`, `"\udfff x"`,
				"\"\xed\xb0\x80\"", "\"a\nb\""} {
				o := f.orders(r)
				f.wants(f.send(name+" is "+raw, f.asked(r.Method, o.target, o.body(name, raw))), http.StatusBadRequest, "json_parse_exception")
			}
		}
	})
}
