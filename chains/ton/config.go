package ton

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/nodes"
	"causeway/chains/remotesigner"
	"causeway/internal/pay"
)

// Network is the canonical name of the one network of the family.
const Network = "TON"

// Mainnet is the root hash of the first state of TON, in base64 as nodes and explorers write it.
const Mainnet = "F6OpKZKqvqeFp6CQmFomXNMfMj2EnaUSOXN+Mh+wVWk="

// Config is an operator's settings. Defaults fills in everything but RPC and PublicKey.
type Config struct {
	// Network is the canonical name (api-v1 §Network names).
	Network string `yaml:"network"`
	// RPC are the http or https URLs of the JSON-RPC of nodes' HTTP APIs (toncenter's, version 2). They are never shown.
	RPC nodes.Addresses `yaml:"rpc"`
	// APIKey is the key of a provider's user (the header X-API-Key); "" for none. It is never shown.
	APIKey string `yaml:"api_key"`
	// Genesis is the root hash of the chain's first state; another chain is never used.
	Genesis string `yaml:"genesis"`
	// PublicKey is the key of m/44'/607'/0' in hex. Its first wallet (v4r2) pays, and the one after it takes payins.
	PublicKey string `yaml:"public_key"`
	// Signer has the key; nil for that of the seed.
	Signer *remotesigner.Config `yaml:"signer"`
	// Tokens are the masters of jettons to watch and pay with, by their symbol in the catalogue. TON is always there.
	Tokens map[string]Token `yaml:"tokens"`
	// Attach is the TON that goes along with a payout of a jetton. What the network does not take of it comes back.
	Attach decimal.Decimal `yaml:"attach"`
	// Cold is the operator's address for what the hot wallet does not need; "" for none.
	Cold string `yaml:"cold"`
	// Timeout is for one request.
	Timeout time.Duration `yaml:"timeout"`
	// StaleAfter is how old the newest block may be, before the node counts as standing still; 0 is any age.
	StaleAfter time.Duration `yaml:"stale_after"`
	// Start is the first block of the masterchain to follow; 0 is the newest one when the network is first followed.
	Start int64 `yaml:"start"`
	// Caps are the signer's limits, by the token's symbol.
	Caps map[string]chains.Cap `yaml:"caps"`
	// Explorer is the address of a transaction's page in an explorer, with {txid} in its place; "" for no links.
	Explorer string `yaml:"explorer"`
}

// Token is the master of a jetton.
type Token struct {
	Contract string `yaml:"contract"`
	Decimals int32  `yaml:"decimals"`
}

// The bounds of Config.
const (
	minTimeout  = 2 * time.Second
	maxTimeout  = time.Minute
	minStale    = 30 * time.Second
	maxStale    = 24 * time.Hour
	maxDecimals = 36
)

// The bounds of Attach. Below, jettons do not arrive; above, nobody means it.
var minAttach, maxAttach = decimal.New(5, -2), decimal.NewFromInt(1)

// Defaults returns the settings before the operator's.
func Defaults() Config {
	return Config{Network: Network, Genesis: Mainnet, Attach: decimal.New(1, -1), Timeout: 10 * time.Second, StaleAfter: 2 * time.Minute,
		Explorer: "https://tonviewer.com/transaction/{txid}"}
}

// Validate checks the settings without asking a node. The error names the setting and never its value: it may be secret.
func (c Config) Validate() error {
	if err := c.RPC.Validate(); err != nil {
		return err
	}
	genesis, err := base64.StdEncoding.DecodeString(c.Genesis)
	switch {
	case c.Network != Network:
		return fmt.Errorf("network: %q is not TON", c.Network)
	case strings.ContainsFunc(c.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("api_key: not the value of a header")
	case err != nil || len(genesis) != 32:
		return errors.New("genesis: the root hash of the first state, 32 bytes in base64")
	case c.Attach.LessThan(minAttach) || c.Attach.GreaterThan(maxAttach) || c.Attach.Exponent() < -coinDecimals:
		return fmt.Errorf("attach: from %s to %s TON, at most %d decimals", minAttach, maxAttach, coinDecimals)
	case c.Timeout < minTimeout || c.Timeout > maxTimeout:
		return errors.New("timeout: from 2s to 1m")
	case c.StaleAfter != 0 && (c.StaleAfter < minStale || c.StaleAfter > maxStale):
		return errors.New("stale_after: from 30s to 24h, or 0s for any age")
	case c.Start < 0:
		return errors.New("start: not negative")
	case c.Explorer != "" && !explains(c.Explorer):
		return errors.New("explorer: an https URL with {txid} in it, or empty for no links")
	}
	key, err := c.key()
	if err != nil {
		return err
	}
	if err := c.validateCold(key); err != nil {
		return fmt.Errorf("cold: %w", err)
	}
	if c.Signer != nil {
		if err := c.Signer.Validate(); err != nil {
			return fmt.Errorf("signer: %w", err)
		}
	}
	for token, most := range c.Caps {
		if !most.Positive() {
			return fmt.Errorf("caps: %s: payout, hour or day, each above 0", token)
		}
	}
	return c.validateTokens()
}

// key is PublicKey.
func (c Config) key() ([]byte, error) {
	key, err := hex.DecodeString(c.PublicKey)
	if err != nil || len(key) != 32 {
		return nil, errors.New("public_key: 32 bytes in hex, as causeway admin seed create prints them")
	}
	return key, nil
}

func (c Config) validateTokens() error {
	n, _ := pay.NetworkNamed(Network)
	seen := map[account]string{}
	for symbol, t := range c.Tokens {
		if symbol == n.Coin {
			return fmt.Errorf("tokens: %s is the native coin and needs no contract", symbol)
		}
		master, err := masterOf(t.Contract)
		if err != nil || t.Decimals < 0 || t.Decimals > maxDecimals {
			return fmt.Errorf("tokens: %s needs a contract and 0 to %d decimals", symbol, maxDecimals)
		}
		if other, twice := seen[master]; twice {
			return fmt.Errorf("tokens: %s and %s have the same contract", symbol, other)
		}
		seen[master] = symbol
	}
	return nil
}

// lowIndexes are the deposit addresses of ours that are compared with Cold. An operator who copies one of them has an early one.
const lowIndexes = 100

// errCold says that the key of Cold is the signer's own: nothing moved there would be out of its reach.
var errCold = errors.New("its key must not be in the seed")

// validateCold checks that Cold is an address, and none of those of the seed.
func (c Config) validateCold(key []byte) error {
	if c.Cold == "" {
		return nil
	}
	cold, err := readAccount(c.Cold)
	if err != nil {
		return errors.New("not an address that can be paid to")
	}
	for subwallet := range uint32(lowIndexes + 1) {
		own, _, err := walletOf(key, hotSubwallet+subwallet)
		if err != nil {
			return err
		}
		if own == cold {
			return fmt.Errorf("a wallet of the seed: %w", errCold)
		}
	}
	return nil
}

// explains reports whether a text is the address of an explorer's page of a transaction.
func explains(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil && strings.Contains(text, "{txid}")
}

// withoutNodes are all settings that hold from a start on.
func (c Config) withoutNodes() Config {
	c.RPC = nil
	return c
}
