package sheets_test

import (
	"bytes"
	"encoding/csv"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/web/sheets"
)

// No value begins with a formula for a spreadsheet; numbers and all other texts are as they were.
//
// Covers api-v1 §Extensions: A text of a CSV that a spreadsheet would compute
func TestValuesAreDefused(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"": "", "order-1": "order-1", "a=b; c-d;e+f@g": "a=b; c-d;e+f@g", "'x": "'x", "\n": "\n",
		"-12.5": "-12.5", "12.50000000": "12.50000000", "-0": "-0", "0": "0",
		"=1+1": "'=1+1", "+1": "'+1", "@SUM(A1)": "'@SUM(A1)", "-": "'-", "-1+1": "'-1+1", "-1.2.3": "'-1.2.3", "-2+3|cmd": "'-2+3|cmd", "-1e5": "'-1e5",
		"-\u0661": "'-\u0661", "-5\n": "'-5\n", "-.5": "'-.5", "-5.": "'-5.",
		"\tx": "'\tx", "\rx": "'\rx", "\r\n\r": "'\r\n\r", " =1": "' =1", "\u00a0@a": "'\u00a0@a", `"=1"`: `'"=1"`,
		"＝1+1": "'＝1+1", "＋1": "'＋1", "－1": "'－1", "＠a": "'＠a", "\ufe661": "'\ufe661", "\ufe621": "'\ufe621", "\ufe631": "'\ufe631", "\ufe6ba": "'\ufe6ba",
		"x;=1": "x;'=1", "x\t＝1\r＋2\n-3": "x\t'＝1\r'＋2\n'-3", "=1;=2": "'=1;'=2", `x; "＠a`: `x;' "＠a`,
	} {
		require.Equal(t, want, sheets.Defused(value), "%q", value)
	}
}

// A value with any bytes comes out of a record as it is.
func TestWriteQuotes(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	sheets.Write(&out, []string{"plain", "a,b", `say "so"`, "x\ry", "x\r\ny", " lead", "", "-1.5"})
	require.Equal(t, "plain,\"a,b\",\"say \"\"so\"\"\",\"x\ry\",\"x\r\ny\",\" lead\",,-1.5\r\n", out.String())
	read, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Len(t, read, 1)
	require.Len(t, read[0], 8)
}
