package main

import (
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/shopspring/decimal"
)

// chance makes the choices of one actor: the same seed and name make the same ones.
type chance struct {
	mu     sync.Mutex
	random *rand.Rand
}

func (t *torture) chance(actor string) *chance {
	name := fnv.New64a()
	_, _ = name.Write([]byte(actor))
	return &chance{random: rand.New(rand.NewPCG(t.seed, name.Sum64()))} //nolint:gosec // choices that must repeat
}

// below returns a number in [0, n).
func (c *chance) below(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.random.IntN(n)
}

// in is true so many times of a hundred.
func (c *chance) in(percent int) bool { return c.below(100) < percent }

// between returns a time in [least, most).
func (c *chance) between(least, most time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return least + time.Duration(c.random.Int64N(int64(most-least)))
}

// around returns a waiting time of this mean, as between independent events; at most five times it.
func (c *chance) around(mean time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Duration(min(c.random.ExpFloat64(), 5) * float64(mean))
}

// amount returns one to ten times a unit, with so many decimals.
func (c *chance) amount(unit decimal.Decimal, decimals int32) decimal.Decimal {
	c.mu.Lock()
	defer c.mu.Unlock()
	thousandths := decimal.New(1000+c.random.Int64N(9000), -3)
	noise := decimal.New(c.random.Int64N(1_000_000), -decimals)
	return unit.Mul(thousandths).Add(noise).Truncate(decimals)
}

func pick[T any](c *chance, list []T) T { return list[c.below(len(list))] }

// some returns three of ten elements of a list.
func (c *chance) some(list []string) (out []string) {
	for _, one := range list {
		if c.in(30) {
			out = append(out, one)
		}
	}
	return out
}
