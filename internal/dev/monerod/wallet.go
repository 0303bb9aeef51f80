package monerod

import (
	"path/filepath"
	"strings"
	"testing"
)

// Server is a wallet server, with one wallet open or none.
type Server struct{ program }

// Server starts a wallet server on the node, without a wallet.
func (n *Node) Server(t testing.TB) *Server {
	t.Helper()
	return n.server(t, t.TempDir(), "--disable-rpc-login")
}

// Guarded starts a wallet server that asks for a name and a password. They are in its URL.
func (n *Node) Guarded(t testing.TB) *Server {
	t.Helper()
	s := n.server(t, t.TempDir(), "--rpc-login="+login)
	s.URL = strings.Replace(s.URL, "://", "://"+login+"@", 1)
	return s
}

// login is the name and the password of a guarded server.
const login = "causeway:secret"

func (n *Node) server(t testing.TB, dir string, flags ...string) *Server {
	t.Helper()
	s := &Server{program{name: "monero-wallet-rpc", flags: []string{"--wallet-dir=" + dir, "--daemon-address=" + n.URL, "--trusted-daemon",
		"--rpc-ssl=disabled", "--daemon-ssl=disabled", "--shared-ringdb-dir=" + filepath.Join(dir, "rings"),
		"--log-file=" + filepath.Join(dir, "log"), "--log-level=0", "--non-interactive", "--no-dns", "--allow-mismatched-daemon-version",
		"--max-concurrency=1", "--disable-rpc-ban"}}}
	s.flags = append(s.flags, flags...)
	s.launch(t)
	return s
}

// Wallet is a stranger's wallet on a server of its own.
type Wallet struct {
	*Server
	Address string
}

// Wallet makes a stranger's wallet.
func (n *Node) Wallet(t testing.TB) *Wallet {
	t.Helper()
	return n.Server(t).create(t)
}

func (s *Server) create(t testing.TB) *Wallet {
	t.Helper()
	s.Call(t, nil, "create_wallet", map[string]any{"filename": "stranger", "language": "English"})
	return s.wallet(t)
}

// open starts a server on a folder with a stranger's wallet.
func (n *Node) open(t testing.TB, dir string) *Wallet {
	t.Helper()
	s := n.server(t, dir, "--disable-rpc-login")
	s.Call(t, nil, "open_wallet", map[string]any{"filename": "stranger"})
	return s.wallet(t)
}

func (s *Server) wallet(t testing.TB) *Wallet {
	t.Helper()
	var main struct{ Address string }
	s.Call(t, &main, "get_address", map[string]any{"account_index": 0})
	s.Call(t, nil, "auto_refresh", map[string]any{"enable": false})
	return &Wallet{Server: s, Address: main.Address}
}

// Payment is an amount for an address, in the smallest units.
type Payment struct {
	Address string `json:"address"`
	Amount  uint64 `json:"amount"`
}

// Sent is a transaction of a wallet.
type Sent struct {
	ID  string `json:"tx_hash"`
	Raw string `json:"tx_blob"`
	Fee uint64 `json:"fee"`
}

// Refresh reads the chain up to its newest block.
func (w *Wallet) Refresh(t testing.TB) {
	t.Helper()
	w.Call(t, nil, "refresh", nil)
}

// Pay sends into the mempool, in one transaction.
func (w *Wallet) Pay(t testing.TB, payments ...Payment) Sent {
	t.Helper()
	return w.transfer(t, false, payments)
}

// Sign is Pay without sending it. The next payment may spend the same.
func (w *Wallet) Sign(t testing.TB, payments ...Payment) Sent {
	t.Helper()
	return w.transfer(t, true, payments)
}

func (w *Wallet) transfer(t testing.TB, kept bool, payments []Payment) (sent Sent) {
	t.Helper()
	w.Refresh(t)
	w.Call(t, &sent, "transfer", map[string]any{"destinations": payments, "do_not_relay": kept, "get_tx_hex": true})
	return sent
}

// Unlocked returns how much may be spent now, in the smallest units.
func (w *Wallet) Unlocked(t testing.TB) uint64 {
	t.Helper()
	w.Refresh(t)
	var balance struct {
		Unlocked uint64 `json:"unlocked_balance"`
	}
	w.Call(t, &balance, "get_balance", map[string]any{"account_index": 0})
	return balance.Unlocked
}
