package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"gopkg.in/yaml.v3"

	"causeway/chains/evm"
	"causeway/pay"
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

// ReadNetworks reads the networks file; without one there is no real network. Errors are one line that names the network
// and the field, and show no value.
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
	var written writtenNetworks
	if err := decodeStrict(content, &written); err != nil {
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
	content, err := yaml.Marshal(node)
	if err == nil {
		err = decodeStrict(content, &config)
	}
	if err != nil {
		return evm.Config{}, fmt.Errorf("network %s: %w", n.Name, err)
	}
	if config.Network != n.Name {
		return evm.Config{}, fmt.Errorf("network %s: network: says another name", n.Name)
	}
	return config, config.Validate()
}

var unknownField = regexp.MustCompile(`field (\S+) not found in type`)

// decodeStrict reads YAML whose every field is known. The library's errors quote values, which may be secret: only what
// names a field is passed on.
func decodeStrict(content []byte, into any) error {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	err := decoder.Decode(into)
	if err == nil || errors.Is(err, io.EOF) { // an empty file says nothing
		return nil
	}
	if found := unknownField.FindStringSubmatch(err.Error()); found != nil {
		return fmt.Errorf("there is no field %q", found[1])
	}
	var types *yaml.TypeError
	if errors.As(err, &types) {
		return errors.New("a value has the wrong type: " + withoutValues(types.Errors[0]))
	}
	return errors.New("not readable as YAML")
}

var quotedValue = regexp.MustCompile("`[^`]*`")

func withoutValues(text string) string { return quotedValue.ReplaceAllString(text, "it") }
