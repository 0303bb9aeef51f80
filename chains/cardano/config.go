package cardano

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
)

// Network is the canonical name of the one network of the family.
const Network = "Cardano"

// Mainnet is the magic number of the main network.
const Mainnet = 764824073

// Config is an operator's settings. Defaults fills in everything but RPC and XPub.
type Config struct {
	// Network is the canonical name (api-v1 §Network names).
	Network string `yaml:"network"`
	// RPC are the http or https URLs of Ogmios, beside a node each; the first one in order is asked. They are never shown.
	RPC nodes.Addresses `yaml:"rpc"`
	// Magic is the number of the network. Any other than that of the main network is for trials.
	Magic uint32 `yaml:"network_magic"`
	// XPub is the extended public key of m/1852'/1815'/0' in hex. Deposits go to 0/index, payouts leave from 1/0.
	XPub string `yaml:"xpub"`
	// Rule says after how many confirmations a transfer is credited and final.
	Rule Rule `yaml:"rule"`
	// Batch is the most payouts in one transaction.
	Batch int `yaml:"batch"`
	// BatchEvery is how long a payout waits for others to share its transaction; 0 is not at all.
	BatchEvery time.Duration `yaml:"batch_every"`
	// MaxFee is the highest fee of a transaction, in ADA; payouts wait while the network asks for more.
	MaxFee decimal.Decimal `yaml:"max_fee"`
	// Cold is the operator's address for what the hot wallet does not need; "" for none.
	Cold string `yaml:"cold"`
	// Timeout is for one request.
	Timeout time.Duration `yaml:"timeout"`
	// StaleAfter is how old the best block may be, before the node counts as standing still; 0 is any age.
	StaleAfter time.Duration `yaml:"stale_after"`
	// Caps are the signer's limits, by the symbol of the coin.
	Caps map[string]chains.Cap `yaml:"caps"`
	// Tokens are refused: a coin of the books is of one token.
	Tokens map[string]any `yaml:"tokens"`
	// Explorer is the address of a transaction's page in an explorer, with {txid} in its place; "" for no links.
	Explorer string `yaml:"explorer"`
}

// Rule is a number of confirmations; the block itself is the first.
type Rule struct {
	Credit int `yaml:"credit"`
	Final  int `yaml:"final"`
}

// The bounds of Config. After maxDepth blocks nothing is undone on Cardano (the security parameter k).
const (
	minTimeout = 2 * time.Second
	maxTimeout = 5 * time.Minute
	minStale   = time.Minute
	maxStale   = 24 * time.Hour
	maxDepth   = 2160
	maxOrders  = 60
	maxWindow  = time.Minute
)

// maxFee is the highest of MaxFee.
var maxFee = decimal.NewFromInt(10)

// Defaults returns the settings before the operator's.
func Defaults() Config {
	return Config{Network: Network, Magic: Mainnet, Rule: Rule{Credit: 15, Final: 30}, Batch: 40, MaxFee: decimal.NewFromInt(2), Timeout: 30 * time.Second,
		StaleAfter: 10 * time.Minute, Explorer: "https://cardanoscan.io/transaction/{txid}"}
}

// Validate checks the settings without asking the node. The error names the setting and never its value: it may be secret.
func (c Config) Validate() error {
	if err := c.RPC.Validate(); err != nil {
		return err
	}
	switch {
	case c.Network != Network:
		return fmt.Errorf("network: %q is not Cardano", c.Network)
	case c.Tokens != nil:
		return errors.New("tokens: ADA alone is credited and paid on Cardano")
	case c.Magic == 0:
		return errors.New("network_magic: the number of the network")
	case c.Rule.Credit < 1 || c.Rule.Final < c.Rule.Credit || c.Rule.Final > maxDepth:
		return fmt.Errorf("rule: credit from 1, final from credit to %d", maxDepth)
	case c.Batch < 1 || c.Batch > maxOrders:
		return fmt.Errorf("batch: from 1 to %d", maxOrders)
	case c.BatchEvery < 0 || c.BatchEvery > maxWindow:
		return errors.New("batch_every: up to 60s, or 0s for at once")
	case !c.MaxFee.IsPositive() || c.MaxFee.GreaterThan(maxFee) || c.MaxFee.Exponent() < -decimals:
		return fmt.Errorf("max_fee: above 0 and up to %s ADA, at most %d decimals", maxFee, decimals)
	case c.Timeout < minTimeout || c.Timeout > maxTimeout:
		return errors.New("timeout: from 2s to 5m")
	case c.StaleAfter != 0 && (c.StaleAfter < minStale || c.StaleAfter > maxStale):
		return errors.New("stale_after: from 1m to 24h, or 0s for any age")
	case c.Explorer != "" && !explains(c.Explorer):
		return errors.New("explorer: an https URL with {txid} in its path, or empty for no links")
	}
	if _, err := addressAt(c.XPub, hotBranch, 0); err != nil {
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
	return nil
}

// withoutNodes are all settings that hold from a start on.
func (c Config) withoutNodes() Config {
	c.RPC = nil
	return c
}

// lowIndexes are the deposit addresses of ours that are compared with Cold. An operator who copies one of them has an early one.
const lowIndexes = 100

// errCold says that the key of Cold is the signer's own: nothing moved there would be out of its reach.
var errCold = errors.New("its key must not be in the seed")

// validateCold checks that Cold is an address, and none of a key of the seed.
func (c Config) validateCold() error {
	if c.Cold == "" {
		return nil
	}
	cold, err := addresses.Validate(Network, c.Cold)
	if err != nil {
		return errors.New("not an address that can be paid to")
	}
	if plain, ok := addresses.CardanoPlain(cold); ok {
		cold = plain
	}
	if hot, err := addressAt(c.XPub, hotBranch, 0); err != nil || hot == cold {
		return fmt.Errorf("the hot wallet: %w", errCold)
	}
	for index := range uint32(lowIndexes) {
		if deposit, err := addressAt(c.XPub, depositBranch, index); err == nil && deposit == cold {
			return fmt.Errorf("deposit address %d: %w", index, errCold)
		}
	}
	return nil
}

// explains reports whether a text is the address of an explorer's page of a transaction.
func explains(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil && strings.Contains(u.Path+u.RawQuery, "{txid}")
}
