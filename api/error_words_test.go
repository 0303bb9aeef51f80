package api

import (
	"net/http"
	"strings"
	"testing"
)

// An error names the header, the unit or the form that was wrong, under the code that it always had.
func TestErrorsNameTheThing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.alone = true
	s.fund(s.merchant, "USDT", "100")
	keyless := ask(t, s.front, request(http.MethodGet, "/v1/balances", "", ""))
	for what, c := range map[string]struct {
		a          answer
		code, says string
	}{
		"no key":       {keyless, "api_key_missing", "X-Service-Invoke"},
		"a form":       {s.payOut("wallet=x&network=Tron"), "json_parse_exception", "is a form"},
		"gzip":         {s.payOut("\x1f\x8b\x08\x00"), "json_parse_exception", "gzip"},
		"a BOM":        {s.payOut("\xef\xbb\xbf{}"), "json_parse_exception", "byte order mark"},
		"other":        {s.payOut("{wallet}"), "json_parse_exception", "not acceptable JSON"},
		"a memo":       {s.payOut(item("m", "memo", "12345678")), "invalid_parameters", "must be text of 8 to 15 digits"},
		"short memo":   {s.payOut(item("m", "memo", `"1"`)), "invalid_parameters", "must be 8 to 15 digits"},
		"milliseconds": {s.ask(http.MethodPost, "/v1/payin", with(aPayin, "expires_at", "3600000")), "invalid_parameters", "no milliseconds"},
	} {
		if !strings.Contains(c.a.text, `"`+c.code+`"`) || !strings.Contains(c.a.text, c.says) {
			t.Errorf("%s: %d %s", what, c.a.status, c.a.text)
		}
	}
}

func TestSignatureErrorsNameTheThing(t *testing.T) {
	t.Parallel()
	names := namesUnder("")
	for says, said := range map[string]signed{
		"missing or doubled: X-Service-Signature, X-Service-Nonce.": {"", "1760000000", ""},
		"missing or doubled: X-Service-Timestamp.":                  {"s", "", "n"},
	} {
		if err := refusal(said.explained(errSignatureMissing, names)); err.Code != errSignatureMissing.Code || !strings.Contains(err.Message, says) {
			t.Errorf("%+v: %s", said, err.Message)
		}
	}
	if err := refusal((signed{"s", "1760000000000", "n"}).explained(errTimestampRange, names)); err.Code != errTimestampRange.Code ||
		!strings.Contains(err.Message, "looks like milliseconds") {
		t.Error(err.Message)
	}
	if err := (signed{"s", "1759999699", "n"}).explained(errTimestampRange, names); err != errTimestampRange {
		t.Error(err)
	}
}
