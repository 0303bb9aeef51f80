package testkit

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"
)

// Cut is the moment of losing a connection to PostgreSQL.
type Cut int

// The moments of a statement.
const (
	CutBefore Cut = iota + 1 // PostgreSQL never got it
	CutAfter                 // it ran, and nothing of its answer came
	CutInside                // it ran, and half of its answer came
)

// String implements fmt.Stringer.
func (c Cut) String() string { return [...]string{"never", "before", "after", "inside"}[c] }

// Cutter stands between a pool and PostgreSQL and loses a connection at a statement of the test's choice. Begin and commit are
// statements, too.
type Cutter struct {
	server string // PostgreSQL's socket

	mu   sync.Mutex
	left int // statements until the loss; zero: none is lost
	way  Cut
	lost string
}

// CutDB is DB by way of a cutter.
func CutDB(t testing.TB) (*bun.DB, *Cutter) {
	t.Helper()
	at, err := url.Parse(DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	config, err := pgx.ParseConfig(at.String())
	if err != nil {
		t.Fatal(err)
	}
	_, address := pgconn.NetworkAddress(config.Host, config.Port)
	c := &Cutter{server: address}
	dir, err := os.MkdirTemp("", "cut") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	listener, err := net.Listen("unix", filepath.Join(dir, filepath.Base(address)))
	if err != nil {
		t.Fatal(err)
	}
	var served sync.WaitGroup
	served.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			served.Go(func() { c.serve(client) })
		}
	})
	t.Cleanup(func() { _ = listener.Close(); served.Wait() })
	query := at.Query()
	query.Set("host", dir)
	at.RawQuery = query.Encode()
	return open(t, at.String()), c
}

// At loses the connection of the nth statement from now on, counted over all connections.
func (c *Cutter) At(n int, way Cut) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left, c.way, c.lost = n, way, ""
}

// Lost is the statement of the lost connection, and empty when there was none. From then on nothing is lost.
func (c *Cutter) Lost() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left = 0
	return c.lost
}

// next returns the fate of a statement.
func (c *Cutter) next(statement []byte) Cut {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left == 0 {
		return 0
	}
	if c.left--; c.left > 0 {
		return 0
	}
	c.lost = strings.ToValidUTF8(string(statement), "?")
	return c.way
}

// serve passes one connection on until it ends.
func (c *Cutter) serve(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("unix", c.server)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	from, to := bufio.NewReader(client), bufio.NewReader(server)
	opening, err := message(from, 0)
	if err != nil {
		return
	}
	way := Cut(0)
	for statement := opening; way != CutBefore; way = c.next(statement) {
		if _, err := server.Write(statement); err != nil {
			return
		}
		answer, err := until(to, "Z")
		if way != 0 {
			answer = answer[:len(answer)/2]
			if way == CutInside {
				_, _ = client.Write(answer)
			}
			return
		}
		if _, failed := client.Write(answer); err != nil || failed != nil {
			return
		}
		if statement, err = until(from, "QSX"); err != nil {
			return
		}
	}
}

// until reads messages up to one of these types.
func until(from *bufio.Reader, types string) (all []byte, err error) {
	for {
		m, err := message(from, 1)
		all = append(all, m...)
		if err != nil || strings.IndexByte(types, m[0]) >= 0 {
			return all, err
		}
	}
}

// message reads a message: its type (the opening one has none), its length, and the rest.
func message(from *bufio.Reader, typed int) ([]byte, error) {
	head := make([]byte, typed+4)
	if _, err := io.ReadFull(from, head); err != nil {
		return nil, err
	}
	all := make([]byte, typed+int(binary.BigEndian.Uint32(head[typed:])))
	_, err := io.ReadFull(from, all[copy(all, head):])
	return all, err
}
