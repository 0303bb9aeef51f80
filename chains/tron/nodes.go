package tron

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"gopkg.in/yaml.v3"

	"causeway/chains/nodes"
)

// Nodes are the nodes of the network, the preferred one first.
type Nodes []Node

// Node is where a node is.
type Node struct {
	// URL is the http or https URL of a full node's HTTP API, with walletsolidity/ beside wallet/. It is never shown.
	URL string `yaml:"url"`
	// APIKey is the key of a provider's user (the header TRON-PRO-API-KEY); "" for none. It is never shown.
	APIKey string `yaml:"api_key"`
}

// At is a node without a key.
func At(url string) Nodes { return Nodes{{URL: url}} }

// UnmarshalYAML reads one node, or a list of them.
func (n *Nodes) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.SequenceNode {
		*n = Nodes{{}}
		return (*n)[0].UnmarshalYAML(node)
	}
	*n = make(Nodes, len(node.Content))
	for i, part := range node.Content {
		if err := (*n)[i].UnmarshalYAML(part); err != nil {
			return err
		}
	}
	return nil
}

// UnmarshalYAML reads a URL, or a URL with its key.
func (n *Node) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		return node.Decode(&n.URL)
	}
	for i := 0; node.Kind == yaml.MappingNode && i < len(node.Content); i += 2 {
		if key := node.Content[i].Value; key != "url" && key != "api_key" {
			return fmt.Errorf("line %d: a node has url and api_key, and no other key", node.Content[i].Line)
		}
	}
	type plain Node
	if node.Kind != yaml.MappingNode || node.Decode((*plain)(n)) != nil {
		return errors.New("a URL, {url: …, api_key: …}, or a list of them")
	}
	return nil
}

// validateNodes checks the nodes and their keys. The key beside the list is of the only node.
func (c Config) validateNodes() error {
	urls := make(nodes.Addresses, len(c.RPC))
	for i, n := range c.RPC {
		if u, err := url.Parse(n.URL); err == nil && u.RawQuery == "" && u.Fragment == "" { // the others are refused as empty ones
			urls[i] = n.URL
		}
	}
	if err := urls.Validate(); err != nil {
		return err
	}
	if c.APIKey != "" && (len(c.RPC) > 1 || c.RPC[0].APIKey != "") {
		return errors.New("api_key: beside each node, as in rpc: [{url: …, api_key: …}, …]")
	}
	for _, n := range append(Nodes{{APIKey: c.APIKey}}, c.RPC...) {
		if strings.ContainsFunc(n.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return errors.New("api_key: not the value of a header")
		}
	}
	return nil
}

// apart is between the URL of a node and its key in an address. No URL has it.
const apart = "\n"

// addresses are the nodes with their keys, each as one text.
func (c Config) addresses() []string {
	out := make([]string, len(c.RPC))
	for i, n := range c.RPC {
		if n.APIKey == "" {
			n.APIKey = c.APIKey
		}
		out[i] = n.URL + apart + n.APIKey
	}
	return out
}

// nodeAt reads an address.
func nodeAt(address string) (n Node) {
	n.URL, n.APIKey, _ = strings.Cut(address, apart)
	return n
}

// withoutNodes are all settings that hold from a start on.
func (c Config) withoutNodes() Config {
	c.RPC, c.APIKey = nil, ""
	return c
}
