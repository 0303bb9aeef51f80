package main

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhereAServerOfDevIsReached(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080",
		":8080":          "http://127.0.0.1:8080",
		"0.0.0.0:8080":   "http://127.0.0.1:8080",
		"[::]:8080":      "http://127.0.0.1:8080",
		"[::1]:8080":     "http://[::1]:8080",
		"10.1.2.3:8080":  "http://10.1.2.3:8080",
	} {
		require.Equal(t, want, reachable(listen), listen)
	}
}

func TestErrorsAreOneLine(t *testing.T) {
	t.Parallel()
	twice := errors.Join(errors.New("no postgres"), fmt.Errorf("no redis\n  at all"), errors.New("no postgres"))
	require.Equal(t, "no postgres; no redis; at all", oneLine(twice))
	require.Equal(t, "tried: this; that", oneLine(errors.New("tried:\n\tthis\n\tthat")))
}
