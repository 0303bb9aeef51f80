package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"causeway/tasks"
)

// peakMemory and memory are a process's RAM, at most or now; in MB.
func peakMemory(pid int) float64 { return statusLine(pid, "VmHWM:") }

func memory(pid int) float64 { return statusLine(pid, "VmRSS:") }

func statusLine(pid int, name string) float64 {
	content, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(content)) {
		if value, ok := strings.CutPrefix(line, name); ok {
			kilobytes, _ := strconv.ParseFloat(strings.Fields(value)[0], 64)
			return kilobytes / 1024
		}
	}
	return 0
}

// measureRedisPerJob rings jobs without a worker, and asks Redis for their memory.
func (a *arena) measureRedisPerJob() error {
	const jobs = 10_000
	if err := a.redis.FlushDB(a.ctx).Err(); err != nil {
		return err
	}
	before, err := a.redisMemory()
	if err != nil {
		return err
	}
	bell := tasks.NewBell(a.redis)
	for range jobs {
		if err := bell.Ring(a.ctx, tasks.Job{Kind: tasks.BroadcastPayout, Ref: uuid.Must(uuid.NewV7())}); err != nil {
			return err
		}
	}
	after, err := a.redisMemory()
	a.table.add(row{what: "Redis per open job", measured: (after - before) / jobs, unit: "bytes", bar: 1024, ceiling: true})
	return err
}

func (a *arena) redisMemory() (float64, error) {
	info, err := a.redis.Info(a.ctx, "memory").Result()
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(info, "used_memory:")
	value, _, _ := strings.Cut(rest, "\r\n")
	return strconv.ParseFloat(value, 64)
}
