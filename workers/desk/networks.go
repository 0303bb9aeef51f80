package desk

import (
	"errors"
	"fmt"

	"github.com/sirupsen/logrus"

	"causeway/chains"
)

// ErrHalted says that a reorganisation is deeper than the remembered blocks: the network waits for a person.
var ErrHalted = errors.New("the network reorganised deeper than is remembered; it is not followed, and nothing is signed for it, until a person resumes it")

// LogFor returns the log with the name of the network.
func (d *Desk) LogFor(n *chains.Network) logrus.FieldLogger {
	return d.Log.WithField("network", n.Name)
}

// Network returns a configured network.
func (d *Desk) Network(name string) (*chains.Network, error) {
	n, ok := d.Networks.Network(name)
	if !ok {
		return nil, fmt.Errorf("network %s is not configured here", name)
	}
	return n, nil
}

// NetworkNamed is Network for a name typed by a person.
func (d *Desk) NetworkNamed(name string) (*chains.Network, error) {
	n, ok := d.Networks.Network(name)
	if !ok {
		return nil, fmt.Errorf("there is no network %q", name)
	}
	return n, nil
}
