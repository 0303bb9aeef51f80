// Package solana is the connector of Solana: it follows the finalized chain with SOL and SPL tokens, derives deposit addresses from an
// account's extended public key, and, where it is given the seed, signs payouts from one hot wallet. Nobody reads whole blocks here: a node is
// asked for what our addresses hold, and for the transactions of those that changed. Only time excludes: a transaction has a last block, and
// is signed again after its recorded death. One file for each verb; the node's words are in client.
package solana

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/nodes"
	"causeway/internal/pay"
)

// Network is the canonical name of the one network of the family.
const Network = "Solana"

// Mainnet is the hash of the first block of Solana.
const Mainnet = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"

// Config is an operator's settings. Defaults fills in everything but RPC and XPub.
type Config struct {
	// Network is the canonical name (api-v1 §Network names).
	Network string `yaml:"network"`
	// RPC are the http or https URLs of the nodes' JSON-RPC, the preferred one first. Each may have a key in it, and is never shown.
	RPC nodes.Addresses `yaml:"rpc"`
	// Genesis is the hash of the chain's first block; another chain is never used.
	Genesis string `yaml:"genesis"`
	// XPub is the extended public key of m/44'/501'/0' in hex. Deposits go to 0/index, payouts leave from 1/0.
	XPub string `yaml:"xpub"`
	// Tokens are the mints to watch and pay with, by their symbol in the catalogue. SOL is always there.
	Tokens map[string]Token `yaml:"tokens"`
	// MaxPriorityFee is the most SOL that one transaction may offer for being taken sooner.
	MaxPriorityFee decimal.Decimal `yaml:"max_priority_fee"`
	// Cold is the operator's address for what the hot wallet does not need; "" for none.
	Cold string `yaml:"cold"`
	// Timeout is for one request.
	Timeout time.Duration `yaml:"timeout"`
	// StaleAfter is how old the newest final block may be, before the nodes count as standing still; 0 is any age.
	StaleAfter time.Duration `yaml:"stale_after"`
	// Start is the first block of ours to follow, of 16 slots each; 0 is the head when the network is first followed.
	Start int64 `yaml:"start"`
	// Caps are the signer's limits, by the token's symbol.
	Caps map[string]chains.Cap `yaml:"caps"`
	// Explorer is the address of a transaction's page in an explorer, with {txid} in its place; "" for no links.
	Explorer string `yaml:"explorer"`
}

// Token is a mint.
type Token struct {
	Contract string `yaml:"contract"`
	Decimals int32  `yaml:"decimals"`
}

// The bounds of Config.
const (
	minTimeout  = 2 * time.Second
	maxTimeout  = time.Minute
	minStale    = time.Minute
	maxStale    = 24 * time.Hour
	maxDecimals = 20 // no amount of 64 bits has more digits
)

// Defaults returns the settings before the operator's.
func Defaults() Config {
	return Config{Network: Network, Genesis: Mainnet, MaxPriorityFee: decimal.New(1, -3), Timeout: 10 * time.Second, StaleAfter: 3 * time.Minute,
		Explorer: "https://solscan.io/tx/{txid}"}
}

// Validate checks the settings without asking a node. The error names the setting and never its value: it may be secret.
func (c Config) Validate() error {
	if err := c.RPC.Validate(); err != nil {
		return err
	}
	switch {
	case c.Network != Network:
		return fmt.Errorf("network: %q is not Solana", c.Network)
	case !isHash(c.Genesis):
		return errors.New("genesis: the hash of the first block, in base58")
	case c.MaxPriorityFee.Sign() < 0 || c.MaxPriorityFee.GreaterThan(decimal.NewFromInt(1)) || c.MaxPriorityFee.Exponent() < -coinDecimals:
		return fmt.Errorf("max_priority_fee: from 0 to 1 SOL, at most %d decimals", coinDecimals)
	case c.Timeout < minTimeout || c.Timeout > maxTimeout:
		return errors.New("timeout: from 2s to 1m")
	case c.StaleAfter != 0 && (c.StaleAfter < minStale || c.StaleAfter > maxStale):
		return errors.New("stale_after: from 1m to 24h, or 0s for any age")
	case c.Start < 0:
		return errors.New("start: not negative")
	case c.Explorer != "" && !explains(c.Explorer):
		return errors.New("explorer: an https URL with {txid} in it, or empty for no links")
	}
	if _, err := publicAt(c.XPub, hotBranch, 0); err != nil {
		return fmt.Errorf("xpub: %w", err)
	}
	if err := c.validateCold(); err != nil {
		return fmt.Errorf("cold: %w", err)
	}
	for token, most := range c.Caps {
		if !most.Positive() {
			return fmt.Errorf("caps: %s: payout, hour or day, each above 0", token)
		}
	}
	return c.validateTokens()
}

// withoutNodes are all settings that hold from a start on.
func (c Config) withoutNodes() Config {
	c.RPC = nil
	return c
}

func (c Config) validateTokens() error {
	seen := map[key]string{}
	for symbol, t := range c.Tokens {
		if symbol == "" || symbol == coin.symbol {
			return fmt.Errorf("tokens: %s is not a token", symbol)
		}
		mint, ok := readKey(t.Contract)
		if !ok || t.Decimals < 0 || t.Decimals > maxDecimals {
			return fmt.Errorf("tokens: %s needs a contract and 0 to %d decimals", symbol, maxDecimals)
		}
		if other, twice := seen[mint]; twice {
			return fmt.Errorf("tokens: %s and %s have the same contract", symbol, other)
		}
		seen[mint] = symbol
	}
	return nil
}

// lowIndexes are the deposit addresses of ours that are compared with Cold. An operator who copies one of them has an early one.
const lowIndexes = 100

// errCold says that the key of Cold is the signer's own: nothing moved there would be out of its reach.
var errCold = errors.New("its key must not be in the seed")

// validateCold checks that Cold is an address, and none of those of the seed.
func (c Config) validateCold() error {
	if c.Cold == "" {
		return nil
	}
	if _, err := addresses.Validate(Network, c.Cold); err != nil {
		return errors.New("not an address that can be paid to")
	}
	if hot, err := publicAt(c.XPub, hotBranch, 0); err != nil || hot.String() == c.Cold {
		return fmt.Errorf("the hot wallet: %w", errCold)
	}
	for index := range uint32(lowIndexes) {
		if deposit, err := publicAt(c.XPub, depositBranch, index); err == nil && deposit.String() == c.Cold {
			return fmt.Errorf("deposit address %d: %w", index, errCold)
		}
	}
	return nil
}

// explains reports whether a text is the address of an explorer's page of a transaction.
func explains(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil && strings.Contains(text, "{txid}")
}

// coin is SOL. Its units are called lamports.
var coin = func() token {
	n, _ := pay.NetworkNamed(Network)
	return token{symbol: n.Coin, native: true, decimals: coinDecimals}
}()

const coinDecimals = 9
