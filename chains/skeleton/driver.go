// Package skeleton is a connector to copy: the smallest that follows a network. It signs nothing, and no list of drivers has
// it. The node that it speaks to exists in its test alone; docs/connectors.md has the steps from here to a connector.
package skeleton

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/internal/pay"
)

// Driver registers the networks of the family.
var Driver = chains.Driver{Kind: kind, Families: []pay.Family{pay.Litecoin}, Read: read, Public: public}

const (
	kind        = "skeleton"
	accountPath = "m/44'/2'/0'" // deposits go to 0/index below it
	staleAfter  = 30 * time.Minute
)

// config is a network of NETWORKS_FILE.
type config struct {
	RPC    string `yaml:"rpc"`    // may hold a provider's key and is never shown
	XPub   string `yaml:"xpub"`   // of the account
	Hot    string `yaml:"hot"`    // the hot wallet
	Credit int    `yaml:"credit"` // confirmations
	Final  int    `yaml:"final"`
}

// public returns the extended public key of the account.
func public(seed []byte, _ pay.Family) (string, error) {
	return addresses.AccountXPub(seed, accountPath)
}

// read reads a network over its defaults.
func read(network string, part chains.Part) (*chains.Configured, error) {
	cfg := config{Credit: 6, Final: 12}
	if err := part.Decode(&cfg); err != nil {
		return nil, err
	}
	if err := cfg.validate(network); err != nil {
		return nil, err
	}
	return &chains.Configured{Name: network, Kind: kind, Settings: cfg, Open: func(_ context.Context, _ chains.Opening) (*chains.Network, error) {
		return open(network, cfg), nil
	}}, nil
}

// validate names the setting in its error, and never the value.
func (c config) validate(network string) error {
	node, err := url.Parse(c.RPC)
	if err != nil || node.Host == "" || node.Scheme != "http" && node.Scheme != "https" {
		return errors.New("rpc: not an http or https URL")
	}
	if c.Credit < 1 || c.Final < c.Credit {
		return errors.New("credit, final: at least 1 confirmation, and final not before credit")
	}
	if _, err := addresses.FromXPub(network, c.XPub, 0); err != nil {
		return fmt.Errorf("xpub: %w", err)
	}
	if _, err := addresses.Validate(network, c.Hot); err != nil {
		return errors.New("hot: not an address of the network")
	}
	return nil
}

// open makes the network, whatever its node answers.
func open(network string, cfg config) *chains.Network {
	n, _ := pay.NetworkNamed(network)
	c := &connector{network: n, cfg: cfg, node: newNode(cfg.RPC)}
	return &chains.Network{Network: *n, Kind: kind, Rule: chains.Rule{Credit: cfg.Credit, Final: cfg.Final}, StaleAfter: staleAfter,
		StartAt: -1, Hot: c.Match(cfg.Hot), Addresser: c, Scanner: c, URI: chains.CoinURI("litecoin", "amount", "")}
}
