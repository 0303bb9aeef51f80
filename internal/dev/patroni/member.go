package patroni

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"causeway/internal/dev/devstack"
)

// member is one of the three databases with its Patroni.
type member struct {
	name       string
	dir        string // the settings, the log, and data of PostgreSQL
	at, restAt string
	settings   string
	patroni    *devstack.Program
}

func (c *Cluster) member(name string) *member {
	m := &member{name: name, dir: filepath.Join(c.dir, name), at: freeAddress(), restAt: freeAddress()}
	m.settings = fmt.Sprintf(`scope: drill
name: %[1]s
restapi: {listen: "%[2]s", connect_address: "%[2]s"}
etcd3: {hosts: "%[3]s"}
bootstrap:
  dcs:
    ttl: %[4]d
    loop_wait: %[5]d
    retry_timeout: %[6]d
    maximum_lag_on_failover: 1073741824
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      use_slots: true
      parameters: {max_connections: 200, wal_keep_size: 256MB}
  initdb:
  - encoding: UTF8
  - locale: C
  - data-checksums
postgresql:
  listen: "%[7]s"
  connect_address: "%[7]s"
  data_dir: "%[8]s"
  bin_dir: "%[9]s"
  pgpass: "%[10]s"
  pg_hba:
  - host all all 127.0.0.1/32 scram-sha-256
  - host replication replicator 127.0.0.1/32 scram-sha-256
  authentication:
    superuser: {username: %[11]s, password: %[12]s}
    replication: {username: replicator, password: %[12]s}
  parameters: {unix_socket_directories: "", shared_buffers: 64MB, timezone: UTC, log_timezone: UTC}
`, name, m.restAt, c.etcdAt, ttl, loopWait, retryTimeout, m.at, m.data(), c.programs, filepath.Join(m.dir, "pgpass"), owner, c.password)
	return m
}

func (m *member) data() string { return filepath.Join(m.dir, "data") }

func (m *member) start() error {
	program, err := find("patroni")
	if err != nil {
		return err
	}
	settings := filepath.Join(m.dir, "patroni.yml")
	if err := errors.Join(devstack.OwnDir(m.dir), devstack.OwnFile(settings, m.settings)); err != nil {
		return err
	}
	m.patroni, err = devstack.StartProgram(m.dir, program, settings)
	return err
}

// stop ends Patroni, and Patroni its database.
func (m *member) stop() error {
	if m.patroni == nil {
		return nil
	}
	return errors.Join(m.patroni.Stop(), m.killDatabase())
}

// kill ends Patroni first, since it would start the database again.
func (m *member) kill() error { return errors.Join(m.patroni.Kill(), m.killDatabase()) }

// killDatabase ends every process of the database at once: the first alone would let the others finish a statement.
func (m *member) killDatabase() error { return m.signal(syscall.SIGKILL) }

// signal sends a signal to every process of the database, where there is one.
func (m *member) signal(signal syscall.Signal) error {
	content, err := os.ReadFile(filepath.Join(m.data(), "postmaster.pid"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(content), "\n")
	postmaster, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		return fmt.Errorf("number of the database's process: %w", err)
	}
	for _, pid := range append(children(postmaster), postmaster) {
		if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}

// children are the processes started by a process.
func children(parent int) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		_, after, _ := strings.Cut(string(content), ") ") // the name of a program may have spaces
		fields := strings.Fields(after)
		if len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// standing is what Patroni says of a member.
type standing struct {
	Name     string `json:"name"`
	Role     string `json:"role"` // leader, sync_standby or replica
	State    string `json:"state"`
	Timeline int    `json:"timeline"`
}

// standings asks the members in turn for what all of them are.
func (c *Cluster) standings(ctx context.Context) []standing {
	for _, m := range c.members {
		if found, err := m.standings(ctx); err == nil {
			return found
		}
	}
	return nil
}

func (m *member) standings(ctx context.Context) ([]standing, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+m.restAt+"/cluster", nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var said struct{ Members []standing }
	return said.Members, json.NewDecoder(response.Body).Decode(&said)
}

// inStep reports whether there are a primary, a replica that confirms, and a third, all on one timeline.
func inStep(all []standing) bool {
	roles := map[string]int{}
	for _, s := range all {
		if s.State != "running" && s.State != "streaming" || s.Timeline != all[0].Timeline {
			return false
		}
		roles[s.Role]++
	}
	return roles["leader"] == 1 && roles["sync_standby"] == 1 && roles["replica"] == 1
}
