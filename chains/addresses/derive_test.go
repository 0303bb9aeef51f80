package addresses_test

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"causeway/chains/addresses"

	"github.com/tyler-smith/go-bip39"
)

// The published seed phrases of the vectors below.
const (
	junk    = "test test test test test test test test test test test junk"
	abandon = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"
)

func account(t testing.TB, phrase, path string) string {
	t.Helper()
	xpub, err := addresses.AccountXPub(bip39.NewSeed(phrase, ""), path)
	if err != nil {
		t.Fatal(err)
	}
	return xpub
}

// TestFromXPub holds derivations against addresses published by wallets.
func TestFromXPub(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		network, phrase, path string
		index                 uint32
		want                  string
	}{
		{"Ethereum", junk, "m/44'/60'/0'", 0, "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"},
		{"Polygon", junk, "m/44'/60'/0'", 1, "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"},
		{"Tron", abandon, "m/44'/195'/0'", 0, "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH"},
		{"Bitcoin", abandon, "m/84'/0'/0'", 0, "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"},
		{"Bitcoin", abandon, "m/84'/0'/0'", 1, "bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g"},
		{"Litecoin", abandon, "m/84'/2'/0'", 0, "ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh"},
		{"Dogecoin", abandon, "m/44'/3'/0'", 0, "DBus3bamQjgJULBJtYXpEzDWQRwF5iwxgC"},
		{"BitcoinSV", abandon, "m/44'/0'/0'", 0, "1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA"},
		{"BitcoinCash", abandon, "m/44'/145'/0'", 0,
			"bitcoincash:qqyx49mu0kkn9ftfj6hje6g2wfer34yfnq5tahq3q6"},
	} {
		got, err := addresses.FromXPub(c.network, account(t, c.phrase, c.path), c.index)
		if err != nil || got != c.want {
			t.Errorf("%s %s/0/%d: got %s, %v; want %s", c.network, c.path, c.index, got, err, c.want)
		}
	}
}

// TestFromXPubReadsWalletPrefixes: a zpub (BIP 84's vector) is the same key in another coat.
func TestFromXPubReadsWalletPrefixes(t *testing.T) {
	t.Parallel()
	const zpub = "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs"
	got, err := addresses.FromXPub("Bitcoin", zpub, 0)
	if want := "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"; err != nil || got != want {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestFromXPubRefuses(t *testing.T) {
	t.Parallel()
	good := account(t, junk, "m/44'/60'/0'")
	for _, c := range []struct {
		name, network, xpub string
		index               uint32
		want                error
	}{
		{"no such network", "Nowhere", good, 0, addresses.ErrNetwork},
		{"ed25519 family", "Solana", good, 0, addresses.ErrNoXPub},
		{"hardened index", "Ethereum", good, 1 << 31, addresses.ErrPath},
		{"too shallow", "Ethereum", account(t, junk, "m/44'/60'"), 0, addresses.ErrXPub},
		{"too deep", "Ethereum", account(t, junk, "m/44'/60'/0'/0"), 0, addresses.ErrXPub},
		{"checksum", "Ethereum", good[:len(good)-1] + "1", 0, addresses.ErrXPub},
		{"empty", "Ethereum", "", 0, addresses.ErrXPub},
		{"huge", "Ethereum", strings.Repeat("x", 1<<20), 0, addresses.ErrXPub},
		{"private", "Ethereum", bip32Private, 0, addresses.ErrXPub},
	} {
		if got, err := addresses.FromXPub(c.network, c.xpub, c.index); !errors.Is(err, c.want) || got != "" {
			t.Errorf("%s: got %q, %v; want %v", c.name, got, err, c.want)
		}
	}
}

// bip32Private is m/0'/1/2' of BIP32's first vector: of an account's depth, but private.
const bip32Private = "xprv9z4pot5VBttmtdRTWfWQmoH1taj2axGVzFqSb8C9xaxKymcFzXBDptWmT7FwuEzG3ryjH4ktypQSAewRiNMjANTtpgP4mLTj34bhnZX7UiM"

// TestBIP32 is the first test vector of BIP32.
func TestBIP32(t *testing.T) {
	t.Parallel()
	seed, _ := hex.DecodeString("000102030405060708090a0b0c0d0e0f")
	for path, want := range map[string]string{
		"m":      "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8",
		"m/0h":   "xpub68Gmy5EdvgibQVfPdqkBBCHxA5htiqg55crXYuXoQRKfDBFA1WEjWgP6LHhwBZeNK1VTsfTFUHCdrfp1bgwQ9xv5ski8PX9rL2dZXvgGDnw",
		"m/0'/1": "xpub6ASuArnXKPbfEwhqN6e3mwBcDTgzisQN1wXN9BJcM47sSikHjJf3UFHKkNAWbWMiGj7Wf5uMash7SyYq527Hqck2AxYysAA7xmALppuCkwQ",
	} {
		if got, err := addresses.AccountXPub(seed, path); err != nil || got != want {
			t.Errorf("%s: got %s, %v", path, got, err)
		}
	}
}

func TestPrivateFromSeed(t *testing.T) {
	t.Parallel()
	seed := bip39.NewSeed(junk, "")
	for path, want := range map[string]string{
		"m/44'/60'/0'/0/0": "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
		"m/44h/60h/0h/0/1": "59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
	} {
		if got, err := addresses.PrivateFromSeed(seed, path); err != nil || hex.EncodeToString(got) != want {
			t.Errorf("%s: got another key, %v", path, err)
		}
	}
	for _, path := range []string{"", "m/", "44'", "m/44''", "m/-1", "m/+1", "m/01", "m/2147483648", "m//0", "m/0/", "n/0"} {
		if _, err := addresses.PrivateFromSeed(seed, path); !errors.Is(err, addresses.ErrPath) {
			t.Errorf("path %q: %v", path, err)
		}
	}
	if _, err := addresses.AccountXPub([]byte("short"), "m/0"); !errors.Is(err, addresses.ErrSeed) {
		t.Errorf("short seed: %v", err)
	}
}
