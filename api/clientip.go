package api

import (
	"net/http"
	"net/netip"
	"strings"
)

// clientIP returns the sender's address: the peer, or, when the peer is a trusted proxy, the right-most untrusted
// address of X-Forwarded-For (addendum §4). A request through trusted machines alone was made by the first of them. ok
// is false when an address on the way cannot be read.
func clientIP(r *http.Request, trusted []netip.Prefix) (ip netip.Addr, ok bool) {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}, false
	}
	ip = plain(peer.Addr())
	if !inside(ip, trusted) {
		return ip, true
	}
	lines := r.Header["X-Forwarded-For"]
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.TrimSpace(lines[i]) == "" {
			continue
		}
		for rest, more := lines[i], true; more; {
			var entry string
			rest, entry, more = cutLast(rest)
			if ip, ok = address(entry); !ok || !inside(ip, trusted) {
				return ip, ok
			}
		}
	}
	return ip, true
}

// cutLast splits a list at its last comma; more reports whether something is left before it.
func cutLast(list string) (rest, entry string, more bool) {
	if comma := strings.LastIndexByte(list, ','); comma >= 0 {
		return list[:comma], list[comma+1:], true
	}
	return "", list, false
}

// address reads an entry of X-Forwarded-For: an IP address, with a port or in brackets as some proxies write it.
func address(entry string) (netip.Addr, bool) {
	entry = strings.Trim(entry, " \t")
	bare := entry
	if strings.HasPrefix(entry, "[") && strings.HasSuffix(entry, "]") {
		bare = entry[1 : len(entry)-1]
	}
	if ip, err := netip.ParseAddr(bare); err == nil {
		return plain(ip), true
	}
	if withPort, err := netip.ParseAddrPort(entry); err == nil {
		return plain(withPort.Addr()), true
	}
	return netip.Addr{}, false
}

// plain makes one spelling of an address: IPv4 inside IPv6 is IPv4, and there is no zone.
func plain(ip netip.Addr) netip.Addr { return ip.Unmap().WithZone("") }

func inside(ip netip.Addr, networks []netip.Prefix) bool {
	for _, network := range networks {
		if network.Contains(ip) {
			return true
		}
	}
	return false
}

// ParseNetworks reads addresses and CIDRs, IPv4, IPv6 or IPv4 inside IPv6 (operator §Settings TRUSTED_PROXIES, and a
// key's whitelist). bad is the first text of another form.
func ParseNetworks(texts []string) (networks []netip.Prefix, bad string) {
	for _, text := range texts {
		network, ok := parseNetwork(text)
		if !ok {
			return nil, text
		}
		networks = append(networks, network)
	}
	return networks, ""
}

func parseNetwork(text string) (netip.Prefix, bool) {
	text = strings.TrimSpace(text)
	if ip, err := netip.ParseAddr(text); err == nil {
		ip = plain(ip)
		return netip.PrefixFrom(ip, ip.BitLen()), true
	}
	network, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, false
	}
	const mappedBits = 96
	if network.Addr().Is4In6() {
		if network.Bits() < mappedBits {
			return netip.Prefix{}, false
		}
		network = netip.PrefixFrom(network.Addr().Unmap(), network.Bits()-mappedBits)
	}
	return network.Masked(), true
}

// whitelisted reports whether a key with this list may be used from ip. No list allows every address; an unreadable
// entry allows none.
func whitelisted(ip netip.Addr, list []string) bool {
	if list == nil {
		return true
	}
	for _, text := range list {
		if network, ok := parseNetwork(text); ok && network.Contains(ip) {
			return true
		}
	}
	return false
}

// origin returns the unit for counting failed authentications: an IPv4 address, or the /64 of an IPv6 one (addendum §4).
func origin(ip netip.Addr) string {
	if ip.Is4() {
		return ip.String()
	}
	const household = 64
	return netip.PrefixFrom(ip, household).Masked().String()
}
