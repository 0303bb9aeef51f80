// Package evm is the connector of the twelve EVM networks: it follows blocks and token logs, derives deposit addresses
// from an account's xpub, and, where it is given the seed, signs payouts from one hot wallet. One file per verb; the
// node's dialects are in client.
package evm

import (
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/nodes"
	"causeway/chains/remotesigner"
	"causeway/internal/pay"
)

// Config is an operator's settings of one EVM network. Defaults fills in everything but RPC, XPub and Tokens.
type Config struct {
	// Network is the canonical name (api-v1 §Network names).
	Network string `yaml:"network"`
	// RPC are the nodes: a URL, or a list of them.
	RPC nodes.Addresses `yaml:"rpc"`
	// ChainID is the required answer to eth_chainId; another chain is never used.
	ChainID uint64 `yaml:"chain_id"`
	// Rule says when a transfer is credited and when it is final.
	Rule Rule `yaml:"rule"`
	// CreditByAmount credits small amounts before the rule does, and CreditByAmountOf does so for merchants of their own.
	CreditByAmount   []AmountRow            `yaml:"credit_by_amount"`
	CreditByAmountOf map[string][]AmountRow `yaml:"credit_by_amount_of"`
	// Tokens are the contracts to watch and pay with, by their symbol in the catalogue. The native coin is always there.
	Tokens map[string]Token `yaml:"tokens"`
	// XPub is the extended public key of m/44'/60'/0'. Deposits go to 0/index, payouts leave from 1/0.
	XPub string `yaml:"xpub"`
	// Cold is the operator's address for what the hot wallet does not need; "" for none.
	Cold string `yaml:"cold"`
	// Signer has the keys of the account; nil for those of the seed.
	Signer *remotesigner.Config `yaml:"signer"`
	// MaxRange is the most blocks in one question for logs; less is used where the node refuses it.
	MaxRange int `yaml:"max_range"`
	// Batch is the most questions in one HTTP request; 1 for nodes without batches.
	Batch int `yaml:"batch"`
	// MaxRequestsPerSecond bounds the HTTP requests of one process to each node; 0 is no bound.
	MaxRequestsPerSecond int `yaml:"max_requests_per_second"`
	// Timeout is for one HTTP request, 2 s to 10 s.
	Timeout time.Duration `yaml:"timeout"`
	// StaleAfter is how old the best block may be, before the node counts as standing still; 0 is any age.
	StaleAfter time.Duration `yaml:"stale_after"`
	// Start is the first block to follow; 0 is the head when the network is first followed.
	Start int64 `yaml:"start"`
	// Legacy is for chains without EIP-1559.
	Legacy bool `yaml:"legacy"`
	// MaxFeeGwei is the highest offer for one unit of gas; payouts wait while the network asks for more.
	MaxFeeGwei decimal.Decimal `yaml:"max_fee_gwei"`
	// MaxTipGwei is the highest tip for one unit of gas, whatever the node suggests. A replacement may offer more.
	MaxTipGwei decimal.Decimal `yaml:"max_tip_gwei"`
	// MaxGas is the most gas for a payment of the native coin, and MaxTokenGas for one of a token. A recipient is not paid if
	// its contract takes more; if the network itself takes more, payouts wait.
	MaxGas      uint64 `yaml:"max_gas"`
	MaxTokenGas uint64 `yaml:"max_token_gas"`
	// L1Fee is for OP chains: they charge for their data on the other chain, and some for their operator.
	L1Fee bool `yaml:"l1_fee"`
	// MayL1Fee is for chains becoming an OP chain: the fee is asked for, and none is added while its contract is missing.
	MayL1Fee bool `yaml:"-"`
	// Traces finds the native coin sent by contracts, by debug_traceBlockByHash. It costs the node much, and some nodes do not
	// offer it; without it only the values of transactions themselves are seen.
	Traces bool `yaml:"traces"`
	// Caps are the signer's limits, by the token's symbol.
	Caps map[string]chains.Cap `yaml:"caps"`
	// Explorer is the address of a transaction's page in an explorer, with {txid} in its place; "" for no links.
	Explorer string `yaml:"explorer"`
	// NativeLogs is the contract with moves of the native coin in its logs, if the chain has one. A move in both places is
	// counted once.
	NativeLogs string `yaml:"native_logs"`
}

// Token is an ERC-20 contract.
type Token struct {
	Contract string `yaml:"contract"`
	Decimals int32  `yaml:"decimals"`
}

// The bounds of Config.
const (
	minTimeout  = 2 * time.Second
	maxTimeout  = 10 * time.Second
	minStale    = time.Minute
	maxStale    = 24 * time.Hour
	maxDecimals = 36
	maxFeeGwei  = 100_000    // 2.1 coins for a plain payment: more is a figure in another unit
	maxGas      = 50_000_000 // the most gas of a trial by a node
)

// Validate checks the settings without asking the node. The error names the setting and never its value: it may be secret.
func (c Config) Validate() error {
	n, ok := pay.NetworkNamed(c.Network)
	if !ok || n.Family != pay.EVM {
		return fmt.Errorf("network: %q is no EVM network", c.Network)
	}
	if err := c.validate(n); err != nil {
		return fmt.Errorf("network %s: %w", c.Network, err)
	}
	return nil
}

func (c Config) validate(n *pay.Network) error {
	if err := c.RPC.Validate(); err != nil {
		return err
	}
	switch {
	case c.ChainID == 0:
		return errors.New("chain_id: missing")
	case c.MaxRange < 1 || c.MaxRange > 100_000:
		return errors.New("max_range: from 1 to 100000")
	case c.Batch < 1 || c.Batch > 1000:
		return errors.New("batch: from 1 to 1000")
	case c.MaxRequestsPerSecond < 0 || c.MaxRequestsPerSecond > 10_000:
		return errors.New("max_requests_per_second: from 1 to 10000, or 0 for no bound")
	case c.Timeout < minTimeout || c.Timeout > maxTimeout:
		return errors.New("timeout: from 2s to 10s")
	case c.StaleAfter != 0 && (c.StaleAfter < minStale || c.StaleAfter > maxStale):
		return errors.New("stale_after: from 1m to 24h, or 0s for any age")
	case c.Start < 0:
		return errors.New("start: not negative")
	case c.MaxFeeGwei.Sign() <= 0 || c.MaxFeeGwei.Exponent() < -gweiDecimals:
		return errors.New("max_fee_gwei: positive, at most 9 decimals")
	case c.MaxFeeGwei.GreaterThan(decimal.New(maxFeeGwei, 0)):
		return fmt.Errorf("max_fee_gwei: at most %d, since it bounds what a payout may cost", maxFeeGwei)
	case c.MaxTipGwei.Sign() <= 0 || c.MaxTipGwei.Exponent() < -gweiDecimals || c.MaxTipGwei.GreaterThan(decimal.New(maxFeeGwei, 0)):
		return fmt.Errorf("max_tip_gwei: positive, at most 9 decimals, at most %d", maxFeeGwei)
	case c.MaxGas < plainGas || c.MaxGas > maxGas:
		return fmt.Errorf("max_gas: from %d to %d", plainGas, maxGas)
	case c.MaxTokenGas < plainGas || c.MaxTokenGas > maxGas:
		return fmt.Errorf("max_token_gas: from %d to %d", plainGas, maxGas)
	case c.Explorer != "" && !explains(c.Explorer):
		return errors.New("explorer: an https URL with {txid} in its path, or empty for no links")
	case c.NativeLogs != "" && !common.IsHexAddress(c.NativeLogs):
		return errors.New("native_logs: not an address")
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
	if err := c.Rule.validate(); err != nil {
		return fmt.Errorf("rule: %w", err)
	}
	if err := c.validateAllAmounts(); err != nil {
		return err
	}
	return c.validateTokens(n)
}

func (c Config) validateTokens(n *pay.Network) error {
	seen := map[common.Address]string{}
	if c.NativeLogs != "" {
		seen[common.HexToAddress(c.NativeLogs)] = n.Coin
	}
	for symbol, t := range c.Tokens {
		if symbol == n.Coin {
			return fmt.Errorf("tokens: %s is the native coin and needs no contract", symbol)
		}
		if !common.IsHexAddress(t.Contract) || t.Decimals < 0 || t.Decimals > maxDecimals {
			return fmt.Errorf("tokens: %s needs a contract and 0 to %d decimals", symbol, maxDecimals)
		}
		contract := common.HexToAddress(t.Contract)
		if other, twice := seen[contract]; twice {
			return fmt.Errorf("tokens: %s and %s have the same contract", symbol, other)
		}
		seen[contract] = symbol
	}
	return nil
}
