package main

import (
	"causeway/chains"
	"causeway/chains/cardano"
	"causeway/chains/evm"
	"causeway/chains/monero"
	"causeway/chains/ripple"
	"causeway/chains/solana"
	"causeway/chains/ton"
	"causeway/chains/tron"
	"causeway/chains/utxo"
)

// drivers are the drivers of all families of networks with a connector (docs/connectors.md).
var drivers = []chains.Driver{
	evm.Driver,
	utxo.Driver,
	tron.Driver,
	solana.Driver,
	ton.Driver,
	ripple.Driver,
	monero.Driver,
	cardano.Driver,
}
