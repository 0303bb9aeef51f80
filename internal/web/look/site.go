package look

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// ReadSite reads the origin of pages with payers' pages in a frame, as browsers and the header Content-Security-Policy
// write it. It is of https and a host with a dot, or of localhost. A path, even of one slash, a
// user, a wildcard and the number of a machine are refused.
func ReadSite(text string) (site string, ok bool) {
	const longest = 1024
	scheme, host, ok := strings.Cut(text, "://")
	scheme = strings.ToLower(scheme)
	if !ok || len(text) > longest || strings.ContainsAny(host, "/\\?#@%*'\";, ") {
		return "", false
	}
	u, err := url.Parse("//" + host)
	if err != nil || strings.HasSuffix(host, ":") {
		return "", false
	}
	name, err := idna.Lookup.ToASCII(u.Hostname())
	if err != nil || !isName(name) {
		return "", false
	}
	port, ok := portOf(u.Port(), scheme)
	local := name == "localhost"
	if !ok || scheme != "https" && (scheme != "http" || !local) || !local && !strings.Contains(name, ".") {
		return "", false
	}
	return scheme + "://" + name + port, true
}

// isName reports whether browsers take a host in ASCII for a name: a last number makes it an address.
func isName(host string) bool {
	const longestName, longestLabel = 253, 63
	if len(host) > longestName {
		return false
	}
	last := ""
	for last = range strings.SplitSeq(host, ".") {
		if last == "" || len(last) > longestLabel || strings.Trim(last, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	return last[0] >= 'a'
}

// portOf writes a port after a host: none for the usual one of the scheme.
func portOf(port, scheme string) (text string, ok bool) {
	if port == "" {
		return "", true
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || strconv.FormatUint(n, 10) != port {
		return "", false
	}
	if scheme == "https" && port == "443" || scheme == "http" && port == "80" {
		return "", true
	}
	return ":" + port, true
}
