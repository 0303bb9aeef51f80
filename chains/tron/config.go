// Package tron is the connector of Tron: it follows blocks with TRX and TRC-20 tokens, derives deposit addresses from an account's xpub,
// and, where it is given the seed, signs payouts from one hot wallet. Only time excludes here: a transaction has a last moment, and is
// signed again after its recorded death. One file for each verb; the node's words are in client.
package tron

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/remotesigner"
	"causeway/internal/pay"
)

// Network is the canonical name of the one network of the family.
const Network = "Tron"

// AccountPath is where the account is in the seed; its extended public key is Config.XPub.
const AccountPath = "m/44'/195'/0'"

// Mainnet is the id of the first block of Tron.
const Mainnet = "00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc"

// Config is an operator's settings. Defaults fills in everything but RPC and XPub.
type Config struct {
	// Network is the canonical name (api-v1 §Network names).
	Network string `yaml:"network"`
	// RPC are the nodes: one, or a list of them.
	RPC Nodes `yaml:"rpc"`
	// APIKey is the key of the only node; "" for none. Several have theirs beside them.
	APIKey string `yaml:"api_key"`
	// Genesis is the id of the chain's first block; another chain is never used.
	Genesis string `yaml:"genesis"`
	// XPub is the extended public key of m/44'/195'/0'. Deposits go to 0/index, payouts leave from 1/0.
	XPub string `yaml:"xpub"`
	// Rule says when a transfer is credited and when it is final.
	Rule Rule `yaml:"rule"`
	// CreditByAmount credits small amounts before the rule does, and CreditByAmountOf does so for merchants of their own.
	CreditByAmount   []AmountRow            `yaml:"credit_by_amount"`
	CreditByAmountOf map[string][]AmountRow `yaml:"credit_by_amount_of"`
	// Tokens are the contracts to watch and pay with, by their symbol in the catalogue. TRX is always there.
	Tokens map[string]Token `yaml:"tokens"`
	// MaxFee is the most TRX that one payout may burn for energy.
	MaxFee decimal.Decimal `yaml:"max_fee"`
	// MaxStake is the most TRX that the hot wallet may have staked, with what is on its way back; 0 for none.
	MaxStake decimal.Decimal `yaml:"max_stake"`
	// Cold is the operator's address for what the hot wallet does not need; "" for none.
	Cold string `yaml:"cold"`
	// Signer has the keys of the account; nil for those of the seed.
	Signer *remotesigner.Config `yaml:"signer"`
	// Timeout is for one request.
	Timeout time.Duration `yaml:"timeout"`
	// StaleAfter is how old the best block may be, before the node counts as standing still; 0 is any age.
	StaleAfter time.Duration `yaml:"stale_after"`
	// Start is the first block to follow; 0 is the head when the network is first followed.
	Start int64 `yaml:"start"`
	// AcceptBlocks are the ids of blocks whose list of transactions an operator has checked, since it does not have the root of the header.
	AcceptBlocks []string `yaml:"accept_blocks"`
	// Caps are the signer's limits, by the token's symbol.
	Caps map[string]chains.Cap `yaml:"caps"`
	// Explorer is the address of a transaction's page in an explorer, with {txid} in its place; "" for no links.
	Explorer string `yaml:"explorer"`
}

// Token is a TRC-20 contract.
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
	maxDecimals = 36
	maxFee      = 15_000 // the network's own bound of a fee_limit, in TRX
	maxStake    = 1_000_000_000
)

// Defaults returns the settings before the operator's.
func Defaults() Config {
	return Config{Network: Network, Genesis: Mainnet, Rule: Rule{Credit: Solid, Final: Solid}, CreditByAmount: small(), MaxFee: decimal.NewFromInt(100),
		Timeout: 10 * time.Second, StaleAfter: 3 * time.Minute, Explorer: "https://tronscan.org/#/transaction/{txid}"}
}

// Validate checks the settings without asking the node. The error names the setting and never its value: it may be secret.
func (c Config) Validate() error {
	switch {
	case c.Network != Network:
		return fmt.Errorf("network: %q is not Tron", c.Network)
	case !isHash(c.Genesis) || !strings.HasPrefix(c.Genesis, "0000000000000000"):
		return errors.New("genesis: the id of a block 0, 64 digits of hex in lower case")
	case c.MaxFee.Sign() <= 0 || c.MaxFee.GreaterThan(decimal.NewFromInt(maxFee)) || c.MaxFee.Exponent() < -coinDecimals:
		return fmt.Errorf("max_fee: above 0, up to %d TRX, at most %d decimals", maxFee, coinDecimals)
	case c.MaxStake.IsNegative() || c.MaxStake.GreaterThan(decimal.NewFromInt(maxStake)) || c.MaxStake.Exponent() < -coinDecimals:
		return fmt.Errorf("max_stake: from 0 to %d TRX, at most %d decimals", int64(maxStake), coinDecimals)
	case c.Timeout < minTimeout || c.Timeout > maxTimeout:
		return errors.New("timeout: from 2s to 1m")
	case c.StaleAfter != 0 && (c.StaleAfter < minStale || c.StaleAfter > maxStale):
		return errors.New("stale_after: from 1m to 24h, or 0s for any age")
	case c.Start < 0:
		return errors.New("start: not negative")
	case c.Explorer != "" && !explains(c.Explorer):
		return errors.New("explorer: an https URL with {txid} in it, or empty for no links")
	}
	if err := c.validateNodes(); err != nil {
		return err
	}
	for _, id := range c.AcceptBlocks {
		if !isHash(id) {
			return errors.New("accept_blocks: ids of blocks, 64 digits of hex in lower case")
		}
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
	if err := c.Rule.validate(); err != nil {
		return fmt.Errorf("rule: %w", err)
	}
	if err := c.validateAmounts(); err != nil {
		return err
	}
	return c.validateTokens()
}

// isHash reports whether a text is 32 bytes of hex, as ids of blocks and transactions are.
func isHash(text string) bool {
	raw, err := hex.DecodeString(text)
	return err == nil && len(raw) == len(hash{}) && strings.ToLower(text) == text
}

func (c Config) validateTokens() error {
	n, _ := pay.NetworkNamed(Network)
	seen := map[common.Address]string{}
	for symbol, t := range c.Tokens {
		if symbol == n.Coin {
			return fmt.Errorf("tokens: %s is the native coin and needs no contract", symbol)
		}
		contract, err := addresses.TronAccount(t.Contract)
		if err != nil || t.Decimals < 0 || t.Decimals > maxDecimals {
			return fmt.Errorf("tokens: %s needs a contract and 0 to %d decimals", symbol, maxDecimals)
		}
		if other, twice := seen[contract]; twice {
			return fmt.Errorf("tokens: %s and %s have the same contract", symbol, other)
		}
		seen[contract] = symbol
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
	if hot, err := hotAccount(c.XPub); err != nil || addresses.TronOf(hot) == c.Cold {
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
