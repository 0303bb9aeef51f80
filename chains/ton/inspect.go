package ton

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/xssnick/tonutils-go/tvm/cell"

	"causeway/chains"
	"causeway/internal/batch/gather"
)

// errOffChain says that a master keeps what it says of itself elsewhere.
var errOffChain = errors.New("what it says of itself is not on the chain: name the token with its decimals under tokens in NETWORKS_FILE")

// Inspect implements chains.TokenBook: it asks a master for what it says of its jetton. No transfer is tried: only a holder's own wallet could.
func (c *Connector) Inspect(ctx context.Context, contract, _ string) (facts *chains.TokenFacts, err error) {
	master, err := masterOf(contract)
	if err != nil {
		return nil, fmt.Errorf("contract: %w", err)
	}
	for _, t := range c.known.Load().jettons() {
		if t.master == master {
			return nil, fmt.Errorf("%s is watched already, as %s", contract, t.symbol)
		}
	}
	err = c.node.Use(ctx, func(n node) error {
		facts = &chains.TokenFacts{Contract: master.address().Bounce(true).String(), Habits: []string{}, Untried: "only the wallet of a holder can try a transfer"}
		tip, _, err := n.Client.Tip(ctx)
		if err != nil {
			return err
		}
		told, err := n.Client.Run(ctx, master.String(), "get_jetton_data", tip.Height)
		if err != nil {
			return err
		}
		if len(told) != 5 || told[0].Number == nil || told[3].Cell == nil || told[4].Cell == nil {
			return fmt.Errorf("%w: %s is no master of a jetton", chains.ErrNoToken, contract)
		}
		if told[1].Number != nil && told[1].Number.Sign() != 0 {
			facts.Habits = append(facts.Habits, "its owner can still make more of it")
		}
		if panicked := gather.Recover(func() error { err = content(told[3].Cell, facts); return nil }); panicked != nil {
			err = errOffChain
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	return facts, nil
}

// content reads symbol and decimals that are kept on the chain (TEP-64).
func content(root *cell.Cell, facts *chains.TokenFacts) error {
	s := root.BeginParse()
	if kind, err := s.LoadUInt(8); err != nil || kind != 0 {
		return errOffChain
	}
	dict, err := s.LoadDict(256)
	if err != nil {
		return errOffChain
	}
	value := func(name string) string {
		hash := sha256.Sum256([]byte(name))
		found, err := dict.LoadValueByIntKey(new(big.Int).SetBytes(hash[:]))
		if err != nil {
			return ""
		}
		if found.RefsNum() > 0 {
			if found, err = found.LoadRef(); err != nil {
				return ""
			}
		}
		return strings.TrimPrefix(snake(found), "\x00")
	}
	facts.Symbol = value("symbol")
	decimals, err := strconv.Atoi(value("decimals"))
	if err != nil || decimals < 0 || decimals > maxDecimals {
		return errOffChain
	}
	facts.Decimals = decimals
	return nil
}
