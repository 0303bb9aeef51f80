package evm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/evm/client"
	"causeway/chains/nodes"
)

var (
	selectorSymbol = selector("symbol()")
	selectorPaused = selector("paused()")
	// The usual names of the question whether an address is blocked.
	selectorsBlocked = map[string][]byte{
		"isBlacklisted": selector("isBlacklisted(address)"), "isBlackListed": selector("isBlackListed(address)"),
		"blacklisted": selector("blacklisted(address)"), "getBlackListStatus": selector("getBlackListStatus(address)"),
		"isBlocked": selector("isBlocked(address)"), "isFrozen": selector("isFrozen(address)"), "frozen": selector("frozen(address)"),
	}
)

// longestSymbol is how many bytes of a contract's symbol are shown.
const longestSymbol = 32

// Inspect implements chains.TokenBook: it reads symbol and decimals, asks about a pause and a blocklist, and plays a transfer
// in the place of a holder.
func (c *Connector) Inspect(ctx context.Context, contract, holder string) (*chains.TokenFacts, error) {
	canonical, err := addresses.Validate(c.cfg.Network, contract)
	if err != nil && !errors.Is(err, chains.ErrNotPayable) { // the contract of a known token cannot be paid to
		return nil, fmt.Errorf("contract: %w", err)
	}
	at := common.HexToAddress(contract)
	if known, watched := c.logged()[at]; watched {
		return nil, fmt.Errorf("%s is watched already, as %s", at.Hex(), known.symbol)
	}
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	i := &inspection{Connector: c, contract: at, facts: &chains.TokenFacts{Contract: at.Hex(), Habits: []string{}}}
	if canonical != "" {
		i.facts.Contract = canonical
	}
	if err := i.ask(ctx); err != nil {
		return nil, err
	}
	if err := i.find(ctx, holder); err != nil {
		return nil, err
	}
	return i.facts, i.try(ctx)
}

// inspection is one look at a contract.
type inspection struct {
	*Connector
	contract common.Address
	facts    *chains.TokenFacts
	holder   common.Address
	units    *big.Int // of the holder; nil if none was found
}

func (i *inspection) habit(harms bool, format string, args ...any) {
	i.facts.Habits, i.facts.Harms = append(i.facts.Habits, fmt.Sprintf(format, args...)), i.facts.Harms || harms
}

func (i *inspection) call(into *hexutil.Bytes, data []byte) *client.Question {
	return client.Ask(into, "eth_call", callObject{To: &i.contract, Data: data}, "latest")
}

// ask reads the contract's facts. A question without an answer is no error, except one every token answers.
func (i *inspection) ask(ctx context.Context) error {
	var code, decimals, symbol, held, paused hexutil.Bytes
	questions := []*client.Question{client.Ask(&code, "eth_getCode", i.contract, "latest"), i.call(&decimals, selectorDecimals),
		i.call(&symbol, selectorSymbol), i.call(&held, balanceOf(i.hot)), i.call(&paused, selectorPaused)}
	blocked := map[string]*hexutil.Bytes{}
	for name, s := range selectorsBlocked {
		blocked[name] = new(hexutil.Bytes)
		questions = append(questions, i.call(blocked[name], append(bytes.Clone(s), word(i.hot[:])...)))
	}
	if err := i.node.Each(ctx, questions...); err != nil {
		return err
	}
	for _, q := range questions {
		if q.Err != nil && !client.IsClass(q.Err, client.Reverted) && !client.IsClass(q.Err, client.Exhausted) {
			return q.Err
		}
	}
	digits := new(big.Int).SetBytes(decimals)
	switch {
	case len(code) == 0:
		return fmt.Errorf("%w: %s has no code", chains.ErrNoToken, i.facts.Contract)
	case len(held) != common.HashLength || len(decimals) != common.HashLength || digits.Cmp(big.NewInt(maxDecimals)) > 0:
		return fmt.Errorf("%w: %s does not say decimals, from 0 to %d, and balances", chains.ErrNoToken, i.facts.Contract, maxDecimals)
	}
	i.facts.Decimals, i.facts.Symbol = int(digits.Int64()), symbolIn(symbol)
	if len(paused) == common.HashLength {
		now := isTrue(paused)
		i.habit(now, "pausable: its owner can stop all transfers%s", map[bool]string{true: ", and has"}[now])
	}
	i.blocklist(blocked)
	return nil
}

// blocklist notes that the contract can block an address. An answer of another length is of another function.
func (i *inspection) blocklist(answers map[string]*hexutil.Bytes) {
	var has, ours bool
	for _, answer := range answers {
		if len(*answer) == common.HashLength {
			has, ours = true, ours || isTrue(*answer)
		}
	}
	if has {
		i.habit(ours, "blocklist: its owner can block an address%s", map[bool]string{true: ", and has blocked our hot wallet"}[ours])
	}
}

// find looks for a holder able to send the token.
func (i *inspection) find(ctx context.Context, holder string) error {
	var who []common.Address
	if holder != "" {
		if !common.IsHexAddress(holder) {
			return fmt.Errorf("holder: %w: %q", chains.ErrFormat, holder)
		}
		who = []common.Address{common.HexToAddress(holder)}
		if who[0] == i.hot {
			return fmt.Errorf("holder: %s is our hot wallet, to which the transfer goes: name somebody else", holder)
		}
	} else if newest, err := i.recipients(ctx); err != nil {
		i.facts.Untried = "its transfers in the newest blocks could not be read: name a holder"
		return nil //nolint:nilerr // it is said in Untried
	} else {
		who = newest
	}
	balances := make([]balance, len(who))
	questions := make([]*client.Question, len(who))
	for n, a := range who {
		questions[n] = balances[n].ask(token{contract: i.contract}, a, "latest")
	}
	if err := i.node.Batch(ctx, questions...); err != nil {
		return err
	}
	for n := range balances {
		if units, err := balances[n].units(); err == nil && units.Sign() > 0 && (i.units == nil || units.Cmp(i.units) > 0) {
			i.holder, i.units = who[n], units
		}
	}
	if i.units == nil {
		i.facts.Untried = "nobody was found who holds any: name a holder"
	}
	return nil
}

// mostHolders is how many recipients of the newest transfers are asked for their balances.
const mostHolders = 20

// recipients returns the recipients of the contract's newest transfers, without the hot wallet.
func (i *inspection) recipients(ctx context.Context) (out []common.Address, err error) {
	var head hexutil.Uint64
	if err := i.node.Call(ctx, &head, "eth_blockNumber"); err != nil {
		return nil, err
	}
	var logs client.Logs
	first := max(0, int64(head)-int64(i.cfg.MaxRange)+1)
	err = i.node.Call(ctx, &logs, "eth_getLogs", map[string]any{"address": i.contract, "topics": []common.Hash{transferTopic},
		"fromBlock": hexutil.Uint64(first), "toBlock": head})
	seen := map[common.Address]bool{i.hot: true, {}: true}
	for n := len(logs) - 1; err == nil && n >= 0 && len(out) < mostHolders; n-- {
		if len(logs[n].Topics) < 3 {
			continue
		}
		if to := common.BytesToAddress(logs[n].Topics[2][:]); !seen[to] {
			seen[to], out = true, append(out, to)
		}
	}
	return out, err
}

// try plays a transfer of the holder's whole balance to the hot wallet.
func (i *inspection) try(ctx context.Context) error {
	if i.units == nil {
		return nil
	}
	var plain, words hexutil.Bytes
	transfer := client.Ask(&plain, "eth_call", callObject{From: &i.holder, To: &i.contract, Data: transferCall(i.hot, i.units)}, "latest")
	played := client.Ask(&words, "eth_call", callObject{To: &i.holder}, "latest",
		map[common.Address]any{i.holder: map[string]any{"code": hexutil.Bytes(transferProbe(i.contract, i.hot, i.units))}})
	if err := i.node.Each(ctx, transfer, played); err != nil {
		return err
	}
	var refused *client.Error
	switch {
	case client.IsClass(transfer.Err, client.Reverted) && errors.As(transfer.Err, &refused):
		i.habit(true, "refuses: a transfer to our hot wallet reverts, with %q", nodes.Words(said(refused.Data)))
		return nil
	case transfer.Err != nil:
		i.facts.Untried = "the node does not try a transfer"
		return nil //nolint:nilerr // it is said in Untried
	case len(plain) == 0:
		i.habit(false, "no return value: a transfer answers nothing")
	case !isTrue(plain):
		i.habit(true, "returns false: a transfer answers false and does not revert")
	}
	if played.Err != nil || len(words) != probeEnd-probeBefore {
		i.facts.Untried = "whether all of a transfer arrives: the node runs no code in the place of an account"
		return nil //nolint:nilerr // it is said in Untried
	}
	i.arrived(words)
	return nil
}

// arrived compares the amount sent with the amount received.
func (i *inspection) arrived(words []byte) {
	at := func(place int) *big.Int {
		return new(big.Int).SetBytes(words[place-probeBefore : place-probeBefore+common.HashLength])
	}
	came := new(big.Int).Sub(at(probeAfter), at(probeBefore))
	t := token{decimals: int32(i.facts.Decimals)}
	switch {
	case at(probeSuccess).Sign() == 0:
		i.facts.Untried = "whether all of a transfer arrives: the holder cannot send in the place of a contract"
	case came.Cmp(i.units) != 0 && (at(probeSize).Sign() == 0 || at(probeValue).Sign() != 0):
		i.habit(true, "fee on transfer: of %s sent, %s arrive", t.amount(i.units), t.amount(came))
	}
}

func isTrue(answer []byte) bool { return new(big.Int).SetBytes(answer).Sign() != 0 }

// symbolIn reads a symbol: text of the ABI, or a word ending in zeros, as some early contracts answer. Invisible characters are
// left out, and so is everything beyond longestSymbol.
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
