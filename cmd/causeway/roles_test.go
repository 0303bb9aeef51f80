package main

import (
	"testing"

	"github.com/sirupsen/logrus/hooks/test"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/cli/settings"
	"causeway/internal/pay"
	"causeway/migrations"
)

// A log begins with the role, its addresses, and whether it serves real money: it said nothing until something went wrong.
func TestARoleSaysWhatItServes(t *testing.T) {
	t.Parallel()
	log, said := test.NewNullLogger()
	simulated, err := chains.NewRegistry(&chains.Network{Network: pay.Network{Name: "Tron"}, Kind: chains.Sandbox})
	require.NoError(t, err)
	mixed, err := chains.NewRegistry(&chains.Network{Network: pay.Network{Name: "Tron"}, Kind: chains.Sandbox},
		&chains.Network{Network: pay.Network{Name: "Base"}, Kind: "evm"},
		&chains.Network{Network: pay.Network{Name: "Ethereum"}, Kind: "evm"})
	require.NoError(t, err)
	h := &service{log: log, settings: &settings.Settings{ListenAddr: "127.0.0.1:1", OperatorAddr: "127.0.0.1:2"}, networks: simulated}
	h.sayServing(role{name: "api"})
	require.Equal(t, "serving", said.LastEntry().Message)
	require.EqualValues(t, map[string]any{"role": "api", "version": version, "listen_addr": h.settings.ListenAddr,
		"operator_addr": h.settings.OperatorAddr,
		"live_networks": "none: all are simulated"}, map[string]any(said.LastEntry().Data))
	h.networks = mixed
	h.sayServing(role{name: "worker", as: migrations.SignerRole})
	require.EqualValues(t, map[string]any{"role": "worker", "version": version, "operator_addr": h.settings.OperatorAddr,
		"live_networks": "Base Ethereum", "signs": true},
		map[string]any(said.LastEntry().Data))
}
