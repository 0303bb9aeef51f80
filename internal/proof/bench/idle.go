package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"causeway/internal/dev/devstack"
)

// measureIdle is `causeway dev` with nothing to do: 24 networks making a block each second. Only its own process
// counts, not its PostgreSQL and Redis.
func (b *bench) measureIdle() (err error) {
	dir := filepath.Join(b.data, "idle")
	cmd := exec.CommandContext(b.ctx, b.binary, "dev", "--data-dir", dir, "--listen", freeAddress(), "--operator-listen", freeAddress())
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "LOG_LEVEL=warn", "SANDBOX_BLOCK_TIME=1s"}
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		err = errors.Join(err, devstack.Remove(devstack.Options{DataDir: dir}))
	}()
	if err := b.await(2*time.Minute, "dev.json", func() (bool, error) {
		_, err := os.Stat(filepath.Join(dir, "dev.json"))
		return err == nil, nil // not there yet
	}); err != nil {
		return err
	}
	wait(min(b.idle, 10*time.Second)) // the demo merchant's funds are on their way
	before, _ := cpuStat(cmd.Process.Pid)
	wait(b.idle)
	after, _ := cpuStat(cmd.Process.Pid)
	held := memory(cmd.Process.Pid)
	if held == 0 {
		return errors.New("causeway dev has ended")
	}
	b.table.add(row{what: "idle causeway dev, 24 networks, a block a second", measured: 100 * (after - before).Seconds() / b.idle.Seconds(),
		unit: "% of a core", bar: 2, ceiling: true})
	b.table.add(row{what: "idle causeway dev, memory", measured: held, unit: "MB", bar: 150, ceiling: true})
	return nil
}
