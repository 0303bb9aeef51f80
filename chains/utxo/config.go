package utxo

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

// Config is an operator's settings of one network of the family. Defaults fills in everything but RPC and XPub.
type Config struct {
	// Network is the canonical name (api-v1 §Network names).
	Network string `yaml:"network"`
	// RPC are the nodes: an http or https URL with the name and the password of the RPC user, or a list of them. They are never shown.
	RPC nodes.Addresses `yaml:"rpc"`
	// Chain is main, or regtest for trials.
	Chain string `yaml:"chain"`
	// XPub is the extended public key of the account. Deposits go to 0/index, payouts leave from 1/0.
	XPub string `yaml:"xpub"`
	// Rule says after how many confirmations a transfer is credited and final.
	Rule Rule `yaml:"rule"`
	// CreditByAmount credits small amounts before the rule does, and CreditByAmountOf does so for merchants of their own.
	CreditByAmount   []AmountRow            `yaml:"credit_by_amount"`
	CreditByAmountOf map[string][]AmountRow `yaml:"credit_by_amount_of"`
	// MaxFeeRate is the highest offer, in the smallest units for one virtual byte; payouts wait while the network asks for more.
	MaxFeeRate decimal.Decimal `yaml:"max_fee_rate"`
	// FeeRate is the offer where the node estimates none.
	FeeRate decimal.Decimal `yaml:"fee_rate"`
	// Batch is the most payouts in one transaction.
	Batch int `yaml:"batch"`
	// BatchEvery is how long a payout waits for others to share its transaction; 0 is not at all.
	BatchEvery time.Duration `yaml:"batch_every"`
	// Cold is the operator's address for what the hot wallet does not need; "" for none.
	Cold string `yaml:"cold"`
	// Signer has the keys of the account; nil for those of the seed.
	Signer *remotesigner.Config `yaml:"signer"`
	// Timeout is for one request; a scan of all coins has ScanTimeout.
	Timeout     time.Duration `yaml:"timeout"`
	ScanTimeout time.Duration `yaml:"scan_timeout"`
	// StaleAfter is how old the best block may be, before the node counts as standing still; 0 is any age.
	StaleAfter time.Duration `yaml:"stale_after"`
	// Start is the first block to follow; 0 is the head when the network is first followed.
	Start int64 `yaml:"start"`
	// Caps are the signer's limits, by the symbol of the coin.
	Caps map[string]chains.Cap `yaml:"caps"`
	// Explorer is the address of a transaction's page in an explorer, with {txid} in its place; "" for no links.
	Explorer string `yaml:"explorer"`
	// AcceptRisk turns on a network that is off for a reason.
	AcceptRisk bool `yaml:"accept_risk"`
}

// Rule is a number of confirmations; the block itself is the first.
type Rule struct {
	Credit int `yaml:"credit"`
	Final  int `yaml:"final"`
}

// The names of chains.
const (
	mainChain    = "main"
	regtestChain = "regtest"
)

// The bounds of Config.
const (
	minTimeout  = 2 * time.Second
	maxTimeout  = 2 * time.Minute
	maxScan     = time.Hour
	minStale    = time.Minute
	maxStale    = 24 * time.Hour
	maxDepth    = 100_000
	maxOrders   = 200
	maxWindow   = time.Minute
	rateDigits  = 3
	maxFeeTimes = 100 // how far max_fee_rate may be above its default
)

// Defaults returns the settings of a network before the operator's.
func Defaults(network string) Config {
	c := coins[network]
	return Config{Network: network, Chain: mainChain, Rule: Rule{Credit: c.credit, Final: c.final}, MaxFeeRate: c.most, FeeRate: c.rate, Batch: 100,
		Timeout: 20 * time.Second, ScanTimeout: 10 * time.Minute, StaleAfter: c.stale, Explorer: c.explorer}
}

// Validate checks the settings without asking the node. The error names the setting and never its value: it may be secret.
func (c Config) Validate() error {
	coin := coins[c.Network]
	if coin == nil {
		return fmt.Errorf("network: %q is none of Bitcoin and its kin", c.Network)
	}
	if coin.risk != "" && !c.AcceptRisk {
		return fmt.Errorf("%s is off: %s. To use it nevertheless, set accept_risk: true", c.Network, coin.risk)
	}
	if err := c.RPC.Validate(); err != nil {
		return err
	}
	switch {
	case c.Chain != mainChain && c.Chain != regtestChain:
		return errors.New("chain: main or regtest")
	case c.Rule.Credit < 1 || c.Rule.Final < c.Rule.Credit || c.Rule.Final > maxDepth:
		return fmt.Errorf("rule: credit from 1, final from credit to %d", maxDepth)
	case c.Batch < 1 || c.Batch > maxOrders:
		return fmt.Errorf("batch: from 1 to %d", maxOrders)
	case c.BatchEvery < 0 || c.BatchEvery > maxWindow:
		return errors.New("batch_every: up to 60s, or 0s for at once")
	case c.Timeout < minTimeout || c.Timeout > maxTimeout:
		return errors.New("timeout: from 2s to 2m")
	case c.ScanTimeout < c.Timeout || c.ScanTimeout > maxScan:
		return errors.New("scan_timeout: from timeout to 1h")
	case c.StaleAfter != 0 && (c.StaleAfter < minStale || c.StaleAfter > maxStale):
		return errors.New("stale_after: from 1m to 24h, or 0s for any age")
	case c.Start < 0:
		return errors.New("start: not negative")
	case c.Start == 0 && !coin.scans:
		return errors.New("start: the first block to follow: this node cannot search for coins, so all blocks from there are read whenever a process starts")
	case c.Explorer != "" && !explains(c.Explorer):
		return errors.New("explorer: an https URL with {txid} in its path, or empty for no links")
	}
	if err := c.validateFees(coin); err != nil {
		return err
	}
	if err := c.depths().Validate(c.Rule.Credit); err != nil {
		return err
	}
	if _, err := addresses.FromXPub(c.Network, c.XPub, 0); err != nil {
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

// withoutNodes are all settings that hold from a start on.
func (c Config) withoutNodes() Config {
	c.RPC = nil
	return c
}

func (c Config) validateFees(coin *coin) error {
	most := coin.most.Mul(decimal.NewFromInt(maxFeeTimes))
	switch {
	case c.MaxFeeRate.LessThan(coin.floor) || c.MaxFeeRate.GreaterThan(most) || c.MaxFeeRate.Exponent() < -rateDigits:
		return fmt.Errorf("max_fee_rate: from %s to %s, at most %d decimals: the smallest units for one byte", coin.floor, most, rateDigits)
	case c.FeeRate.LessThan(coin.floor) || c.FeeRate.GreaterThan(c.MaxFeeRate) || c.FeeRate.Exponent() < -rateDigits:
		return fmt.Errorf("fee_rate: from %s to max_fee_rate, at most %d decimals: the smallest units for one byte", coin.floor, rateDigits)
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
	if _, err := addresses.Validate(c.Network, c.Cold); err != nil {
		return errors.New("not an address that can be paid to")
	}
	cold := addresses.Match(c.Network, c.Cold)
	if _, hot, err := hotWallet(c.Network, c.XPub); err != nil || hot == cold {
		return fmt.Errorf("the hot wallet: %w", errCold)
	}
	for index := range uint32(lowIndexes) {
		if deposit, err := addresses.FromXPub(c.Network, c.XPub, index); err == nil && addresses.Match(c.Network, deposit) == cold {
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
