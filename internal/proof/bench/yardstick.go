package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

//go:embed yardstick_schema.sql
var yardstickSchema string

//go:embed yardstick.sql
var yardstickScript string

// yardstick is pgbench with an equivalent posting: one round trip each, prepared, durable.
type yardstick struct {
	*bench
	pgbench string
	script  string
	best    map[int]int // accounts -> their fastest client count
}

const (
	hot  = 1    // one account
	many = 1000 // accounts
)

var yardstickClients = []int{1, 2, 4, 8, 16, 32}

func (y *yardstick) prepare() (err error) {
	y.best = map[int]int{}
	if y.pgbench, err = y.program("pgbench"); err != nil {
		return err
	}
	y.script = filepath.Join(y.data, "yardstick.sql")
	if err := os.WriteFile(y.script, []byte(yardstickScript), 0o600); err != nil {
		return err
	}
	if err := y.execute("", "create database yardstick"); err != nil {
		return err
	}
	return y.execute("yardstick", yardstickSchema)
}

// measureYardstick finds the best client counts. Everything is compared to them from here on.
func (b *bench) measureYardstick() error {
	return errors.Join(b.yard.search(hot), b.yard.search(many))
}

// search finds the fastest client count for so many accounts.
func (y *yardstick) search(accounts int) error {
	top := 0.0
	for _, clients := range yardstickClients {
		m := y.meter()
		rate, err := y.run(accounts, clients, y.slot)
		if err != nil {
			return err
		}
		y.table.add(row{what: fmt.Sprintf("yardstick, %s, %d clients", accountsNamed(accounts), clients), measured: rate, unit: "postings/s",
			cpu: m.each(rate * y.slot.Seconds())})
		if rate > top {
			top, y.best[accounts] = rate, clients
		}
	}
	return nil
}

func accountsNamed(n int) string {
	if n == hot {
		return "one hot account"
	}
	return fmt.Sprintf("%d accounts", n)
}

// now measures the yardstick at its best client count, for comparison with a measurement beside it. It searches for
// this count when it is not known yet.
func (y *yardstick) now(accounts int) (float64, error) {
	if y.best[accounts] == 0 {
		if err := y.search(accounts); err != nil {
			return 0, err
		}
	}
	return y.run(accounts, y.best[accounts], y.slot)
}

var tps = regexp.MustCompile(`tps = ([0-9.]+)`)

// run returns postings a second; if the machine let nothing through, it runs again.
func (y *yardstick) run(accounts, clients int, length time.Duration) (float64, error) {
	seconds, count := strconv.Itoa(max(1, int(length.Round(time.Second)/time.Second))), strconv.Itoa(clients)
	var out []byte
	for range 3 {
		cmd := exec.CommandContext(y.ctx, y.pgbench, "-n", "-M", "prepared", "-f", y.script, "-D", "accounts="+strconv.Itoa(accounts),
			"-c", count, "-j", strconv.Itoa(min(clients, 2)), "-T", seconds, y.address("yardstick"))
		var err error
		if out, err = cmd.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("pgbench: %w: %s", err, out)
		}
		if found := tps.FindSubmatch(out); found != nil {
			return strconv.ParseFloat(string(found[1]), 64)
		}
	}
	return 0, fmt.Errorf("pgbench: %s", out)
}
