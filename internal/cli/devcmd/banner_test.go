package devcmd

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/cli/settings"
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

// The banner leads to the panel too, with a command for its first person.
func TestTheBannerInvites(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	none, err := chains.NewRegistry()
	require.NoError(t, err)
	d := &Dev{settings: &settings.Settings{DataDir: "/tmp/here"}, Installation: &Installation{Networks: none}}
	d.banner(&out, &settings.DevFile{APIURL: "http://127.0.0.1:9080", MerchantID: "0199f0c2"})
	require.Contains(t, out.String(), "http://127.0.0.1:9080/panel/")
	require.Contains(t, out.String(), " admin merchant invite me@example.com --data-dir /tmp/here --merchant 0199f0c2 --role owner\n")
}
