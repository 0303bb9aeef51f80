package sandbox

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"causeway/chains"
)

// The values of faults.
const (
	down             = "down"               // the node does not answer
	reject           = "reject"             // the network rejects it for good
	timeout          = "timeout"            // nothing is sent, and the caller sees a time-out
	timeoutAfterSend = "timeout-after-send" // it is sent, and the caller sees a time-out
	copied           = "copied"             // a copy of it under another id is taken; only where coins are spent whole
)

// Faults are the present faults of one network (operator §Sandbox networks).
type Faults struct {
	Broadcast string `json:"broadcast,omitempty"` // reject, timeout, timeout-after-send, down or copied
	Address   string `json:"address,omitempty"`   // down
	Scan      string `json:"scan,omitempty"`      // down
	Lose      int    `json:"lose,omitempty"`      // percent of lost answers, of every verb
}

var (
	errLost      = errors.New("the answer was lost")
	errSwitched  = errors.New("switched off by a fault")
	errNoGenesis = errors.New("the sandbox network has no genesis yet")
)

// Fault is a possible fault of a network, and its words. One without words takes a percentage.
type Fault struct {
	Name  string
	Words []string
}

// AllFaults are the faults of a network, in the order they are shown in (operator §Sandbox networks).
var AllFaults = []Fault{
	{Name: "broadcast", Words: []string{reject, timeout, timeoutAfterSend, down, copied}},
	{Name: "address", Words: []string{down}},
	{Name: "scan", Words: []string{down}},
	{Name: "lose"},
}

// wordsOf returns the words of a fault.
func wordsOf(name string) []string {
	for _, f := range AllFaults {
		if f.Name == name {
			return f.Words
		}
	}
	return nil
}

// either lists words with "or" before the last.
func either(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// set applies one name=value of the operator.
func (f *Faults) set(name, value string) error {
	if name == "lose" {
		percent, err := strconv.Atoi(value)
		if err != nil || percent < 0 || percent > 100 {
			return fmt.Errorf("fault lose is a percentage from 0 to 100, not %q", value)
		}
		f.Lose = percent
		return nil
	}
	field, known := map[string]*string{"broadcast": &f.Broadcast, "address": &f.Address, "scan": &f.Scan}[name]
	if !known {
		return fmt.Errorf("there is no fault %q: broadcast, address, scan and lose are", name)
	}
	words := wordsOf(name)
	if !slices.Contains(words, value) {
		return fmt.Errorf("fault %s can be %s, not %q", name, either(words), value)
	}
	*field = value
	return nil
}

// faults reads the present faults.
func (c *chain) faults(ctx context.Context) (f Faults, err error) {
	err = c.read(ctx, "select faults from sandbox_networks where network = ?", []any{c.net.Name}, asJSON(&f))
	return f, err
}

// faultsNow is faults for simultaneous callers.
func (c *chain) faultsNow(ctx context.Context) (Faults, error) {
	return c.faulty.Do(ctx, struct{}{}, func(ctx context.Context, group []struct{}) ([]Faults, error) {
		var f Faults
		err := c.readPrepared(ctx, "select faults from sandbox_networks where network = $1", []any{c.net.Name}, asJSON(&f))
		return slices.Repeat([]Faults{f}, len(group)), err
	})
}

// pass lets an answer through, unless its part of the node is down or the answer gets lost.
func (c *chain) pass(f Faults, part string) error {
	if part == down {
		return fmt.Errorf("%s: %w: %w", c.net.Name, chains.ErrDown, errSwitched)
	}
	if c.dice.below(f.Lose) {
		return fmt.Errorf("%s: %w: %w", c.net.Name, chains.ErrDown, errLost)
	}
	return nil
}

// dice chooses at random, but the same with the same seed.
type dice struct {
	mu     sync.Mutex
	random *rand.Rand
}

func newDice(seed uint64, network string) *dice {
	name := fnv.New64a()
	_, _ = name.Write([]byte(network))
	return &dice{random: rand.New(rand.NewPCG(seed, name.Sum64()))} //nolint:gosec // G404: chooses simulated faults, and must repeat
}

// below is true in percent of a hundred throws.
func (d *dice) below(percent int) bool {
	if percent <= 0 {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.random.IntN(100) < percent
}
