package chains

import (
	"context"

	"github.com/sirupsen/logrus"

	"causeway/internal/pay"
)

// Driver is the one value by which the folder of a connector is known to the service. The wiring lists all drivers, and nothing else
// outside of the folder names a family (docs/connectors.md).
type Driver struct {
	// Kind is what the books remember of the networks (Network.Kind). It never changes.
	Kind string
	// Families are the families of networks that it connects. No other driver has one of them.
	Families []pay.Family
	// Read reads the part of NETWORKS_FILE on one network, over what is known of the network, and checks it. It asks no node.
	// An error names the setting and never its value, which may be secret.
	Read func(network string, part Part) (*Configured, error)
	// Public derives from the seed what the processes without the seed need in order to derive addresses of a family. Nil where
	// they need nothing.
	Public func(seed []byte, family pay.Family) (string, error)
}

// Part is the part of NETWORKS_FILE on one network.
type Part interface {
	// Decode reads it into a struct. Every key must be a field; a field without a key keeps its value.
	Decode(into any) error
	// Has reports whether it has a key.
	Has(key string) bool
}

// Configured is one network as NETWORKS_FILE configures it.
type Configured struct {
	Name    string           // canonical
	Kind    string           // of its driver
	ChainID uint64           // as in Network
	Tokens  map[string]Token // that the file names, by symbol
	Cold    string           // as people write it; "" for none
	Nodes   []string         // the addresses of its nodes, the preferred one first; secret. Nil if its settings keep them
	// Settings are all other settings. Two readings of the file are compared by them (reflect.DeepEqual).
	Settings any
	// Elsewhere says that a program or a server of the operator has its keys: signing needs no seed.
	Elsewhere bool
	// Open opens the network. A node that does not answer is not an error.
	Open func(ctx context.Context, with Opening) (*Network, error)
}

// Opening is what a network is opened with beside its configuration.
type Opening struct {
	Tokens []Token // of the catalogue; none that the file names too
	Signs  bool    // whether this process signs
	Seed   []byte  // nil where this process does not sign, or has no seed; it is wiped afterwards
	Dir    string  // of NETWORKS_FILE: relative paths in it are from there
	Log    logrus.FieldLogger
}

// Chain says which chain stands behind the network, as Network.Chain does.
func (c *Configured) Chain() string { return chainOf(c.Kind, c.ChainID) }
