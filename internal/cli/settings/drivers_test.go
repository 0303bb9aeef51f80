package settings

import (
	"causeway/chains"
	"causeway/chains/evm"
)

var drivers = []chains.Driver{evm.Driver}

// recorded is the driver of EVM networks, and its configurations by network.
func recorded() ([]chains.Driver, map[string]evm.Config) {
	configs, d := map[string]evm.Config{}, evm.Driver
	d.Read = func(network string, part chains.Part) (_ *chains.Configured, err error) {
		if configs[network], err = evm.Read(network, part); err != nil {
			return nil, err
		}
		return evm.Driver.Read(network, part)
	}
	return []chains.Driver{d}, configs
}
