package devstack

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

// access is how a server is reached. It is kept beside the data (mode 0600): a
// server comes back at the same address after a stop.
type access struct {
	Port     int    `json:"port"`
	Password string `json:"password"`
}

// loadAccess reads the kept access, replacing a port taken by somebody else
// meanwhile, or makes a new one.
func loadAccess(p *place) (access, error) {
	var a access
	content, err := os.ReadFile(p.path("access.json"))
	if err == nil && json.Unmarshal(content, &a) == nil && a.Password != "" && portFree(a.Port) {
		return a, nil
	}
	if a.Password == "" {
		a.Password = randomHex()
	}
	if a.Port, err = freePort(); err != nil {
		return a, err
	}
	content, err = json.Marshal(a)
	if err != nil {
		return a, err
	}
	return a, replaceFile(p.path("access.json"), content)
}

func (a access) address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(a.Port)) }

func portFree(port int) bool {
	if port <= 0 {
		return false
	}
	listener, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func randomHex() string {
	var secret [20]byte
	_, _ = rand.Read(secret[:]) // never fails
	return hex.EncodeToString(secret[:])
}

// replaceFile writes a private file as a whole or not at all.
func replaceFile(path string, content []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if _, err := file.Write(content); err != nil {
		file.Close()
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
