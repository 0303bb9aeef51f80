package devcmd

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/cli/settings"
)

// Covers operator §dev: Pages of dev
func TestPagesOfDevAnswerToTheirOwnHosts(t *testing.T) {
	t.Parallel()
	at := func(listen string) *hosts {
		return newHosts(&settings.Settings{PublicBaseURL: "https://Pay.Example.com/x"},
			flags{listen: settings.Address(listen), operatorListen: "127.0.0.1:8081"})
	}
	for _, c := range []struct {
		listen, host string
		own          bool
	}{
		{"127.0.0.1:8080", "localhost:8080", true}, {"127.0.0.1:8080", "LOCALHOST.", true}, {"127.0.0.1:8080", "shop.localhost:1", true},
		{"127.0.0.1:8080", "127.0.0.1", true}, {"127.0.0.1:8080", "127.7.7.7:80", true}, {"127.0.0.1:8080", "[::1]:8080", true},
		{"127.0.0.1:8080", "[::1]", true}, {"127.0.0.1:8080", "[::ffff:127.0.0.1]", true},
		{"127.0.0.1:8080", "pay.example.com", true},
		{"10.0.0.7:8080", "10.0.0.7:8080", true}, {"Box:8080", "box:8080", true}, {":8080", "192.168.1.5:8080", true}, {"0.0.0.0:8080", "[fe80::1]", true},
		{"127.0.0.1:8080", "evil.example", false}, {"127.0.0.1:8080", "evil.example:8080", false}, {"127.0.0.1:8080", "192.168.1.5:8080", false},
		{":8080", "evil.example:8080", false}, {"10.0.0.7:8080", "10.0.0.8:8080", false}, {"127.0.0.1:8080", "localhost.evil.example", false},
		{"127.0.0.1:8080", "notlocalhost", false}, {"127.0.0.1:8080", "127.0.0.1.evil.example", false}, {"127.0.0.1:8080", "", false},
		{"127.0.0.1:8080", "a@localhost", false}, {"127.0.0.1:8080", "[::1", false},
	} {
		require.Equal(t, c.own, at(c.listen).own(c.host), "%s at %s", c.host, c.listen)
	}
}

// If dev were ready before dev.json is written, programs waiting for it would look for a missing file.
func TestTheReadinessOfDevWaitsForItsFile(t *testing.T) {
	t.Parallel()
	d := &Dev{}
	require.Error(t, d.Ready(t.Context()))
	d.told.Store(true)
	require.NoError(t, d.Ready(t.Context()))
	w := httptest.NewRecorder()
	(*Dev)(nil).Guard(http.NotFoundHandler(), "/v1/").ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://pay.example.com/console/", http.NoBody))
	require.Equal(t, http.StatusNotFound, w.Code, "outside of dev no host is foreign")
}
