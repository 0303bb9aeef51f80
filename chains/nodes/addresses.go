package nodes

import (
	"errors"
	"fmt"
	"net/url"

	"gopkg.in/yaml.v3"
)

// Addresses are the http or https addresses of a network's nodes, the preferred one first. Each may hold a secret and is never shown:
// the log calls them node 1, node 2 and so on.
type Addresses []string

// mostNodes is how many nodes a list has at most.
const mostNodes = 8

// UnmarshalYAML reads one address, or a list of them.
func (a *Addresses) UnmarshalYAML(node *yaml.Node) error {
	var one string
	if node.Kind == yaml.ScalarNode && node.Decode(&one) == nil {
		*a = Addresses{one}
		return nil
	}
	var many []string
	if node.Decode(&many) != nil {
		return errors.New("a URL, or a list of URLs")
	}
	*a = many
	return nil
}

// Validate names an address by its place alone. A node listed twice would agree with itself, also by another user.
func (a Addresses) Validate() error {
	if len(a) == 0 || len(a) > mostNodes {
		return fmt.Errorf("rpc: an http or https URL, or a list of 1 to %d", mostNodes)
	}
	known := map[string]bool{}
	for i, address := range a {
		place := fmt.Sprintf("node %d: ", i+1)
		if len(a) == 1 {
			place = ""
		}
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Fragment != "" {
			return fmt.Errorf("rpc: %snot an http or https URL", place)
		}
		u.User = nil
		if known[u.String()] {
			return fmt.Errorf("rpc: %slisted before", place)
		}
		known[u.String()] = true
	}
	return nil
}
