package settings

import (
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// RedisURL is an address for a Redis client, in one of three forms (operator §Settings REDIS_URL).
type RedisURL string

// Redis is a RedisURL that was read. One of its forms is set.
type Redis struct {
	one     *redis.Options         // a single server
	watched *redis.FailoverOptions // the primary of several servers, as sentinels name it
	cluster *redis.ClusterOptions
}

// The endings of schemes with several addresses.
const (
	sentinels = "-sentinel"
	cluster   = "-cluster"
)

// several are these schemes. rediss means TLS.
var several = map[string]string{"redis" + sentinels: sentinels, "rediss" + sentinels: sentinels, "redis" + cluster: cluster, "rediss" + cluster: cluster}

// ports are those of addresses without one.
var ports = map[string]string{sentinels: "26379", cluster: "6379"}

// replicaReads are the client's options for reading from replicas. A replica lags behind, and the queues are read to be changed.
var replicaReads = []string{"read_only", "replica_only", "route_by_latency", "route_randomly", "use_disconnected_replicas"}

// ours are the client's options with a place of their own in the address.
var ours = []string{"addr", "db", "master_name", "username", "password"}

// mapAge is how old a client's map of a cluster may be. The client renews it when a node sends a command elsewhere, and not when a
// node is gone, as a killed primary is. Its own limit is a minute.
const mapAge = time.Second

var errRedisForm = errors.New("not a redis://, rediss://, unix://, redis-sentinel:// or redis-cluster:// address")

// UnmarshalText reads one of the three forms.
func (u *RedisURL) UnmarshalText(text []byte) error {
	r, err := RedisURL(text).Read()
	if err != nil {
		return err
	}
	if r.Number() < 0 { // the client would take it for 0
		return errors.New("the number of its database is below 0")
	}
	*u = RedisURL(text)
	return nil
}

// Read returns where the address leads. Its error says the expected form, and shows nothing of the address.
func (u RedisURL) Read() (Redis, error) {
	scheme, _, _ := strings.Cut(string(u), "://")
	switch several[scheme] {
	case sentinels:
		return u.readSentinels()
	case cluster:
		return u.readCluster()
	}
	o, err := redis.ParseURL(string(u))
	if err != nil {
		return Redis{}, errRedisForm
	}
	return Redis{one: o}, nil
}

// readSentinels reads redis-sentinel://user:password@sentinel:port,…/number?master=NAME. User and password are those of the servers.
func (u RedisURL) readSentinels() (Redis, error) {
	parsed, query, err := u.readSeveral(sentinels)
	if err != nil {
		return Redis{}, err
	}
	if query.Get("master") == "" {
		return Redis{}, errors.New("it lacks ?master=NAME, the name of the primary at its sentinels")
	}
	take := func(name string) string { defer query.Del(name); return query.Get(name) }
	query.Set("master_name", take("master"))
	password, _ := parsed.User.Password()
	query.Set("username", parsed.User.Username())
	query.Set("password", password)
	parsed.User = url.UserPassword(take("sentinel_username"), take("sentinel_password"))
	parsed.RawQuery = query.Encode()
	o, err := redis.ParseFailoverURL(parsed.String())
	if err != nil {
		return Redis{}, errors.New("the number of its database, or an option after its ?, is unknown or cannot be read")
	}
	if o.TLSConfig != nil {
		o.TLSConfig.ServerName = "" // each server is known by its own name
	}
	return Redis{watched: o}, nil
}

// readCluster reads redis-cluster://user:password@node:port,….
func (u RedisURL) readCluster() (Redis, error) {
	parsed, query, err := u.readSeveral(cluster)
	if err != nil {
		return Redis{}, err
	}
	if parsed.Path != "" && parsed.Path != "/" {
		return Redis{}, errors.New("a Redis Cluster has no numbered databases: nothing may follow its last address but options")
	}
	parsed.RawQuery = query.Encode()
	o, err := redis.ParseClusterURL(parsed.String())
	if err != nil {
		return Redis{}, errors.New("an option after its ? is unknown or cannot be read")
	}
	o.ClusterStateReloadInterval = mapAge
	if o.TLSConfig != nil {
		o.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12} // each node is known by its own name
	}
	return Redis{cluster: o}, nil
}

// readSeveral reads an address with several hosts, and returns it with the first, as the client's own parsers take it. The other
// hosts are in its query.
func (u RedisURL) readSeveral(form string) (*url.URL, url.Values, error) {
	before, list, after := cutHosts(string(u))
	hosts := strings.Split(list, ",")
	for i, host := range hosts {
		if hosts[i] = withPort(host, ports[form]); hosts[i] == "" {
			return nil, nil, errors.New("its addresses are not host:port, separated by commas")
		}
	}
	parsed, err := url.Parse(strings.Replace(before, form, "", 1) + hosts[0] + after)
	if err != nil || parsed.Fragment != "" {
		return nil, nil, errRedisForm
	}
	query, err := url.ParseQuery(parsed.RawQuery)
	if err != nil {
		return nil, nil, errRedisForm
	}
	for name := range query {
		if slices.Contains(replicaReads, name) {
			return nil, nil, errors.New("queues are read from primaries alone: " + name + " is not an option here")
		}
		if slices.Contains(ours, name) {
			return nil, nil, errors.New(name + " is not an option here: it stands before the ?")
		}
	}
	query["addr"] = hosts[1:]
	return parsed, query, nil
}

// cutHosts cuts an address around its hosts. The parser of addresses takes one host only.
func cutHosts(address string) (before, hosts, after string) {
	begin := strings.Index(address, "://")
	if begin < 0 {
		return "", "", address
	}
	begin += len("://")
	end := len(address)
	if i := strings.IndexAny(address[begin:], "/?#"); i >= 0 {
		end = begin + i
	}
	begin += strings.LastIndex(address[begin:end], "@") + 1
	return address[:begin], address[begin:end], address[end:]
}

// withPort returns host:port, or "" if this is none.
func withPort(address, port string) string {
	if host, given, err := net.SplitHostPort(address); err == nil {
		if host == "" || given == "" {
			return ""
		}
		return address
	}
	host := strings.TrimSuffix(strings.TrimPrefix(address, "["), "]")
	if _, err := netip.ParseAddr(host); host == "" || strings.Contains(host, ":") && err != nil {
		return ""
	}
	return net.JoinHostPort(host, port)
}

// Number is that of its database. A cluster has 0 only.
func (r Redis) Number() int {
	switch {
	case r.one != nil:
		return r.one.DB
	case r.watched != nil:
		return r.watched.DB
	default:
		return 0
	}
}

// name tells one Redis from another, as far as their addresses do.
func (r Redis) name() string {
	switch {
	case r.one != nil:
		return r.one.Addr
	case r.watched != nil:
		return r.watched.MasterName + "@" + strings.Join(slices.Sorted(slices.Values(r.watched.SentinelAddrs)), ",")
	case r.cluster != nil:
		return strings.Join(slices.Sorted(slices.Values(r.cluster.Addrs)), ",")
	default:
		return ""
	}
}

// Client makes a client without asking a server. It is a *redis.Client, or a *redis.ClusterClient of a cluster.
func (r Redis) Client() redis.UniversalClient {
	switch {
	case r.one != nil:
		return redis.NewClient(r.one)
	case r.watched != nil:
		return redis.NewFailoverClient(r.watched)
	default:
		return redis.NewClusterClient(r.cluster)
	}
}

// MakeRedisClient implements asynq.RedisConnOpt by Client.
func (r Redis) MakeRedisClient() any { return r.Client() }

// Hurried returns the same Redis for a caller with little time: a command has one attempt, and no wait is longer than within. In a
// cluster a command still follows its key to another node.
func (r Redis) Hurried(within time.Duration) Redis {
	switch {
	case r.one != nil:
		o := *r.one
		o.MaxRetries, o.DialerRetries, o.ContextTimeoutEnabled = -1, 1, true
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = within, within, within, within
		return Redis{one: &o}
	case r.watched != nil:
		o := *r.watched
		o.MaxRetries, o.DialerRetries, o.ContextTimeoutEnabled = -1, 1, true
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = within, within, within, within
		return Redis{watched: &o}
	default:
		o := *r.cluster
		o.MaxRetries, o.DialerRetries, o.ContextTimeoutEnabled = -1, 1, true
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = within, within, within, within
		o.MaxRetryBackoff = within / 10
		return Redis{cluster: &o}
	}
}
