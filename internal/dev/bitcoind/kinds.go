package bitcoind

import (
	"os"
	"path/filepath"
	"testing"

	"causeway/internal/dev/repo"
)

// Kind is a kind of node: its program, its flags, and the rules that a test has to keep to.
type Kind struct {
	Network  string // canonical name, as in pay.Networks
	Maturity int    // blocks after which the money of a miner can be spent
	ForkID   uint32 // in the type of each signature's hash; 0 where signatures are Bitcoin's
	Replaces bool   // a transaction in the mempool gives way to another with a higher fee
	Fork     int    // height from which the mempool goes by the rules of the network
	Rate     int64  // fee that is surely enough, in the smallest unit for each byte

	program string   // its name below NODES, or below .cache where scripts/nodes fetches it
	folder  string   // below NODES, since three of the programs have the same name
	flags   []string // beside those of all
}

// Kinds are the nodes of Bitcoin and its kin. The first two come from scripts/nodes, or are the machine's own. The others are taken from the folder named by
// NODES: NODES/dogecoin/dogecoind, NODES/bitcoincash/bitcoind, NODES/bitcoinsv/bitcoind, NODES/bitcoingold/bgoldd.
var Kinds = []Kind{
	{Network: "Bitcoin", Maturity: 100, Replaces: true, Rate: 20, program: "bitcoind",
		flags: []string{"-acceptnonstdtxn=0", "-fallbackfee=0.0002"}},
	// Litecoin's nodes replace nothing unless they are told to (-mempoolreplacement=1).
	{Network: "Litecoin", Maturity: 100, Rate: 20, program: "litecoind",
		flags: []string{"-acceptnonstdtxn=0", "-fallbackfee=0.0002"}},
	{Network: "Dogecoin", Maturity: 240, Replaces: true, Rate: 10_000, folder: "dogecoin", program: "dogecoind",
		flags: []string{"-acceptnonstdtxn=0"}},
	// A release of BitcoinCash refuses every call once it is old.
	{Network: "BitcoinCash", Maturity: 100, ForkID: 0x40, Rate: 20, folder: "bitcoincash", program: "bitcoind",
		flags: []string{"-acceptnonstdtxn=0", "-expire=0"}},
	// BitcoinSV does not start without its limits.
	{Network: "BitcoinSV", Maturity: 100, ForkID: 0x40, Rate: 20, folder: "bitcoinsv", program: "bitcoind",
		flags: []string{"-acceptnonstdtxn=0", "-excessiveblocksize=1GB", "-maxstackmemoryusageconsensus=100MB", "-minminingtxfee=0.00000001"}},
	{Network: "BitcoinGold", Maturity: 100, ForkID: 0x40 | 79<<8, Replaces: true, Fork: 2001, Rate: 20, folder: "bitcoingold", program: "bgoldd",
		flags: []string{"-acceptnonstdtxn=0"}},
}

// Of returns the kind of a network's nodes, or fails the test.
func Of(t testing.TB, network string) Kind {
	t.Helper()
	for _, k := range Kinds {
		if k.Network == network {
			return k
		}
	}
	t.Fatalf("there is no node for %q", network)
	return Kind{}
}

// Packaged reports whether the program comes from a package of Debian, so that every machine has it.
func (k Kind) Packaged() bool { return k.folder == "" }

// Where returns the path of the program, or "" and where it was looked for.
func (k Kind) Where(t testing.TB) (path, sought string) {
	t.Helper()
	if !k.Packaged() {
		sought = filepath.Join("$NODES", k.folder, k.program)
		path = filepath.Join(os.Getenv("NODES"), k.folder, k.program)
		if info, err := os.Stat(path); os.Getenv("NODES") == "" || err != nil || info.IsDir() {
			return "", sought
		}
		return path, sought
	}
	path, err := repo.Program(k.program)
	if err != nil {
		return "", err.Error()
	}
	return path, ""
}
