package monero

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/nodes"
)

// Network is the canonical name of the one network of the family.
const Network = "Monero"

// Config is an operator's settings. Defaults fills in everything but RPC, Wallet and View.
type Config struct {
	// Network is the canonical name (api-v1 §Network names).
	Network string `yaml:"network"`
	// RPC are the URLs of monerod, with the name and the password of --rpc-login if it has one. They are never shown.
	RPC nodes.Addresses `yaml:"rpc"`
	// Wallet is the URL of a monero-wallet-rpc that sees and cannot spend, Spender that of the signer's. They are never shown.
	Wallet  string `yaml:"wallet"`
	Spender string `yaml:"spender"`
	// Chain is main, or regtest for trials.
	Chain string `yaml:"chain"`
	// View is the main address and the secret view key, as ADDRESS:KEY. Payouts leave from the main address, and deposits go to
	// subaddresses.
	View string `yaml:"view"`
	// Rule says after how many confirmations a transfer is credited and final.
	Rule Rule `yaml:"rule"`
	// CreditByAmount credits small amounts before the rule does, and CreditByAmountOf does so for merchants of their own.
	CreditByAmount   []chains.AmountDepth            `yaml:"credit_by_amount"`
	CreditByAmountOf map[string][]chains.AmountDepth `yaml:"credit_by_amount_of"`
	// Batch is the most payouts in one transaction.
	Batch int `yaml:"batch"`
	// BatchEvery is how long a payout waits for others to share its transaction; 0 is not at all.
	BatchEvery time.Duration `yaml:"batch_every"`
	// MaxFee is the most XMR that one transaction may cost; payouts wait while the network asks for more.
	MaxFee decimal.Decimal `yaml:"max_fee"`
	// Timeout is for one request, and WalletTimeout for one of a wallet server, which reads blocks meanwhile.
	Timeout       time.Duration `yaml:"timeout"`
	WalletTimeout time.Duration `yaml:"wallet_timeout"`
	// StaleAfter is how old the best block may be, before the node counts as standing still; 0 is any age.
	StaleAfter time.Duration `yaml:"stale_after"`
	// Start is the first block to follow, and the first that new wallets read; 0 is the head when the network is first followed.
	Start int64 `yaml:"start"`
	// Caps are the signer's limits, by the symbol of the coin.
	Caps map[string]chains.Cap `yaml:"caps"`
	// Explorer is the address of a transaction's page in an explorer, with {txid} in its place; "" for no links.
	Explorer string `yaml:"explorer"`
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
	minTimeout = 2 * time.Second
	maxTimeout = 2 * time.Minute
	maxWallet  = time.Hour
	minStale   = time.Minute
	maxStale   = 24 * time.Hour
	maxDepth   = 100_000
	maxOrders  = 14 // a wallet server makes at most 15 outputs where the fee is taken out of one of them, and one comes back
	maxWindow  = time.Minute
	mostFee    = 1 // XMR
)

// Defaults returns the settings before the operator's. A reorganisation of 18 blocks has happened, in September 2025.
func Defaults() Config {
	return Config{Network: Network, Chain: mainChain, Rule: Rule{Credit: 20, Final: 30}, Batch: maxOrders, BatchEvery: maxWindow,
		MaxFee: decimal.New(1, -2), Timeout: 20 * time.Second, WalletTimeout: 5 * time.Minute, StaleAfter: 30 * time.Minute,
		Explorer: "https://xmrchain.net/tx/{txid}"}
}

// Validate checks the settings without asking anybody. The error names the setting and never its value: it may be secret.
func (c Config) Validate() error {
	if err := c.RPC.Validate(); err != nil {
		return err
	}
	switch {
	case c.Network != Network:
		return fmt.Errorf("network: %q is not Monero", c.Network)
	case !isURL(c.Wallet):
		return errors.New("wallet: the http or https URL of the wallet server that sees and cannot spend")
	case c.Spender != "" && (!isURL(c.Spender) || c.Spender == c.Wallet):
		return errors.New("spender: the http or https URL of the signer's wallet server, another than wallet")
	case c.Chain != mainChain && c.Chain != regtestChain:
		return errors.New("chain: main or regtest")
	case c.Rule.Credit < 1 || c.Rule.Final < c.Rule.Credit || c.Rule.Final > maxDepth:
		return fmt.Errorf("rule: credit from 1, final from credit to %d", maxDepth)
	case c.Batch < 1 || c.Batch > maxOrders:
		return fmt.Errorf("batch: from 1 to %d", maxOrders)
	case c.BatchEvery < 0 || c.BatchEvery > maxWindow:
		return errors.New("batch_every: up to 60s, or 0s for at once")
	case !c.MaxFee.IsPositive() || c.MaxFee.GreaterThan(decimal.NewFromInt(mostFee)) || c.MaxFee.Exponent() < -decimals:
		return fmt.Errorf("max_fee: above 0, up to %d XMR, at most %d decimals", mostFee, decimals)
	case c.Timeout < minTimeout || c.Timeout > maxTimeout:
		return errors.New("timeout: from 2s to 2m")
	case c.WalletTimeout < c.Timeout || c.WalletTimeout > maxWallet:
		return errors.New("wallet_timeout: from timeout to 1h")
	case c.StaleAfter != 0 && (c.StaleAfter < minStale || c.StaleAfter > maxStale):
		return errors.New("stale_after: from 1m to 24h, or 0s for any age")
	case c.Start < 0 || c.Start == 0 && c.Chain == mainChain:
		return errors.New("start: the height of the chain when the account was made, above 0: the wallets read from there")
	case c.Explorer != "" && !explains(c.Explorer):
		return errors.New("explorer: an https URL with {txid} in it, or empty for no links")
	}
	if err := c.depths().Validate(c.Rule.Credit); err != nil {
		return err
	}
	if _, err := readView(c.View); err != nil {
		return fmt.Errorf("view: %w", err)
	}
	for token, most := range c.Caps {
		if !most.Positive() {
			return fmt.Errorf("caps: %s: payout, hour or day, each above 0", token)
		}
	}
	return nil
}

// depths are the tables of amounts that are credited before the rule does.
func (c Config) depths() chains.Depths {
	return chains.Depths{Rows: c.CreditByAmount, Of: c.CreditByAmountOf}
}

func isURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// explains reports whether a text is the address of an explorer's page of a transaction.
func explains(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil && strings.Contains(text, "{txid}")
}
