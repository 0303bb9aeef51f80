package settings

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"gopkg.in/yaml.v3"

	"causeway/chains"
	"causeway/internal/pay"
)

// NetworksFile is the content of NETWORKS_FILE: the real networks, and where the signer finds its seed. Without any real
// network, and in causeway dev, the other networks are sandbox networks.
type NetworksFile struct {
	Live   []*chains.Configured // in the order of the contract, checked
	Signer SignerFiles
}

// SignerFiles are read by a worker of the signing queue alone. Paths are relative to the networks file.
type SignerFiles struct {
	SeedFile       string `yaml:"seed_file"`
	PassphraseFile string `yaml:"passphrase_file"`
}

// writtenNetworks is the file as it is written.
type writtenNetworks struct {
	Networks map[string]yaml.Node `yaml:"networks"`
	Signer   SignerFiles          `yaml:"signer"`
}

// ReadNetworks reads the networks file; without one there is no real network. Errors are one line with the network, the
// line and the field, and show no value.
func (s *Settings) ReadNetworks() (*NetworksFile, error) {
	if s.NetworksFile == "" {
		return &NetworksFile{}, nil
	}
	content, err := os.ReadFile(s.NetworksFile)
	if err != nil {
		return nil, fmt.Errorf("NETWORKS_FILE: %w", err)
	}
	file, err := parseNetworks(content, s.Drivers)
	if err != nil {
		return nil, fmt.Errorf("NETWORKS_FILE: %s: %w", s.NetworksFile, err)
	}
	for _, path := range []*string{&file.Signer.SeedFile, &file.Signer.PassphraseFile} {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(filepath.Dir(s.NetworksFile), *path)
		}
	}
	return file, nil
}

// has reports whether a network is a real one.
func (f *NetworksFile) has(network string) bool { return slices.Contains(f.Names(), network) }

// Names names the real networks.
func (f *NetworksFile) Names() []string {
	names := make([]string, len(f.Live))
	for i, c := range f.Live {
		names[i] = c.Name
	}
	return names
}

// NeedsSeed reports whether a network has its keys in the seed, and not behind a signer of its own.
func (f *NetworksFile) NeedsSeed() bool {
	return slices.ContainsFunc(f.Live, func(c *chains.Configured) bool { return !c.Elsewhere })
}

// MustBeSandbox refuses a network made real by the networks file.
func (s *Settings) MustBeSandbox(network string) error {
	file, err := s.ReadNetworks()
	if err != nil {
		return err
	}
	if file.has(network) {
		return fmt.Errorf("%s is a real network here (NETWORKS_FILE)", network)
	}
	return nil
}

func parseNetworks(content []byte, drivers []chains.Driver) (*NetworksFile, error) {
	root, err := parseYAML(content)
	if err != nil {
		return nil, err
	}
	if root == nil {
		return &NetworksFile{}, nil
	}
	var written writtenNetworks
	if err := readStrict(root, &written); err != nil {
		return nil, err
	}
	if (written.Signer.SeedFile == "") != (written.Signer.PassphraseFile == "") {
		return nil, errors.New("signer: set both seed_file and passphrase_file, or neither")
	}
	file := &NetworksFile{Signer: written.Signer}
	file.Live, err = readAll(written.Networks, drivers)
	return file, err
}

// readAll reads every network of the file. No two may be the same or have the same chain.
func readAll(written map[string]yaml.Node, drivers []chains.Driver) ([]*chains.Configured, error) {
	byName, byChain := map[string]*chains.Configured{}, map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(written)) {
		node := written[name]
		c, err := readNetwork(name, &node, drivers)
		if err != nil {
			return nil, err
		}
		if byName[c.Name] != nil {
			return nil, fmt.Errorf("network %s is listed twice", c.Name)
		}
		if other, taken := byChain[c.Chain()]; taken && c.ChainID != 0 {
			return nil, fmt.Errorf("networks %s and %s have the same chain_id %d", other, c.Name, c.ChainID)
		}
		byName[c.Name], byChain[c.Chain()] = c, c.Name
	}
	var live []*chains.Configured
	for _, n := range pay.Networks {
		if c := byName[n.Name]; c != nil {
			live = append(live, c)
		}
	}
	return live, nil
}

// readNetwork lets the driver of a network's family read the network.
func readNetwork(name string, node *yaml.Node, drivers []chains.Driver) (*chains.Configured, error) {
	n, ok := pay.NetworkCalled(name)
	if !ok {
		return nil, fmt.Errorf("there is no network %q", name)
	}
	for _, d := range drivers {
		if !slices.Contains(d.Families, n.Family) {
			continue
		}
		c, err := d.Read(n.Name, part{node})
		if err != nil {
			return nil, fmt.Errorf("network %s: %w", n.Name, err)
		}
		return c, nil
	}
	return nil, fmt.Errorf("network %s: there is no connector for it yet, it can only be a sandbox network", n.Name)
}

// part is the part of the file on one network.
type part struct{ node *yaml.Node }

// Decode implements chains.Part.
func (p part) Decode(into any) error { return readStrict(p.node, into) }

// Has implements chains.Part.
func (p part) Has(key string) bool {
	for i := 0; i+1 < len(p.node.Content); i += 2 {
		if p.node.Content[i].Value == key {
			return true
		}
	}
	return false
}
