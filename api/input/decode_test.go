package input

import (
	"encoding/json"
	"errors"
	"maps"
	"math/big"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/proof/contract"
)

func objectFrom(t testing.TB, text string) Object {
	t.Helper()
	o, ok := ObjectIn([]byte(text))
	if !ok {
		t.Fatalf("not an object: %s", text)
	}
	return o
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"addendum §6: An amount has at most 30", "addendum §6: Zero in any spelling", "addendum §6: No amount is ever a float")
	nines := strings.Repeat("9", 30)
	for raw, want := range map[string]Found{
		`1`: Given, `"1"`: Given, `0.5`: Given, `"12.50"`: Given, `"00001"`: Given, `"\u0031"`: Given,
		`"` + nines + "." + nines + `"`: Given, nines + "." + nines: Given,
		`0`: Zero, `"0"`: Zero, `"0.000"`: Zero, `"000"`: Zero, `0.0`: Zero,
		`null`: Absent,
		`-1`:   Wrong, `"-1"`: Wrong, `"+1"`: Wrong, `" 1"`: Wrong, `"1 "`: Wrong, `".5"`: Wrong, `"5."`: Wrong, `1e3`: Wrong, `"1e3"`: Wrong,
		`1E3`: Wrong, `1e1000000000`: Wrong, `"0x10"`: Wrong, `"1_000"`: Wrong, `"1,5"`: Wrong, `"NaN"`: Wrong, `"Infinity"`: Wrong,
		`"−1"`: Wrong, `"１"`: Wrong, `-0`: Wrong, `true`: Wrong, `false`: Wrong, `[]`: Wrong, `[1]`: Wrong, `{}`: Wrong, `""`: Wrong, `"1\n"`: Wrong,
		`"1` + nines + `"`: Wrong, `1` + nines: Wrong, `"0.` + nines + `9"`: Wrong, `"0` + nines + `"`: Wrong,
		strings.Repeat("9", 1_000_000): Wrong, `"` + strings.Repeat("9", 1_000_000) + `"`: Wrong,
	} {
		amount, found := objectFrom(t, `{"a":`+raw+`}`).Amount("a")
		if found != want {
			t.Errorf("%.40s: found %d, want %d", raw, found, want)
		}
		if found != Given && !amount.IsZero() {
			t.Errorf("%.40s: an amount of %s beside %d", raw, amount, found)
		}
	}
	if amount, _ := objectFrom(t, `{"a":12.345678901234567890}`).Amount("a"); amount.String() != "12.34567890123456789" {
		t.Errorf("digits lost: %s", amount)
	}
	if _, found := objectFrom(t, `{}`).Amount("a"); found != Absent {
		t.Error("an absent amount was found")
	}
}

func FuzzAmount(f *testing.F) {
	for _, text := range []string{"1", "0.10", "00001", "1e3", "-1", " 1", "１", ".5", "5.", "1_0", strings.Repeat("9", 31),
		"0." + strings.Repeat("1", 31), "\x001"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		amount, found := AmountIn(text)
		if found != Given {
			return
		}
		want, ok := new(big.Rat).SetString(text)
		if !ok || amount.Rat().Cmp(want) != 0 || want.Sign() <= 0 {
			t.Fatalf("%q became %s", text, amount)
		}
		if strings.Trim(text, "0123456789.") != "" || len(text) > longestAmount || amount.Exponent() < -30 {
			t.Fatalf("%q was taken", text)
		}
	})
}

func TestScalarFieldsByJSONType(t *testing.T) {
	t.Parallel()
	type row struct {
		raw                     string
		text, ref, integer, bit Found
	}
	for _, r := range []row{
		{`"x"`, Given, Given, Wrong, Wrong},
		{`"1"`, Given, Given, Wrong, Given},
		{`1`, Wrong, Given, Given, Given},
		{`0`, Wrong, Given, Given, Given},
		{`-5`, Wrong, Given, Given, Wrong},
		{`2`, Wrong, Given, Given, Wrong},
		{`1.5`, Wrong, Wrong, Wrong, Wrong},
		{`1e3`, Wrong, Wrong, Wrong, Wrong},
		{`9223372036854775808`, Wrong, Given, Wrong, Wrong},
		{`true`, Wrong, Wrong, Wrong, Wrong},
		{`{}`, Wrong, Wrong, Wrong, Wrong},
		{`[]`, Wrong, Wrong, Wrong, Wrong},
		{`null`, Absent, Absent, Absent, Absent},
	} {
		o := objectFrom(t, `{"a": `+r.raw+` }`)
		_, text := o.Text("a")
		_, ref := o.TextOrInteger("a")
		_, integer := o.Integer("a")
		_, bit := o.Bit("a")
		if got := (row{r.raw, text, ref, integer, bit}); got != r {
			t.Errorf("got %v, want %v", got, r)
		}
	}
	o := objectFrom(t, `{"a":"\u00e9\n","b":12345678901234567890,"c":"1","A":7}`)
	if text, _ := o.Text("a"); text != "é\n" {
		t.Errorf("text %q", text)
	}
	if ref, _ := o.TextOrInteger("b"); ref != "12345678901234567890" {
		t.Errorf("reference %q", ref)
	}
	if on, _ := o.Bit("c"); !on {
		t.Error("bit is off")
	}
	if n, _ := o.Integer("A"); n != 7 {
		t.Errorf("integer %d", n)
	}
}

func TestListAndObjectBodies(t *testing.T) {
	t.Parallel()
	if items, ok := ListIn([]byte(" \n[1, {\"a\":2}]")); !ok || len(items) != 2 || string(items[1]) != `{"a":2}` {
		t.Errorf("list = %s, %v", items, ok)
	}
	for _, raw := range []string{``, ` `, `null`, `1`, `"x"`, `{}`} {
		if _, ok := ListIn([]byte(raw)); ok {
			t.Errorf("%q is a list", raw)
		}
	}
	for _, raw := range []string{``, `null`, `[]`, `[{}]`} {
		if _, ok := ObjectIn([]byte(raw)); ok {
			t.Errorf("%q is an object", raw)
		}
	}
}

func TestObjectReadsWhatWasSent(t *testing.T) {
	t.Parallel()
	o := objectFrom(t, " { \"a\" : { \"b\" : \"}\\\"]\" } ,\t\"w\\u0061llet\":\"x\" , \"\\ud83d\\ude00\":[1,{}] , \"n\":null, \"e\":\"\", \"s\":1 } ")
	for name, want := range map[string]string{
		"a": `{ "b" : "}\"]" }`, "wallet": `"x"`, "😀": `[1,{}]`, "n": "", "e": `""`, "s": "1", "b": "", "": "", "A": "", "walle": "", "wallets": "",
	} {
		if got := string(o.Raw(name)); got != want {
			t.Errorf("%q: %s", name, got)
		}
	}
	if o.Len() != 6 || objectFrom(t, "{ }").Len() != 0 {
		t.Errorf("%d names", o.Len())
	}
	if items, _ := ListIn([]byte("[" + strings.Repeat("1,", 1000) + "1]")); len(items) != mostItems {
		t.Errorf("%d items", len(items))
	}
}

func FuzzObject(f *testing.F) {
	for _, body := range []string{samplePayout, `{"a":{"b":"}"},"\u0061b":[1,[2]],"":null}`, `[{"a":1}, 2 ,"x"]`, `{"\ud83d\ude00":1}`, "{",
		`{"`, `{"a":`, `["\`, ""} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		o, isObject := ObjectIn(body)
		items, isList := ListIn(body)
		_ = o.Len()
		if ScanJSON(body) != nil {
			return // it must end, no more
		}
		var fields map[string]json.RawMessage
		if isObject != (json.Unmarshal(body, &fields) == nil && fields != nil) || isObject && o.Len() != len(fields) {
			t.Fatalf("object %v, %d names", isObject, o.Len())
		}
		for name, want := range fields {
			if got := o.Raw(name); string(got) != string(want) && (got != nil || string(want) != "null") {
				t.Fatalf("%q: %s, want %s", name, got, want)
			}
		}
		var list []json.RawMessage
		if isList != (json.Unmarshal(body, &list) == nil && list != nil) || len(items) != min(len(list), mostItems) {
			t.Fatalf("list %v of %d", isList, len(items))
		}
		for i := range items {
			if string(items[i]) != string(list[i]) {
				t.Fatalf("item %d: %s, want %s", i, items[i], list[i])
			}
		}
	})
}

func TestNamesThatTheOperationsReadAreFoundAsAllOthers(t *testing.T) {
	t.Parallel()
	o := objectFrom(t, `{"\u0077allet":"w","memo":null,"Type":1,"type":[2],"fiat_amount": 1.50 ,"x":{"network":"no"},"network":"yes","last":7}`)
	for _, name := range append([]string{"x", "Type", "last", "none"}, fieldNames...) {
		want := ""
		for m := membersOf(o.text); m.next(); {
			if sameName(m.name, name) {
				want = string(notNull(m.value))
			}
		}
		if got := o.Raw(name); string(got) != want || (got == nil) != (want == "") {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if n, found := o.Integer("last"); n != 7 || found != Given || o.Len() != 8 {
		t.Errorf("last is %d, %d of %d", n, found, o.Len())
	}
}

func TestFieldErrors(t *testing.T) {
	t.Parallel()
	f := FieldErrors{}
	if err := f.Err(); err != nil {
		t.Errorf("nothing wrong, but %v", err)
	}
	f.Add("wallet", "first")
	f.Add("wallet", "second")
	f.Under("0", FieldErrors{"memo": "m"})
	var refusal *pay.Error
	if !errors.As(f.Err(), &refusal) || refusal.Code != "invalid_parameters" {
		t.Fatalf("error = %v", f.Err())
	}
	if got := refusal.Details["fields"].(FieldErrors); !maps.Equal(got, FieldErrors{"wallet": "first", "0.memo": "m"}) {
		t.Errorf("fields = %v", got)
	}
}

func TestTextRules(t *testing.T) {
	t.Parallel()
	if !Within("ééé", 3, 3) || Within("éé", 3, 5) || Within("éééé", 1, 3) || Within(strings.Repeat("x", 1<<20), 1, 255) {
		t.Error("within counts something else than characters")
	}
	if !Spaceless("a-b") || Spaceless("a b") || Spaceless("a\u00a0b") || Spaceless("\t") {
		t.Error("spaceless")
	}
}

func BenchmarkDecodePayout(b *testing.B) {
	b.ReportAllocs()
	var sum decimal.Decimal
	for b.Loop() {
		o, _ := ObjectIn([]byte(samplePayout))
		amount, _ := o.Amount("crypto_amount")
		sum = sum.Add(amount)
	}
}
