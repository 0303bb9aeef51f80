package patroni

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"causeway/internal/dev/devstack"
)

// startEtcd starts the store in which the members agree on a primary.
func (c *Cluster) startEtcd(ctx context.Context) error {
	program, err := find("etcd")
	if err != nil {
		return err
	}
	dir, peer, client := filepath.Join(c.dir, "etcd"), "http://"+freeAddress(), "http://"+c.etcdAt
	if err := devstack.OwnDir(dir); err != nil {
		return err
	}
	c.etcd, err = devstack.StartProgram(dir, program, "--name", "etcd", "--data-dir", filepath.Join(dir, "data"),
		"--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls", peer,
		"--initial-advertise-peer-urls", peer, "--initial-cluster", "etcd="+peer)
	if err != nil {
		return err
	}
	return c.until(ctx, time.Minute, "etcd is healthy", func() bool {
		response, err := http.Get(client + "/health")
		if err != nil {
			return false
		}
		return response.Body.Close() == nil && response.StatusCode == http.StatusOK
	})
}

// startProxy starts HAProxy. It asks each Patroni whether its database is the primary, and ends connections to one that is no more.
func (c *Cluster) startProxy() error {
	program, err := find("haproxy")
	if err != nil {
		return err
	}
	lines := []string{
		"defaults", "  mode tcp", "  retries 2", "  timeout connect 4s", "  timeout check 3s", "  timeout client 30m", "  timeout server 30m",
		"listen primary", "  bind " + c.proxyAt, "  option httpchk OPTIONS /primary", "  http-check expect status 200",
		"  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions",
	}
	for _, m := range c.members {
		_, restPort, err := net.SplitHostPort(m.restAt)
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("  server %s %s maxconn 180 check port %s", m.name, m.at, restPort))
	}
	dir := filepath.Join(c.dir, "haproxy")
	settings := filepath.Join(dir, "haproxy.cfg")
	if err := devstack.OwnDir(dir); err != nil {
		return err
	}
	if err := devstack.OwnFile(settings, strings.Join(lines, "\n")+"\n"); err != nil {
		return err
	}
	c.proxy, err = devstack.StartProgram(dir, program, "-f", settings)
	return err
}

// freeAddress is a loopback address with no listener now.
func freeAddress() string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}
