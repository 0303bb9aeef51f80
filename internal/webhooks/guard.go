package webhooks

import (
	"net/netip"

	"code.dny.dev/ssrf"
)

// guard refuses every address outside the public internet (addendum §11): the IANA special registries, with private,
// loopback, link-local, multicast, carrier-NAT, documentation and benchmark addresses; everything outside 2000::/3,
// with NAT64 and IPv4-mapped forms; and the addresses below. Any port may be used: only payin addresses are bound to
// the standard one, checked when the address is given.
var guard = ssrf.New(
	ssrf.WithAnyPort(),
	ssrf.WithDeniedV4Prefixes(
		netip.MustParsePrefix("168.63.129.16/32"), // the platform service of one cloud, on a public address
	),
)

func isPublic(ip netip.Addr) bool { return guard.SafeAddr(ip) == nil }
