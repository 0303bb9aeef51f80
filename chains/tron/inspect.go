package tron

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"causeway/chains"
	"causeway/chains/addresses"
)

var (
	selectorSymbol = crypto.Keccak256([]byte("symbol()"))[:4]
	selectorPaused = crypto.Keccak256([]byte("paused()"))[:4]
)

// inspection is one look at a contract.
type inspection struct {
	view
	contract common.Address
	facts    *chains.TokenFacts
	holder   common.Address
	units    *big.Int // of the holder; nil if none was found
}

// Inspect implements chains.TokenBook: it reads symbol and decimals, asks about a pause and a blocklist, and tries a transfer of a holder.
func (c *Connector) Inspect(ctx context.Context, contract, holder string) (*chains.TokenFacts, error) {
	at, err := addresses.TronAccount(contract)
	if err != nil {
		return nil, fmt.Errorf("contract: %w", err)
	}
	if known, watched := c.known.Load().byContract[at]; watched {
		return nil, fmt.Errorf("%s is watched already, as %s", contract, known.symbol)
	}
	var facts *chains.TokenFacts
	err = c.use(ctx, func(v view) error {
		facts = &chains.TokenFacts{Contract: addresses.TronOf(at), Habits: []string{}}
		i := &inspection{view: v, contract: at, facts: facts}
		if err := i.read(ctx); err != nil {
			return err
		}
		if err := i.find(ctx, holder); err != nil {
			return err
		}
		return i.try(ctx)
	})
	return facts, err
}

func (i *inspection) habit(harms bool, format string, args ...any) {
	i.facts.Habits, i.facts.Harms = append(i.facts.Habits, fmt.Sprintf(format, args...)), i.facts.Harms || harms
}

// answer asks the contract, nil where it does not answer with a word.
func (i *inspection) answer(ctx context.Context, data []byte) ([]byte, error) {
	t, err := i.constant(ctx, whole, i.hot, i.contract, data)
	if err != nil || t.reverted != "" || len(t.data) < common.HashLength {
		return nil, err
	}
	return t.data, nil
}

// read reads the contract's facts.
func (i *inspection) read(ctx context.Context) error {
	var answers [5][]byte
	for n, data := range [][]byte{selectorDecimals, asks(selectorBalance, i.hot), selectorSymbol, selectorPaused, asks(selectorBlocklist, i.hot)} {
		var err error
		if answers[n], err = i.answer(ctx, data); err != nil {
			return err
		}
	}
	decimals, held, symbol, paused, blocked := answers[0], answers[1], answers[2], answers[3], answers[4]
	digits := bigOf(decimals)
	if len(held) != common.HashLength || len(decimals) != common.HashLength || digits.Cmp(big.NewInt(maxDecimals)) > 0 {
		return fmt.Errorf("%w: %s does not say decimals, from 0 to %d, and balances", chains.ErrNoToken, i.facts.Contract, maxDecimals)
	}
	i.facts.Decimals, i.facts.Symbol = int(digits.Int64()), symbolIn(symbol)
	if len(paused) == common.HashLength {
		now := bigOf(paused).Sign() != 0
		i.habit(now, "pausable: its owner can stop all transfers%s", map[bool]string{true: ", and has"}[now])
	}
	if len(blocked) == common.HashLength {
		ours := bigOf(blocked).Sign() != 0
		i.habit(ours, "blocklist: its owner can block an address%s", map[bool]string{true: ", and has blocked our hot wallet"}[ours])
	}
	return nil
}

// holderBlocks is how many of the newest blocks are looked through for a holder.
const holderBlocks = 20

// find looks for a holder able to send the token: the one named, or a recipient in the newest blocks.
func (i *inspection) find(ctx context.Context, holder string) error {
	who := map[common.Address]bool{}
	if holder != "" {
		a, err := addresses.TronAccount(holder)
		switch {
		case err != nil:
			return fmt.Errorf("holder: %w", err)
		case common.Address(a) == i.hot:
			return fmt.Errorf("holder: %s is our hot wallet, to which the transfer goes: name somebody else", holder)
		}
		who[a] = true
	} else {
		best, err := i.newest(ctx, whole)
		if err != nil {
			return err
		}
		first := max(1, best.Header.Raw.Number-holderBlocks+1)
		blocks, err := i.run(ctx, first, int(max(0, best.Header.Raw.Number-first+1)))
		if err != nil {
			i.facts.Untried = "its transfers in the newest blocks could not be read: name a holder"
			return nil //nolint:nilerr // it is said in Untried
		}
		for _, b := range blocks {
			for _, t := range b.txs {
				for _, m := range t.logs {
					if m.contract == i.contract && m.to != i.hot && len(who) < holderBlocks {
						who[m.to] = true
					}
				}
			}
		}
	}
	for a := range who {
		answer, err := i.answer(ctx, asks(selectorBalance, a))
		if err != nil {
			return err
		}
		if units := bigOf(answer); len(answer) == common.HashLength && units.Sign() > 0 && (i.units == nil || units.Cmp(i.units) > 0) {
			i.holder, i.units = a, units
		}
	}
	if i.units == nil {
		i.facts.Untried = "nobody was found who holds any: name a holder"
	}
	return nil
}

// try plays a transfer of the holder's whole balance to the hot wallet, and reads the logs of it.
func (i *inspection) try(ctx context.Context) error {
	if i.units == nil {
		return nil
	}
	t, err := i.constant(ctx, whole, i.holder, i.contract, transferCall(i.hot, i.units))
	if errors.Is(err, chains.ErrNoToken) || err == nil && t.reverted != "" {
		i.habit(true, "refuses: a transfer to our hot wallet reverts")
		return nil
	}
	if err != nil {
		return err
	}
	if len(t.data) == common.HashLength && bigOf(t.data).Sign() == 0 {
		i.habit(false, "returns false: a transfer answers false, and pays nevertheless")
	}
	came := new(big.Int)
	for n := range t.logs {
		if m := t.logs[n]; m.contract == i.contract && m.to == i.hot {
			came.Add(came, m.units)
		}
	}
	switch of := (token{decimals: int32(i.facts.Decimals)}); {
	case len(t.logs) == 0:
		i.facts.Untried = "whether all of a transfer arrives: the node shows no logs of a trial"
	case came.Cmp(i.units) != 0:
		i.habit(true, "fee on transfer: of %s sent, %s arrive", of.amount(i.units), of.amount(came))
	}
	return nil
}

// longestSymbol is how many bytes of a contract's symbol are shown.
const longestSymbol = 32

// symbolIn reads a symbol, a text of the ABI. Invisible characters are left out, and so is everything beyond longestSymbol.
func symbolIn(answer []byte) string {
	text := answer
	if size := new(big.Int); len(answer) >= 2*common.HashLength {
		if size.SetBytes(answer[common.HashLength : 2*common.HashLength]); size.IsUint64() && size.Uint64() <= uint64(len(answer)-2*common.HashLength) {
			text = answer[2*common.HashLength:][:size.Uint64()]
		}
	}
	var clean strings.Builder
	for _, r := range string(text) {
		if clean.Len()+utf8.RuneLen(r) > longestSymbol {
			break
		}
		if unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != unicode.ReplacementChar {
			clean.WriteRune(r)
		}
	}
	return clean.String()
}

// hexOf writes an account as the nodes do.
func hexOf(a common.Address) string { return hex.EncodeToString(long(a)) }
