// Package ripple is the connector of the XRP Ledger: it follows validated ledgers, derives deposit addresses from an account's xpub, and,
// where it is given the seed, signs payouts from one hot wallet. A number excludes here: at most one transaction of a Sequence is ever in a
// ledger. Payins share one address and are told apart by destination tags. One file for each verb; the node's words are in client.
package ripple

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
	"causeway/chains/remotesigner"
)

// Network is the canonical name of the one network of the family.
const Network = "Ripple"

// AccountPath is where the account is in the seed; its extended public key is Config.XPub.
const AccountPath = "m/44'/144'/0'"

// Config is an operator's settings. Defaults fills in everything but RPC and XPub.
type Config struct {
	// Network is the canonical name (api-v1 §Network names).
	Network string `yaml:"network"`
	// RPC are the http or https URLs of JSON-RPC, of a rippled or a Clio each. They are never shown.
	RPC nodes.Addresses `yaml:"rpc"`
	// NetworkID tells the networks of the XRP Ledger apart: 0 is the main one, and 1 the test net.
	NetworkID uint32 `yaml:"network_id"`
	// XPub is the extended public key of m/44'/144'/0'. Payins share 0/0, fixed wallets have 0/index, payouts leave from 1/0.
	XPub string `yaml:"xpub"`
	// Signer has the keys of the account; nil for those of the seed.
	Signer *remotesigner.Config `yaml:"signer"`
	// MaxFee is the most XRP that one transaction may cost.
	MaxFee decimal.Decimal `yaml:"max_fee"`
	// Cold is the operator's address for what the hot wallet does not need; "" for none.
	Cold string `yaml:"cold"`
	// Timeout is for one request.
	Timeout time.Duration `yaml:"timeout"`
	// StaleAfter is how old the newest validated ledger may be, before the node counts as standing still; 0 is any age.
	StaleAfter time.Duration `yaml:"stale_after"`
	// Start is the first ledger to follow; 0 is the newest one when the network is first followed.
	Start int64 `yaml:"start"`
	// Caps are the signer's limits, by the token's symbol.
	Caps map[string]chains.Cap `yaml:"caps"`
	// Explorer is the address of a transaction's page in an explorer, with {txid} in its place; "" for no links.
	Explorer string `yaml:"explorer"`
}

// The bounds of Config.
const (
	minTimeout = 2 * time.Second
	maxTimeout = time.Minute
	minStale   = 30 * time.Second
	maxStale   = 24 * time.Hour
	mostFee    = 10 // XRP
)

// Defaults returns the settings before the operator's.
func Defaults() Config {
	return Config{Network: Network, MaxFee: decimal.New(5, -2), Timeout: 10 * time.Second, StaleAfter: 2 * time.Minute,
		Explorer: "https://livenet.xrpl.org/transactions/{txid}"}
}

// Validate checks the settings without asking a node. The error names the setting and never its value: it may be secret.
func (c Config) Validate() error {
	if err := c.RPC.Validate(); err != nil {
		return err
	}
	switch {
	case c.Network != Network:
		return fmt.Errorf("network: %q is not Ripple", c.Network)
	case c.MaxFee.Sign() <= 0 || c.MaxFee.GreaterThan(decimal.NewFromInt(mostFee)) || c.MaxFee.Exponent() < -coinDecimals:
		return fmt.Errorf("max_fee: above 0, up to %d XRP, at most %d decimals", mostFee, coinDecimals)
	case c.Timeout < minTimeout || c.Timeout > maxTimeout:
		return errors.New("timeout: from 2s to 1m")
	case c.StaleAfter != 0 && (c.StaleAfter < minStale || c.StaleAfter > maxStale):
		return errors.New("stale_after: from 30s to 24h, or 0s for any age")
	case c.Start < 0:
		return errors.New("start: not negative")
	case c.Explorer != "" && !explains(c.Explorer):
		return errors.New("explorer: an https URL with {txid} in it, or empty for no links")
	}
	if _, err := addresses.FromXPub(Network, c.XPub, 0); err != nil {
		return fmt.Errorf("xpub: %w", err)
	}
	if err := c.validateCold(); err != nil {
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
	return nil
}

// lowIndexes are the deposit addresses of ours that are compared with Cold. An operator who copies one of them has an early one.
const lowIndexes = 100

// errCold says that the key of Cold is the signer's own: nothing moved there would be out of its reach.
var errCold = errors.New("its key must not be in the seed")

// validateCold checks that Cold is an address without a tag, and none of those of the seed.
func (c Config) validateCold() error {
	if c.Cold == "" {
		return nil
	}
	if _, err := addresses.Validate(Network, c.Cold); err != nil || addresses.Match(Network, c.Cold) != c.Cold {
		return errors.New("not a classic address (r…) that can be paid to")
	}
	if key, err := publicKey(c.XPub, addresses.HotBranch, 0); err != nil || accountOf(key).String() == c.Cold {
		return fmt.Errorf("the hot wallet: %w", errCold)
	}
	for index := range uint32(lowIndexes) {
		if deposit, err := addresses.FromXPub(Network, c.XPub, index); err == nil && deposit == c.Cold {
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

// withoutNodes are all settings that hold from a start on.
func (c Config) withoutNodes() Config {
	c.RPC = nil
	return c
}
