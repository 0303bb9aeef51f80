package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// cpuOf is the processor time taken by a process and its children, living and dead. Unlike rates it says the same on a
// busy machine. It is read again when a child has died meanwhile: this one would count twice or not at all.
func cpuOf(pid int) time.Duration {
	for {
		own, dead := cpuStat(pid)
		sum := own + dead
		for _, child := range childrenOf(pid) {
			living, its := cpuStat(child)
			sum += living + its
		}
		if _, since := cpuStat(pid); since == dead {
			return sum
		}
	}
}

// cpuStat reads utime and stime, and cutime and cstime, of proc(5); they count hundredths of a second.
func cpuStat(pid int) (own, dead time.Duration) {
	fields := statOf(pid)
	if len(fields) < 15 {
		return 0, 0
	}
	ticks := func(i int) time.Duration {
		n, _ := strconv.ParseInt(fields[i], 10, 64)
		return time.Duration(n) * 10 * time.Millisecond
	}
	return ticks(11) + ticks(12), ticks(13) + ticks(14)
}

// statOf returns the fields of proc(5) for a process after its name: its state, its parent and so on; nothing for a
// process already gone.
func statOf(pid int) []string {
	content, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return strings.Fields(string(content[strings.LastIndexByte(string(content), ')')+1:]))
}

// childrenOf asks all processes for their parent: the kernel's list of a parent's children may miss some while others
// end.
func childrenOf(parent int) (children []int) {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range all {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if fields := statOf(pid); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			children = append(children, pid)
		}
	}
	return children
}

// postmaster is the process of the private PostgreSQL.
func (b *bench) postmaster() int {
	return pidIn(filepath.Join(b.stack.Postgres.Dir(), "data", "postmaster.pid"))
}

func pidIn(path string) int {
	content, _ := os.ReadFile(path)
	line, _, _ := strings.Cut(string(content), "\n")
	pid, _ := strconv.Atoi(strings.TrimSpace(line))
	return pid
}

// redisServer is the process of the private Redis.
func (b *bench) redisServer() int {
	return pidIn(filepath.Join(b.stack.Redis.Dir(), "data", "redis.pid"))
}

// meter takes the processor time of every process at work on a measurement, while it runs.
type meter struct {
	names   []string
	pids    []int
	since   []time.Duration // as it stood when the meter was started last; nil while it is stopped
	counted []time.Duration // before then
}

// ownPlace is the place of this process among those of a meter.
const ownPlace = 2

// ownTime is the processor time of this process. A look at the others costs some: it goes through all processes of the machine.
func ownTime() time.Duration {
	own, _ := cpuStat(os.Getpid())
	return own
}

func (b *bench) meter(roles ...*role) *meter {
	m := &meter{names: []string{"PostgreSQL", "Redis", "load"}, pids: []int{b.postmaster(), b.redisServer(), os.Getpid()}}
	for _, r := range roles {
		m.names, m.pids = append(m.names, r.name), append(m.pids, r.cmd.Process.Pid)
	}
	m.counted = make([]time.Duration, len(m.pids))
	m.start()
	return m
}

// start begins to take time, without that of the look itself.
func (m *meter) start() {
	m.since = m.now()
	m.since[ownPlace] = ownTime()
}

func (m *meter) stop() {
	if m.since == nil {
		return
	}
	own := ownTime()
	all := m.now()
	all[ownPlace] = own
	for i, now := range all {
		m.counted[i] += now - m.since[i]
	}
	m.since = nil
}

func (m *meter) now() []time.Duration {
	out := make([]time.Duration, len(m.pids))
	for i, pid := range m.pids {
		if out[i], _ = cpuStat(pid); i == 0 {
			out[i] = cpuOf(pid)
		}
	}
	return out
}

// all is the time taken by everything together.
func (m *meter) all() (sum time.Duration) {
	m.stop()
	for _, counted := range m.counted {
		sum += counted
	}
	return sum
}

// of is the time taken by the processes of a name.
func (m *meter) of(name string) (sum time.Duration) {
	m.stop()
	for i, counted := range m.counted {
		if m.names[i] == name {
			sum += counted
		}
	}
	return sum
}

// each returns the time taken by one of n, by process: microseconds of processor time.
func (m *meter) each(n float64) string {
	m.stop()
	var parts []string
	sum := time.Duration(0)
	for i, counted := range m.counted {
		used := time.Duration(float64(counted) / n)
		sum += used
		parts = append(parts, fmt.Sprintf("%s %d", m.names[i], used.Microseconds()))
	}
	return fmt.Sprintf("%d µs: %s", sum.Microseconds(), strings.Join(parts, ", "))
}
