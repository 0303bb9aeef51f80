package client

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestNumbersAreExact: as a text or as a number, of any size, and nothing else.
func TestNumbersAreExact(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`"9007199254740993"`: "9007199254740993", `9007199254740993`: "9007199254740993", `"-1"`: "-1", `0`: "0",
		`null`: "", `""`: "", `1e400`: "", `"NaN"`: "", `1.5`: "", `"0x10"`: "", `true`: "", `{}`: "", `[]`: "",
		`"` + strings.Repeat("9", longestNumber+1) + `"`: "",
	} {
		var n number
		switch err := json.Unmarshal([]byte(raw), &n); {
		case want == "" && n.Int != nil:
			t.Errorf("%s is read as %s", raw, n)
		case want != "" && (err != nil || n.String() != want):
			t.Errorf("%s is read as %s, %v", raw, n, err)
		}
	}
	var v Value
	if v.read([2]any{"num", "0x" + strings.Repeat("f", 1<<20)}) == nil {
		t.Error("a megabyte of digits is a number of the machine")
	}
}
