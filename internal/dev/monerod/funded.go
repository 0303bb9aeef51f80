package monerod

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Funds of a chain made by Funded.
const (
	mined    = 100 // coins of the stranger, of 35 XMR each
	Coins    = 12  // of the address
	CoinSize = 100 // XMR
)

// prepared are the files of chains, by the address that was paid. Each block takes a hash of RandomX, so a chain is made once.
var prepared struct {
	sync.Mutex
	chains map[string]map[string][]byte
}

// Funded starts a chain of 171 blocks, and a stranger's wallet with some 2,300 XMR. An address has got 12 coins of 100 XMR each, which may
// be spent.
func Funded(t testing.TB, address string) (*Node, *Wallet) {
	t.Helper()
	prepared.Lock()
	files := prepared.chains[address]
	if files == nil {
		files = prepare(t, address)
		if prepared.chains == nil {
			prepared.chains = map[string]map[string][]byte{}
		}
		prepared.chains[address] = files
	}
	prepared.Unlock()
	data, wallets := t.TempDir(), t.TempDir()
	for _, name := range chainFiles {
		write(t, filepath.Join(data, name), files[name])
	}
	for _, name := range walletFiles {
		write(t, filepath.Join(wallets, name), files[name])
	}
	n := start(t, data)
	return n, n.open(t, wallets)
}

var (
	chainFiles  = []string{"fake/lmdb/data.mdb"}
	walletFiles = []string{"stranger", "stranger.keys"}
)

// prepare makes a chain, ends its programs in order and returns their files.
func prepare(t testing.TB, address string) map[string][]byte {
	t.Helper()
	data, wallets := t.TempDir(), t.TempDir()
	n := start(t, data)
	s := n.server(t, wallets, "--disable-rpc-login")
	w := s.create(t)
	n.MineTo(t, w.Address, mined)
	n.Mine(t, 60)
	var parts []Payment
	for range Coins {
		parts = append(parts, Payment{Address: address, Amount: CoinSize * 1_000_000_000_000})
	}
	w.Pay(t, parts...)
	n.Mine(t, 11)
	w.Refresh(t)
	w.Call(t, nil, "close_wallet", nil)
	n.Post(t, &struct{}{}, "/stop_daemon", struct{}{})
	<-n.ended
	files := map[string][]byte{}
	for _, name := range chainFiles {
		files[name] = read(t, filepath.Join(data, name))
	}
	for _, name := range walletFiles {
		files[name] = read(t, filepath.Join(wallets, name))
	}
	return files
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func write(t testing.TB, path string, raw []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, raw, 0o600)); err != nil {
		t.Fatal(err)
	}
}
