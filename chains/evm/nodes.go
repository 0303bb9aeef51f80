package evm

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"gopkg.in/yaml.v3"

	"causeway/chains/evm/client"
)

// Nodes are the http or https addresses of a network's nodes, the preferred one first. Each may hold a provider's key and is never
// shown: the log calls them node 1, node 2 and so on.
type Nodes []string

// mostNodes is how many nodes a list has at most.
const mostNodes = 8

// UnmarshalYAML reads one address, or a list of them.
func (n *Nodes) UnmarshalYAML(node *yaml.Node) error {
	var one string
	if node.Kind == yaml.ScalarNode && node.Decode(&one) == nil {
		*n = Nodes{one}
		return nil
	}
	var many []string
	if node.Decode(&many) != nil {
		return errors.New("a URL, or a list of URLs")
	}
	*n = many
	return nil
}

// validate names an address by its place alone. A node listed twice would agree with itself.
func (n Nodes) validate() error {
	if len(n) == 0 || len(n) > mostNodes {
		return fmt.Errorf("rpc: an http or https URL, or a list of 1 to %d", mostNodes)
	}
	for i, address := range n {
		place := fmt.Sprintf("node %d: ", i+1)
		if len(n) == 1 {
			place = ""
		}
		u, err := url.Parse(address)
		switch {
		case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
			return fmt.Errorf("rpc: %snot an http or https URL", place)
		case slices.Contains(n[:i], address):
			return fmt.Errorf("rpc: %slisted before", place)
		}
	}
	return nil
}

// pool makes the pool of the network's nodes.
func (c *Connector) pool() *client.Pool {
	return client.NewPool(c.cfg.RPC, client.Settings{Timeout: c.cfg.Timeout, Batch: c.cfg.Batch, PerSecond: c.cfg.MaxRequestsPerSecond,
		Verify: c.verify, Wrong: isWrong, Log: c.log})
}

// withoutNodes are all settings that hold from a start on.
func (c Config) withoutNodes() Config {
	c.RPC = nil
	return c
}

// Replace has other nodes asked from the next question on. It forgets what the former ones disagreed about.
func (c *Connector) Replace(addresses []string) {
	c.node.Replace(addresses)
	a := &c.agreement
	a.Lock()
	defer a.Unlock()
	a.at, a.height, a.alone, a.dispute = time.Time{}, 0, false, ""
}

// isWrong reports whether a node is of another chain, or its tokens are others.
func isWrong(err error) bool { return errors.Is(err, ErrChain) || errors.Is(err, ErrDecimals) }
