package api

import (
	"net/http"
	"net/netip"
	"time"

	"github.com/redis/go-redis/v9"
)

// Origins names where requests come from: an IPv4 address, or the /64 of an IPv6 address, behind trusted proxies (addendum §4).
type Origins struct{ trusted []netip.Prefix }

// NewOrigins returns the origins behind these proxies.
func NewOrigins(trusted []netip.Prefix) Origins { return Origins{trusted} }

// Origin returns the name of r's sender; all senders with an unreadable address share one name.
func (o Origins) Origin(r *http.Request) string {
	ip, ok := clientIP(r, o.trusted)
	if !ok {
		return "unknown"
	}
	return origin(ip)
}

// Visitors counts requests of people without a key by their origins. It counts in Redis for all processes together, and in this
// process while Redis is away.
type Visitors struct {
	Origins
	quota  Quota
	quotas *quotas
	name   string // begins the names of origins in the count
}

// NewVisitors makes a counter of its own, sharing nothing with the quotas of keys; redis may be nil.
func NewVisitors(redis redis.UniversalClient, trusted []netip.Prefix, quota Quota) *Visitors {
	return &Visitors{Origins: NewOrigins(trusted), quota: quota, quotas: newQuotas(newLink(redis)), name: "visitor:"}
}

// Apart counts under another name: what is counted there takes nothing from the others.
func (v *Visitors) Apart(name string) *Visitors {
	v.name = name + ":"
	return v
}

// Spend takes one request of its origin's quota. wait is 0 when there was one, else when to come back.
func (v *Visitors) Spend(r *http.Request) (wait time.Duration) {
	return v.quotas.spend(v.name+v.Origin(r), v.quota, time.Now())
}
