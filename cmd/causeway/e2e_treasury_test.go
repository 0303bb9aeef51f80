package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"math/big"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/client"
	"causeway/internal/cli/command"
	"causeway/internal/dev/anvil"
	"causeway/internal/dev/testkit"
	"causeway/internal/ops/admin"
	"causeway/internal/ops/onchain"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// depositAddresses is how many deposit addresses TestTreasuryOnEthereum sweeps; `make demo-treasury` takes 1,000.
var depositAddresses = flag.Int("deposit-addresses", 6, "deposit addresses swept by TestTreasuryOnEthereum")

const (
	gwei       = 1_000_000_000
	treasuryIn = time.Hour // all of it, with 1,000 addresses on a busy machine
)

// treasuryRun is an installation on a real node, with a cold address and two tokens. One of them has the habit of USDT.
type treasuryRun struct {
	*realEthereum
	usdc   *anvil.Token
	cold   common.Address
	blocks int // with a reconciliation after each
}

// TestTreasuryOnEthereum sweeps deposit addresses of a coin and two tokens on a real Ethereum node: half of them by command, half by
// the rules. The USDT above the ceiling goes to the cold address. The books equal the node after every block.
// `make demo-treasury` runs it with 1,000 addresses and shows its figures.
//
// Covers operator §Admin: treasury sweep plans
// Covers operator §Admin: A cold address gets
func TestTreasuryOnEthereum(t *testing.T) {
	t.Parallel()
	e := newTreasuryRun(t)
	half := *depositAddresses / 2
	e.holds("before")

	e.deposit(half)
	e.phase("by command", half, func() {
		if e.open() == 0 { // a sweep of all takes 200 of each token
			e.shown("admin", "treasury", "sweep", "Ethereum", "--all")
		}
	})
	e.deposit(*depositAddresses - half)
	payout := e.paysOut()
	e.phase("by the rules", *depositAddresses-half, sync.OnceFunc(func() {
		e.setRules()
		e.shown("admin", "treasury", "plan", "--network", "Ethereum")
		e.shown("run", "treasury-plan") // the next one by itself is due within a minute
	}))
	e.blockUntil("a first amount is on the cold address", func() bool { return e.usdt.Balance(t, e.cold).Sign() > 0 && e.open() == 0 })
	first := e.usdt.Balance(t, e.cold)
	e.shown("admin", "treasury", "confirm", "Ethereum")
	e.shown("run", "treasury-plan")
	e.blockUntil("the rest is on the cold address", func() bool { return e.usdt.Balance(t, e.cold).Cmp(first) > 0 && e.open() == 0 })
	require.Equal(t, big.NewInt(500_000_000), e.usdt.Balance(t, e.hot), "the target stays")
	require.Equal(t, "completed", e.payout(payout).Status)
	e.refill()
	e.shown("admin", "treasury", "rules", "set", "Ethereum", "USDT", "paused=on")
	e.holds("after")
	t.Logf("the books equalled the node after each of %d blocks", e.blocks)
}

// newTreasuryRun is an installation with a payment of nobody yet.
func newTreasuryRun(t *testing.T) *treasuryRun {
	e := &treasuryRun{realEthereum: newEthereumNode(t), cold: common.HexToAddress("0xC01dC01dc01Dc01DC01dc01Dc01dC01dC01dC01D")}
	e.usdt.AnswerNothing(t)
	e.usdc = e.node.Deploy(t, "USDC", 6)
	e.usdc.Mint(t, anvil.Rich, big.NewInt(1_000_000_000_000))
	e.node.Mine(t, 1)
	file, err := os.ReadFile(e.networks)
	require.NoError(t, err)
	more := strings.NewReplacer("    chain_id:", "    cold: \""+e.cold.Hex()+"\"\n    chain_id:",
		"    tokens:\n", "    tokens:\n      USDC: {contract: \""+e.usdc.Address.Hex()+"\", decimals: 6}\n").Replace(string(file))
	require.NoError(t, os.WriteFile(e.networks, []byte(more), 0o600))
	e.installed(t)
	e.command("admin", "price", "set", "ETH", "USD", "2500")
	return e
}

// deposit lets so many payins be paid, of each token in turn, until they are final.
func (e *treasuryRun) deposit(many int) {
	t := e.t
	to := map[string][]common.Address{}
	amounts := map[string]string{"USDT": "150", "USDC": "150", "ETH": "0.06"}
	for i := range many {
		token := []string{"USDT", "USDC", "ETH"}[i%3]
		created := granted(e.installation, func(ctx context.Context, c *client.Client) (*client.CreatedPayin, error) {
			return c.CreatePayin(ctx, client.Payin{ReferenceID: uuid.NewString(), Network: "erc20", CryptoCurrency: token,
				ProcessBy: client.ByCrypto, CryptoAmount: amounts[token], WebhookURL: e.receiver.url})
		})
		to[token] = append(to[token], common.HexToAddress(created.Wallet))
	}
	before := e.balances().Available
	e.node.BaseFee(t, 2*gwei) // the fees that the node puts into its transactions are of now
	for _, address := range to["ETH"] {
		e.node.Send(t, anvil.Rich, address, big.NewInt(60_000_000*gwei), nil)
	}
	for token, contract := range map[string]*anvil.Token{"USDT": e.usdt, "USDC": e.usdc} {
		for rest := to[token]; len(rest) > 0; rest = rest[min(len(rest), 10):] {
			contract.Call(t, anvil.Rich, "scatter", rest[:min(len(rest), 10)], big.NewInt(150_000_000))
		}
	}
	e.blockUntil("all of it is credited and final", func() bool {
		now := e.balances()
		for token, addresses := range to {
			want := amount(before[token]).Add(amount(amounts[token]).Mul(decimal.NewFromInt(int64(len(addresses)))))
			if now.Locked[token] != "0.00000000" || !amount(now.Available[token]).Equal(want) {
				return false
			}
		}
		return true
	})
	e.command("run", "reconcile") // the treasury plans by what a look has found
	t.Logf("%d deposit addresses have 150 USDT, 150 USDC or 0.06 ETH each", many)
}

func amount(text string) decimal.Decimal {
	if text == "" {
		return decimal.Zero
	}
	return decimal.RequireFromString(text)
}

// setRules lets the treasury sweep by itself, and move USDT to the cold address. Without patience nothing waits for a cheap hour: the
// node has none.
func (e *treasuryRun) setRules() {
	e.shown("admin", "treasury", "rules", "set", "Ethereum", "USDT", "sweep_min=50", "patience=0s", "hot_target=500", "hot_ceiling=1200")
	e.command("admin", "treasury", "rules", "set", "Ethereum", "USDC", "sweep_min=50", "patience=0s")
	e.command("admin", "treasury", "rules", "set", "Ethereum", "ETH", "sweep_min=0.02", "patience=0s")
}

// refill sends USDT from the cold address to the hot wallet, as the device with its key does. That credits nobody.
func (e *treasuryRun) refill() {
	t, balances := e.t, e.balances().Total
	e.node.Send(t, anvil.Rich, e.cold, big.NewInt(10_000_000*gwei), nil) // for its gas
	e.blockUntil("the cold address has coin", func() bool { return e.node.Balance(t, e.cold).Sign() > 0 })
	e.usdt.Transfer(t, e.cold, e.hot, big.NewInt(100_000_000))
	arrived := 0
	e.blockUntil("the refill is final", func() bool {
		if e.usdt.Balance(t, e.hot).Cmp(big.NewInt(600_000_000)) == 0 {
			arrived++
		}
		return arrived > 3
	})
	require.Equal(t, balances, e.balances().Total)
	require.Equal(t, "[]", strings.TrimSpace(e.command("admin", "wallet", "unknown")))
}

// paysOut asks for a payout that the hot wallet can pay at once.
func (e *treasuryRun) paysOut() (reference string) {
	return granted(e.installation, func(ctx context.Context, c *client.Client) (*client.PayoutResult, error) {
		return c.CreatePayout(ctx, "", client.Payout{ReferenceID: uuid.NewString(), Network: "Ethereum", CryptoCurrency: "USDT",
			ProcessBy: client.ByCrypto, CryptoAmount: "20", Wallet: anvil.Rich.Hex(), WebhookURL: e.receiver.url})
	}).InternalReference
}

// phase waits until so many more sweeps are done, and shows their time, gas and cost. Before each block it begins what is to be begun.
func (e *treasuryRun) phase(name string, many int, begin func()) {
	t, began, blocks, balances := e.t, time.Now(), e.blocks, e.balances().Total
	earlier := e.moves("")
	var newest string
	if len(earlier) > 0 {
		newest = earlier[0].ID.String()
	}
	var all []admin.TreasuryMove
	e.blockUntil("all is swept "+name, func() bool {
		begin()
		swept := 0
		all = e.moves(newest)
		for _, m := range all {
			if m.Kind == pay.MoveSweep && m.Status == pay.MoveDone {
				swept++
			}
		}
		return swept == many
	})
	t.Logf("%s, %d addresses were swept in %v and %d blocks", name, many, time.Since(began).Round(time.Second), e.blocks-blocks)
	e.figures(all)
	for token, total := range e.balances().Total {
		if token != "USDT" || name == "by command" { // a payout takes USDT meanwhile
			require.Equal(t, balances[token], total, "sweeps move no balance of a merchant")
		}
	}
}

// figures shows what moves took, by kind and token.
func (e *treasuryRun) figures(moves []admin.TreasuryMove) {
	type sums struct {
		count, gas   int64
		moved, costs decimal.Decimal
	}
	by, order := map[string]*sums{}, []string{}
	for _, m := range moves {
		if m.Status != pay.MoveDone { // a cold move may be on its way
			continue
		}
		kind := string(m.Kind) + " of " + m.Token
		if by[kind] == nil {
			by[kind], order = &sums{}, append(order, kind)
		}
		s := by[kind]
		s.count, s.gas = s.count+1, s.gas+e.node.GasUsed(e.t, *m.Txid)
		s.moved, s.costs = s.moved.Add(*m.Moved), s.costs.Add(*m.Cost)
	}
	for _, kind := range order {
		s := by[kind]
		e.t.Logf("%-15s %4d moves, %s moved, %d gas each, %s ETH each, %s ETH in all", kind, s.count, s.moved, s.gas/s.count,
			s.costs.Div(decimal.NewFromInt(s.count)).Round(9), s.costs.Round(9))
	}
}

// moves returns the moves after the given one, newest first; "" for all.
func (e *treasuryRun) moves(after string) (all []admin.TreasuryMove) {
	e.t.Helper()
	below := []string{}
	for {
		var page []admin.TreasuryMove
		e.read(&page, append([]string{"admin", "treasury", "moves", "list", "--limit", "1000"}, below...)...)
		for _, m := range page {
			if m.ID.String() == after {
				return all
			}
			all = append(all, m)
		}
		if len(page) < 1000 {
			return all
		}
		below = []string{"--below", page[len(page)-1].ID.String()}
	}
}

// open returns how many moves are open.
func (e *treasuryRun) open() int {
	e.t.Helper()
	var page []admin.TreasuryMove
	e.read(&page, "admin", "treasury", "moves", "list", "--open")
	return len(page)
}

// blockUntil mines block after block of one base fee until a condition holds. After each block, once it is followed, the books must
// equal the node.
func (e *treasuryRun) blockUntil(what string, cond func() bool) {
	t := e.t
	t.Helper()
	testkit.Eventually(t, treasuryIn, func() bool {
		e.node.BaseFee(t, 2*gwei)
		e.node.Mine(t, 1)
		height := e.node.Height(t)
		testkit.Eventually(t, time.Minute, func() bool { return e.followed() >= height }, "the block is followed")
		var stdout, stderr bytes.Buffer
		code := newProgram(e.settings, &stdout, &stderr).run(t.Context(), []string{"reconcile", "--data-dir", e.dir})
		require.Equal(t, command.ExitOK, code, "block %d: %s%s", height, &stdout, &stderr)
		e.blocks++
		return cond()
	}, what)
}

// followed returns the last followed block.
func (e *treasuryRun) followed() int64 {
	e.t.Helper()
	var networks []store.FollowerVitals
	e.read(&networks, "admin", "network", "list")
	for _, n := range networks {
		if n.Network == "Ethereum" && n.Height != nil {
			return *n.Height
		}
	}
	return 0
}

// holds shows what is where, by token.
func (e *treasuryRun) holds(when string) {
	e.t.Helper()
	e.command("run", "reconcile") // a whole look
	var at onchain.TreasuryAddresses
	e.read(&at, "admin", "treasury", "addresses", "Ethereum")
	for _, h := range at.Holdings {
		if h.Hot.Add(h.Deposits).Add(h.Cold).IsPositive() {
			e.t.Logf("%s: %s hot %s, deposits %s, cold %s", when, h.Token, h.Hot, h.Deposits, h.Cold)
		}
	}
}

// shown runs a command, and shows it with the beginning of its output.
func (e *treasuryRun) shown(args ...string) {
	e.t.Helper()
	const lines = 24
	out := strings.SplitN(strings.TrimSpace(e.command(args...)), "\n", lines+1)
	if len(out) > lines {
		out[lines] = "…"
	}
	e.t.Logf("$ causeway %s\n%s", strings.Join(args, " "), strings.Join(out, "\n"))
}

// read runs a command and decodes its output.
func (e *treasuryRun) read(into any, args ...string) {
	e.t.Helper()
	require.NoError(e.t, json.Unmarshal([]byte(e.command(args...)), into))
}
