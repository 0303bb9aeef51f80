package devcmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"causeway/internal/cli/settings"
)

// hosts are the names of causeway dev for its pages. Its console prints a password: a page of another name, led here by DNS,
// must not read it (operator §dev).
type hosts struct {
	names []string // in small letters
	any   bool     // it listens on every address of this machine: all of them are its own
}

func newHosts(s *settings.Settings, f flags) *hosts {
	h := &hosts{}
	for _, address := range []string{string(f.listen), string(f.operatorListen)} {
		host, _, _ := net.SplitHostPort(address) // was checked by the flag
		if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
			h.any = true
			continue
		}
		h.names = append(h.names, strings.ToLower(host))
	}
	if base, err := url.Parse(string(s.PublicBaseURL)); err == nil && base.Hostname() != "" {
		h.names = append(h.names, strings.ToLower(base.Hostname()))
	}
	return h
}

// Guard refuses requests to another host with 421. Two kinds are answered under any name: the health checks, and everything
// below open, since its answers need a key or say nothing secret. A nil Dev guards nothing.
func (d *Dev) Guard(next http.Handler, open string) http.Handler {
	if d == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		if path == "/healthz" || path == "/readyz" || strings.HasPrefix(path, open) || d.hosts.own(r.Host) {
			next.ServeHTTP(w, r)
			return
		}
		http.Error(w, fmt.Sprintf("Host %q is not this service: pages of causeway dev are shown at localhost, loopback addresses, its --listen and --operator-listen, and the host of PUBLIC_BASE_URL.",
			r.Host), http.StatusMisdirectedRequest)
	})
}

// own reports whether a Host header names this service.
func (h *hosts) own(header string) bool {
	name := strings.TrimSuffix(strings.ToLower((&url.URL{Host: header}).Hostname()), ".")
	if ip, err := netip.ParseAddr(name); err == nil && (h.any || ip.Unmap().IsLoopback()) {
		return true
	}
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || slices.Contains(h.names, name)
}

// portsFree returns an error, before anything is made, for a port in use by another program or shared by two flags.
func portsFree(doors ...Door) error {
	for _, at := range doors {
		listener, err := net.Listen("tcp", at.Addr)
		if err != nil {
			return fmt.Errorf("%s: cannot listen: %w", at.Setting, err)
		}
		defer listener.Close() // after all of them are open
	}
	return nil
}

var errStarting = errors.New("it is still starting: dev.json is not written")

// Ready returns an error until this start has written dev.json.
func (d *Dev) Ready(context.Context) error {
	if !d.told.Load() {
		return errStarting
	}
	return nil
}
