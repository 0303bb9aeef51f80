package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"causeway/internal/pay"
)

func TestScanTakes(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{}`, `[]`, `null`, `false`, `true`, `0`, `-0`, `-12.50e+3`, `"x"`, ` {"a" : [1, {"b":null}] } ` + "\r\n\t",
		`{"a":{"a":1},"b":{"a":2}}`, `[{"a":1},{"a":1}]`, `{"":1," ":2}`, `"\ud83d\ude00 \u00e9 \\ \/ \" \b\f\n\r\t"`,
		`{"é":1,"e":2}`, `{"ключ":"значение"}`, "\"\u007f\u2028\"", `{"a":"b","b":"a"}`, `{"\u0061":1,"b":2}`,
		strings.Repeat("[", 32) + strings.Repeat("]", 32),
		strings.Repeat(`{"a":`, 32) + "1" + strings.Repeat("}", 32),
		`[` + strings.Repeat("1", 1<<19) + `]`,
	} {
		if err := ScanJSON([]byte(body)); err != nil {
			t.Errorf("%.60q: %v", body, err)
		}
	}
}

func TestScanRefuses(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		``, ` `, `{`, `[`, `"`, `"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `[1`, `[1,`, `{"a":1,}`, `[1,]`, `[,1]`, `{,}`, `]`, `}`, `[}`, `{]`,
		`{"a" 1}`, `{a:1}`, `{1:1}`, `{'a':1}`, `[1 2]`, `{"a":1 "b":2}`, `{"a"::1}`, `[1]]`, `{}{}`, `1 2`, `{} x`, `null,`,
		`nul`, `nulll`, `True`, `NaN`, `Infinity`, `undefined`, `//`, `/**/1`,
		`01`, `+1`, `-`, `1.`, `.5`, `1e`, `1e+`, `0x10`, `1_000`, `--1`, `1.2.3`, `１`, `−1`,
		`"\x"`, `"\`, `"\u12"`, `"\u12g4"`, `"\u0000"`, `{"\u0000":1}`, "\"\x00\"", "\x00", "{}\x00", "\"a\nb\"", "\"\x1f\"",
		`"\ud800"`, `"\udc00"`, `"\ud800x"`, `"\ud800\u0041"`, `"\ud800\ud800"`, `"\udc00\ud800"`, `"\ud800\`,
		"\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xe2\x82\"", "\xef\xbb\xbf{}", "\u00a0{}",
		`{"a":1,"a":2}`, `{"a":1,"A":2}`, `{"a":1,"b":{"c":1,"c":2}}`, `[{"x":1},{"y":1,"y":1}]`, `{"a":1,"\u0061":2}`, `{"\u0041":1,"a":2}`,
		`{"é":1,"É":2}`, `{"k":1,"\u212a":2}`, `{"s":1,"ſ":2}`, `{"":1,"":2}`, `{"😀":1,"\ud83d\ude00":2}`, `{"a\"b":1,"A\u0022B":2}`,
		`{"a":{"b":1},"c":[{"d":1}],"A":0}`, `{"a":{"b":{"c":[{"a":1},{}]},"b":1}}`, `[{"a":1},{"a":{"x":1,"y":{},"x":1}}]`,
		strings.Repeat("[", 33) + strings.Repeat("]", 33),
		strings.Repeat("[", 100_000),
		strings.Repeat(`{"a":`, 100_000),
	} {
		if err := ScanJSON([]byte(body)); codeOf(err) != "json_parse_exception" {
			t.Errorf("%.60q: %v", body, err)
		}
	}
}

// hostile are bodies of one MiB, to cost no more than any other body of this size.
func hostile() map[string][]byte {
	manyKeys := func(key func(i int) string) []byte {
		var out bytes.Buffer
		out.WriteString("{")
		for i := 0; out.Len() < MaxBody-5000; i++ {
			fmt.Fprintf(&out, `%s:0,`, key(i))
		}
		out.WriteString(`"":0}`)
		return out.Bytes()
	}
	return map[string][]byte{
		"one number":    bytes.Repeat([]byte("1"), MaxBody),
		"one string":    []byte(`"` + strings.Repeat(`\u00e9`, MaxBody/6-1) + `"`),
		"blanks":        bytes.Repeat([]byte(" "), MaxBody),
		"depth":         bytes.Repeat([]byte("["), MaxBody),
		"many keys":     manyKeys(func(i int) string { return fmt.Sprintf(`"%x"`, i) }),
		"escaped keys":  manyKeys(func(i int) string { return fmt.Sprintf(`"\u%04x\u%04x"`, 0x4e00+i%0x5000, 0x4e00+i/0x5000) }),
		"long keys":     manyKeys(func(i int) string { return fmt.Sprintf(`"%s%d"`, strings.Repeat("k", 4000), i) }),
		"short keys":    []byte("[" + strings.Repeat(shortKeys(), MaxBody/len(shortKeys())) + "0]"),
		"small objects": []byte("[" + strings.Repeat(`{"a":0},`, MaxBody/8-2) + "0]"),
		"empty lists":   []byte("[" + strings.Repeat(`[],`, MaxBody/3-2) + "0]"),
	}
}

// shortKeys is an object with as many keys for its length as can be, and a comma.
func shortKeys() string {
	var out strings.Builder
	out.WriteString("{")
	for c := '!'; c < 'a'; c++ {
		if c != '"' && c != '\\' {
			fmt.Fprintf(&out, `"%c":0,`, c)
		}
	}
	return out.String() + `"":0},`
}

func TestNoBodyNeedsMuchMemory(t *testing.T) {
	for name, body := range hostile() {
		s := newScanner()
		s.begin(body)
		s.run()
		if n := len(s.keys.slots); n > 1<<18 {
			t.Errorf("%s: %d slots", name, n)
		}
	}
}

func TestScanIsLinearOnHostileBodies(t *testing.T) {
	for name, body := range hostile() {
		start := time.Now()
		err := ScanJSON(body)
		if took := time.Since(start); took > 2*time.Second { // a quadratic scan takes minutes
			t.Errorf("%s: %v", name, took)
		}
		if valid := json.Valid(body) && name != "depth"; valid != (err == nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestScannerForgetsTheBodyBefore(t *testing.T) {
	t.Parallel()
	s := newScanner()
	for range 3 {
		s.begin([]byte(`{"a":1,"b":2}`))
		if problem := s.run(); problem != "" {
			t.Fatal(problem)
		}
	}
	s.begin([]byte(`{"a":{"b":{"c":1},"d":[{"e"`))
	if problem := s.run(); problem == "" || len(s.keys.taken) != 4 { // a, b, d and e; c was given back
		t.Errorf("%q, %d keys are kept", problem, len(s.keys.taken))
	}
	s.begin([]byte(`{"a":{"b":1},"b":2,"e":3}`))
	if problem := s.run(); problem != "" {
		t.Fatal(problem)
	}
	for i, slot := range s.keys.slots {
		if slot != 0 {
			t.Errorf("slot %d still has a key", i)
		}
	}
}

// twins finds the faults for ScanJSON to find with encoding/json: keys differing at most in case, depth, replaced runes.
func twins(d *json.Decoder, depth int) (bad bool, err error) {
	token, err := d.Token()
	if err != nil {
		return false, err
	}
	switch token {
	case json.Delim('{'):
		var seen []string
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return bad, err
			}
			for _, other := range seen {
				bad = bad || strings.EqualFold(other, key.(string))
			}
			seen = append(seen, key.(string))
			inner, err := twins(d, depth+1)
			if bad = bad || inner; err != nil {
				return bad, err
			}
			bad = bad || strings.ContainsRune(key.(string), 0)
		}
		_, err = d.Token()
		return bad || depth >= maxDepth, err
	case json.Delim('['):
		for d.More() {
			inner, err := twins(d, depth+1)
			if bad = bad || inner; err != nil {
				return bad, err
			}
		}
		_, err = d.Token()
		return bad || depth >= maxDepth, err
	}
	text, _ := token.(string)
	return strings.ContainsRune(text, 0), nil
}

func FuzzScanJSON(f *testing.F) {
	for _, body := range []string{
		`{"a":1,"A":2}`, `{"a":{"b":[1,2.5e3,null,true,"x\u00e9"]}}`, `"\ud83d\ude00"`, `"\ud800"`, "\xef\xbb\xbf{}", `{"k":1,"\u212a":2}`,
		`[[[[]]]]`, `{}{}`, `"\u0000"`, `-0.0e-0`, "\"\xff\"", ` [ ] `, `{"\u0061":1,"a":2}`, `{"":0,"":0}`, `nul`, `1.`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		err := ScanJSON(body)
		if !json.Valid(body) {
			if err == nil {
				t.Fatal("took what is not JSON")
			}
			return
		}
		d := json.NewDecoder(bytes.NewReader(body))
		d.UseNumber()
		bad, failed := twins(d, 0)
		if failed != nil && !errors.Is(failed, io.EOF) {
			return
		}
		var again bytes.Buffer // lone surrogates and bad UTF-8 become U+FFFD
		_ = json.NewEncoder(&again).Encode(json.RawMessage(body))
		replaced := bytes.Contains(body, []byte("\uFFFD")) || bytes.Contains(bytes.ToLower(body), []byte(`\ufffd`))
		var value any
		_ = json.Unmarshal(body, &value)
		plain, _ := json.Marshal(value)
		broken := bytes.Contains(plain, []byte("\uFFFD"))
		switch {
		case err == nil && bad:
			t.Fatal("took a twin key, a NUL or a deep body")
		case err == nil && broken && !replaced:
			t.Fatal("took a lone surrogate or bad UTF-8")
		case err != nil && !bad && !broken:
			t.Fatalf("refused a good body: %v", err)
		}
	})
}

func BenchmarkScanPayout(b *testing.B) {
	body := []byte(samplePayout)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if ScanJSON(body) != nil {
			b.Fatal("refused")
		}
	}
}

func BenchmarkScanHostile(b *testing.B) {
	for name, body := range hostile() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				_ = ScanJSON(body)
			}
		})
	}
}

const samplePayout = `{"wallet":"0x52908400098527886E0F7030069857D2E4169EE7","crypto_currency":"USDT","process_by":"crypto_amount",` +
	`"reference_id":"order-000123","network":"erc20","feetakenfromamount":0,"webhook_url":"https://shop.example/hooks/payout",` +
	`"fiat_currency":"USD","crypto_amount":"125.50","customer_info":"customer-77"}`

// codeOf returns the contract's code of an error, "" of another.
func codeOf(err error) string {
	if e, ok := errors.AsType[*pay.Error](err); ok {
		return e.Code
	}
	return ""
}
