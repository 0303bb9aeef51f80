package api

import (
	"runtime/debug"
	"runtime/metrics"
	"syscall"
	"testing"
	"time"
)

// The limits of one request's cost to the api process: its bars in docs/hostile-input.md. The race detector multiplies both.
const (
	mostCPU   = 50 * time.Millisecond
	mostBytes = 10 << 20
	raceCPU   = 20
	raceBytes = 2
)

// cost is taken from the whole process: measured by tests with nothing running beside them.
type cost struct {
	cpu   time.Duration
	bytes uint64
}

func (c cost) tooMuch() bool {
	cpu, bytes := mostCPU, uint64(mostBytes)
	if raceDetector {
		cpu, bytes = raceCPU*cpu, raceBytes*bytes
	}
	return c.cpu > cpu || c.bytes > bytes
}

func (c cost) atMost(other cost) cost { return cost{min(c.cpu, other.cpu), min(c.bytes, other.bytes)} }

func (c cost) atLeast(other cost) cost { return cost{max(c.cpu, other.cpu), max(c.bytes, other.bytes)} }

// measure runs something and returns its cost. The collector waits meanwhile: it would go over the tests' own memory.
func measure(t testing.TB, run func()) cost {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	before, allocated := spentCPU(t), allocatedBytes()
	run()
	return cost{spentCPU(t) - before, allocatedBytes() - allocated}
}

func spentCPU(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func allocatedBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
