package devcmd

import (
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
