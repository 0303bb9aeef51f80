package client

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// long makes a result long enough to be cut out.
func long(begin, end string) string { return begin + strings.Repeat(`"0x00",`, leastSplit/7+1) + end }

// TestASplitAnswerIsReadAsAWhole: an answer with a long result has the same id, result and error as the library reads of the whole.
func TestASplitAnswerIsReadAsAWhole(t *testing.T) {
	t.Parallel()
	texts := long(`["a]}","b\"]","c\\",{"d":[1,{"e":"\u005d"}]},`, `"z"]`)
	for answer, want := range map[string]bool{
		`{"jsonrpc":"2.0","id":1,"result":` + texts + `}`:                               true,
		`{"result":` + texts + `,"id":7,"jsonrpc":"2.0"}`:                               true,
		`{"id":1,"result":` + texts + "}\n":                                             true,
		`{"id":1,"result": ` + texts + `}`:                                              false, // a space that no node writes
		`{"id":1,"result":` + texts + `,"result":[]}`:                                   false,
		`{"id":1,"result":` + texts + `,"RESULT":[]}`:                                   false,
		`{"id":1,"result":` + texts + `,"re` + "\u017f" + `ult":[]}`:                    false, // the library takes a long s for an s
		`{"id":1,"result":` + texts + `,"resul\u0074":[]}`:                              false,
		`{"id":{"result":[]},"result":` + texts + `}`:                                   false,
		`{"id":"\"result\":[","result":` + texts + `}`:                                  false,
		`{"id":1,"result":` + long(`"`, ``) + `}`:                                       false,
		`{"id":1,"result":["short"]}`:                                                   false,
		`{"id":1,"error":{"code":1,"message":"` + texts[2:40] + `"},"x":` + texts + `}`: false,
	} {
		result, rest, ok := splitResult([]byte(answer))
		if ok != want {
			t.Errorf("%.60s … %.20s: cut %v", answer, answer[len(answer)-20:], ok)
		}
		if !ok {
			continue
		}
		var whole, cut response
		if err := json.Unmarshal([]byte(answer), &whole); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(rest, &cut); err != nil || string(cut.Result) != "[]" {
			t.Errorf("%s: %v", rest, err)
		}
		if cut.Result = result; !reflect.DeepEqual(whole, cut) {
			t.Errorf("%.60s: %+v, want %+v", answer, cut, whole)
		}
	}
}

// TestACutAnswerIsNone: an answer that ends too early, or has another end, is refused in whatever place that is.
func TestACutAnswerIsNone(t *testing.T) {
	t.Parallel()
	good := `{"jsonrpc":"2.0","id":1,"result":` + long(`[`, `"0x01"]`) + `}`
	bad := []string{good[:len(good)-1], good[:len(good)-2], good[:len(good)-4], good + "}", good + "{}", strings.Replace(good, `"0x01"]`, `"0x01"}`, 1),
		strings.Replace(good, `"0x01"]`, `"0x01",]`, 1), strings.Replace(good, `"0x01"]`, `0x01]`, 1), strings.Replace(good, `1,"result"`, `1 "result"`, 1)}
	for _, answer := range append(bad, good) {
		var texts []string
		failed := decode([]byte(answer), []*Question{Ask(&texts, "a")})
		q := Ask(&texts, "a")
		if failed == nil {
			failed = decode([]byte(answer), []*Question{q})
		}
		refused := failed != nil || q.Err != nil
		if refused != (answer != good) || refused && len(texts) > 0 {
			t.Errorf("…%s: %v, %v, %d texts", answer[len(answer)-12:], failed, q.Err, len(texts))
		}
	}
}

// TestALongListOfAnswersIsReadAsAWhole: each element has the id, result and error that the library reads, and a list of another form is
// none, or is read by the library alone.
func TestALongListOfAnswersIsReadAsAWhole(t *testing.T) {
	t.Parallel()
	object := `{"jsonrpc":"2.0","id":1,"result":` + long(`[`, `"0x01"]`) + `}`
	small := `{"jsonrpc":"2.0","id":2,"error":{"code":-3,"message":"a]}\"b"}}`
	for answer, cut := range map[string]int{
		"[" + object + "," + small + "]":  2,
		"[" + object + "]":                1,
		"[" + object + ", " + small + "]": 0,
		"[ " + object + "]":               0,
		"[" + object + ",7]":              0,
		"[" + object + ",]":               0,
		"[" + object + small + "]":        0,
		"[" + object + "," + small:        0,
		"[" + object + "," + small + "]]": 0,
		"[" + object + "," + small + "]}": 0,
		"[" + small + "," + small + "]":   0,
	} {
		if got := len(elements([]byte(answer))); got != cut {
			t.Errorf("…%s: %d elements", answer[max(len(answer)-70, 0):], got)
		}
		var want []response
		err := json.Unmarshal([]byte(answer), &want)
		got, failed := parse([]byte(answer))
		if (err != nil) != (failed != nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("…%s: %v beside %v", answer[max(len(answer)-70, 0):], failed, err)
		}
	}
}
