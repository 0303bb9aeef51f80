// Package sandbox is the family of simulated networks (operator §Sandbox networks): chains with blocks, confirmations, fees, a
// mempool, reorganisations and faults on demand, kept in Postgres so every process sees the same ones. It implements the
// contract of package chains like any other family.
package sandbox

import (
	"github.com/uptrace/bun"

	"causeway/chains"
	"causeway/internal/batch/gather"
	"causeway/internal/pay"
)

// The rule of every sandbox network, in confirmations; the block itself is the first.
const (
	creditAfter = 2
	finalAfter  = 4
	ruleInWords = "credit: 2 confirmations, final: 4 confirmations"
)

// Options say whether a process sends payouts, and how the fault "lose" chooses.
type Options struct {
	Signs bool   // whether this process sends payouts; without it the networks have no Sender
	Seed  uint64 // decides which answers the fault "lose" loses; the same seed loses the same ones
}

// chain is the connector of one network. It has one file per verb.
type chain struct {
	db        *bun.DB
	net       pay.Network
	hot       string // the address of the hot wallet
	match     string // the same in the spelling of Match
	exclusion chains.Exclusion
	dice      *dice
	batched   *batchedReads // shared by networks opened together

	submissions gather.Group[submission, string]
	faulty      gather.Group[struct{}, Faults]
	purses      gather.Group[holding, purse]
}

func open(db *bun.DB, n pay.Network, opts Options, shared *batchedReads) *chains.Network {
	hot := hotWallet(n)
	c := &chain{db: db, net: n, hot: hot, match: match(n, hot), exclusion: exclusionOf(n.Family), dice: newDice(opts.Seed, n.Name), batched: shared}
	out := &chains.Network{
		Network:   n,
		Rule:      chains.Rule{Credit: creditAfter, Final: finalAfter},
		Kind:      chains.Sandbox,
		Hot:       c.match,
		Addresser: c,
		Scanner:   c,
		Mempool:   c,
		Watcher:   c,
		Holder:    c,
		URI:       uri,
	}
	c.excludes(out)
	if opts.Signs {
		out.Sender = c
	}
	return out
}

// OpenAll opens these networks in their order. Simultaneous questions of their followers go in one statement.
func OpenAll(db *bun.DB, networks []pay.Network, opts Options) []*chains.Network {
	shared := &batchedReads{db: db}
	out := make([]*chains.Network, len(networks))
	for i, n := range networks {
		out[i] = open(db, n, opts, shared)
	}
	return out
}

// uri is a text that no wallet pays. Nobody has the keys of simulated addresses, so no wallet is to take them for real ones.
func uri(p chains.Payment) (string, bool) { return "simulated:" + p.To, false }
