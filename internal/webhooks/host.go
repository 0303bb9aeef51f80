package webhooks

import (
	"errors"
	"net/netip"
	"strings"

	"golang.org/x/net/idna"
)

// host is a receiver's host in one canonical spelling: an address, or a lower-case ASCII name without trailing dot.
type host struct {
	name string
	ip   netip.Addr // valid when the host was written as an address
}

var (
	errHost    = errors.New("not a host name or address")
	errNumeric = errors.New("a number that some resolvers read as an address")
)

// parseHost reads the host part of a URL, without port and brackets. It refuses hosts resolvers read differently:
// numeric forms other than a plain address (errNumeric: 0x7f.1, 2130706433, 0177.0.0.1, digits of other scripts), IPv6
// zones, empty labels.
func parseHost(raw string) (host, error) {
	if ip, err := netip.ParseAddr(raw); err == nil {
		if ip.Zone() != "" {
			return host{}, errHost
		}
		return host{name: ip.Unmap().String(), ip: ip.Unmap()}, nil
	}
	name, err := asciiName(raw)
	if err != nil || !validName(name) {
		return host{}, errHost
	}
	if ip, err := netip.ParseAddr(strings.TrimSuffix(raw, ".")); err == nil && ip.Is4() {
		return host{name: name, ip: ip}, nil
	}
	if looksNumeric(name) {
		return host{}, errNumeric
	}
	return host{name: name}, nil
}

// asciiName folds case, one trailing dot and international names, as the HTTP transport would.
func asciiName(raw string) (string, error) {
	for i := range len(raw) {
		if raw[i] >= 0x80 {
			ascii, err := idna.Lookup.ToASCII(raw)
			return strings.TrimSuffix(strings.ToLower(ascii), "."), err
		}
	}
	return strings.TrimSuffix(strings.ToLower(raw), "."), nil
}

func validName(name string) bool {
	if name == "" || len(name) > 253 {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, nameChars) != "" {
			return false
		}
	}
	return true
}

const nameChars = "abcdefghijklmnopqrstuvwxyz0123456789-_"

// looksNumeric reports whether some resolvers read a name as an IPv4 address: its last label is a number.
func looksNumeric(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// neverPublic are names for the machine or its own network whatever a resolver says (RFC 6761, RFC 6762, RFC 8375 and
// the reserved name internal).
var neverPublic = []string{"localhost", "local", "localdomain", "internal", "home.arpa"}

// isPublicName reports whether a name can belong to the public internet: at least two labels, none of the local names.
func isPublicName(name string) bool {
	if !strings.Contains(name, ".") {
		return false
	}
	for _, local := range neverPublic {
		if strings.HasSuffix(name, "."+local) {
			return false
		}
	}
	return true
}

// hostSet holds the names of hosts exempted by the operator (WEBHOOK_ALLOWED_HOSTS).
type hostSet map[string]bool

func newHostSet(names []string) hostSet {
	set := hostSet{}
	for _, name := range names {
		name = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(name), "["), "]")
		if h, err := parseHost(name); err == nil {
			set[h.name] = true
		}
	}
	return set
}

func (s hostSet) has(h host) bool { return s[h.name] }
