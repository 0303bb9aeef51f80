package main

import (
	"causeway/chains"
	"causeway/chains/evm"
)

// drivers are those of all families of networks that have a connector (docs/connectors.md).
var drivers = []chains.Driver{
	evm.Driver,
}
