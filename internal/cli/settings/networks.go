package settings

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"gopkg.in/yaml.v3"

	"causeway/chains/evm"
	"causeway/internal/pay"
)

// NetworksFile is what NETWORKS_FILE says: the real networks, and where the signer finds its seed. Without any, and in causeway
// dev, those that are not in it are sandbox networks.
type NetworksFile struct {
	EVM    []evm.Config // in the order of the contract, checked
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

// ReadNetworks reads the networks file; without one there is no real network. Errors are one line that names the network,
// the line and the field, and show no value.
func (s *Settings) ReadNetworks() (*NetworksFile, error) {
	if s.NetworksFile == "" {
		return &NetworksFile{}, nil
	}
	content, err := os.ReadFile(s.NetworksFile)
	if err != nil {
		return nil, fmt.Errorf("NETWORKS_FILE: %w", err)
	}
	file, err := parseNetworks(content)
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
func (f *NetworksFile) has(network string) bool {
	return slices.ContainsFunc(f.EVM, func(c evm.Config) bool { return c.Network == network })
}

// MustBeSandbox refuses a network that the networks file makes a real one.
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

func parseNetworks(content []byte) (*NetworksFile, error) {
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
		return nil, errors.New("signer: seed_file and passphrase_file come together")
	}
	configs := map[string]evm.Config{}
	chains := map[uint64]string{}
	for _, name := range slices.Sorted(maps.Keys(written.Networks)) {
		node := written.Networks[name]
		config, err := parseNetwork(name, &node)
		if err != nil {
			return nil, err
		}
		if _, twice := configs[config.Network]; twice {
			return nil, fmt.Errorf("network %s is there twice", config.Network)
		}
		if other, taken := chains[config.ChainID]; taken {
			return nil, fmt.Errorf("networks %s and %s have the same chain_id %d", other, config.Network, config.ChainID)
		}
		configs[config.Network], chains[config.ChainID] = config, config.Network
	}
	file := &NetworksFile{Signer: written.Signer}
	for _, n := range pay.Networks {
		if config, ok := configs[n.Name]; ok {
			file.EVM = append(file.EVM, config)
		}
	}
	return file, nil
}

// parseNetwork reads one network over what is known of it.
func parseNetwork(name string, node *yaml.Node) (evm.Config, error) {
	n, ok := pay.NetworkCalled(name)
	if !ok {
		return evm.Config{}, fmt.Errorf("there is no network %q", name)
	}
	if n.Family != pay.EVM {
		return evm.Config{}, fmt.Errorf("network %s: there is no connector for it yet, it can only be a sandbox network", n.Name)
	}
	config := evm.Defaults(n.Name)
	if err := readStrict(node, &config); err != nil {
		return evm.Config{}, fmt.Errorf("network %s: %w", n.Name, err)
	}
	if config.Network != n.Name {
		return evm.Config{}, fmt.Errorf("network %s: network: says another name", n.Name)
	}
	if said := keysOf(node); said["rule"] && !said["credit_by_amount"] { // the file's own rule is for all amounts
		config.CreditByAmount = nil
	}
	return config, config.Validate()
}

// keysOf returns which fields a mapping says.
func keysOf(node *yaml.Node) map[string]bool {
	said := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		said[node.Content[i].Value] = true
	}
	return said
}
