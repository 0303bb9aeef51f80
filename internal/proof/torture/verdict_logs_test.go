package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatNoRoleMayPrint is wrong in whichever log it stands.
func TestWhatNoRoleMayPrint(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		log   string
		wrong bool
	}{
		"a panic":                     {"time=\"now\" msg=serving\npanic: no\n\ngoroutine 1\n", true},
		"a panic, cut off":            {"panic: no", true},
		"a race":                      {"==================\nWARNING: DATA RACE\nRead at\n", true},
		"out of memory":               {"fatal error: out of memory\n", true},
		"a panic that a job survived": {`{"error":"panic: no\ngoroutine 7 [running]:\nmain.go:1","msg":"the job will be tried again"}` + "\n", true},
		"a line about a panic":        {"time=\"now\" msg=\"asked of panic: no\"\n", false},
		"nothing":                     {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := &evidence{t: &torture{options: options{data: t.TempDir()}}, report: &report{position: map[string]int{}}}
			require.NoError(t, os.MkdirAll(e.t.logs(), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(e.t.logs(), "quiet.log"), []byte("time=\"now\"\n"), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(e.t.logs(), "worker-1.log"), []byte(c.log), 0o600))
			e.judgeLogs()
			require.Equal(t, c.wrong, len(e.report.Wrong) > 0, "%v", e.report.Wrong)
		})
	}
	e := &evidence{t: &torture{options: options{data: t.TempDir()}}, report: &report{position: map[string]int{}}}
	e.judgeLogs()
	require.NotEmpty(t, e.report.Wrong, "nothing was read")
}
