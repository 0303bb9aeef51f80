package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
)

// client is one kept connection. It sends requests made before, reads answers and does no more, so the load generator
// takes little from the service it measures.
type client struct {
	conn net.Conn
	in   *bufio.Reader
	body []byte
}

func dial(address string) (*client, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &client{conn: conn, in: bufio.NewReaderSize(conn, 16<<10)}, nil
}

func (c *client) close() { _ = c.conn.Close() }

// do sends a request and returns status and body; the body holds until the next request.
func (c *client) do(request []byte) (status int, body []byte, err error) {
	if _, err = c.conn.Write(request); err != nil {
		return 0, nil, err
	}
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return 0, nil, err
	}
	if len(line) < 12 {
		return 0, nil, fmt.Errorf("not an answer: %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, nil, err
	}
	length, err := c.header()
	if err != nil {
		return 0, nil, err
	}
	if length < 0 {
		return status, c.body, c.chunks()
	}
	return status, c.body, c.read(length)
}

// header reads to the empty line and returns the body's length, -1 when it comes in chunks.
func (c *client) header() (length int, err error) {
	c.body = c.body[:0]
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			return length, nil
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return 0, err
			}
		} else if bytes.Equal(line, []byte("Transfer-Encoding: chunked")) {
			length = -1
		}
	}
}

func (c *client) chunks() error {
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		n, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 16, 32)
		if err != nil {
			return err
		}
		if err := c.read(int(n)); err != nil {
			return err
		}
		if _, err := c.in.Discard(2); err != nil || n == 0 {
			return err
		}
	}
}

func (c *client) read(n int) error {
	start := len(c.body)
	c.body = append(c.body, make([]byte, n)...)
	_, err := io.ReadFull(c.in, c.body[start:])
	return err
}

// post and get write requests.
func post(path, key string, body []byte) []byte {
	return append(fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: bench\r\nX-Service-Invoke: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		path, key, len(body)), body...)
}

func get(path, key string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: bench\r\nX-Service-Invoke: %s\r\n\r\n", path, key)
}
