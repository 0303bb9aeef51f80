package main

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// soak is the figures of everything, minute by minute, while nothing was broken.
type soak struct {
	every   time.Duration
	held    map[string][]float64 // by figure, a value for each look
	mu      sync.Mutex
	latency []time.Duration // of requests since the last look
}

// newSoak looks 120 times.
func newSoak(length time.Duration) *soak {
	return &soak{every: max(length/120, time.Second), held: map[string][]float64{}}
}

// answered notes how long a request took; without a soak it does nothing.
func (s *soak) answered(took time.Duration) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latency = append(s.latency, took)
}

// lately are the times of the requests since the last look, sorted.
func (s *soak) lately() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	took := s.latency
	s.latency = nil
	slices.Sort(took)
	return took
}

// grace is how much a figure may grow from the second quarter of the soak to the last one: a part of it, and a bit beside for small ones.
type grace struct{ part, beside float64 }

// graces are those of each kind of figure, by the end of its name. A figure of no kind is told and not judged.
var graces = map[string]grace{
	"MB of memory":         {0.15, 8},
	"goroutines":           {0.10, 10},
	"open files":           {0.10, 10},
	"payouts under way":    {0.50, 200},
	"open jobs":            {0.50, 200},
	"ms to answer, median": {0.50, 10},
	"connections":          {0.10, 5},
	"MB of Redis":          {0.20, 4},
	"seconds late (jobs)":  {0.50, 5},
}

// watch looks at every process until ctx ends.
func (t *torture) watch(ctx context.Context) {
	for wait(ctx, t.soaked.every) {
		t.soaked.look(ctx, t)
	}
}

// look takes one value of each figure.
func (s *soak) look(ctx context.Context, t *torture) {
	for _, r := range t.roles {
		r.mu.Lock()
		cmd := r.cmd
		r.mu.Unlock()
		if cmd == nil {
			continue
		}
		s.add(r.name+", MB of memory", memoryOf(cmd.Process.Pid))
		s.add(r.name+", open files", float64(filesOf(cmd.Process.Pid)))
		if n, err := goroutinesOf(ctx, r.port); err == nil {
			s.add(r.name+", goroutines", n)
		}
	}
	s.askServers(ctx, t)
	if took := s.lately(); len(took) > 0 {
		s.add("api, ms to answer, median", float64(took[len(took)/2].Microseconds())/1000)
		s.add("api, ms to answer, 99 of 100", float64(took[len(took)*99/100].Microseconds())/1000)
	}
}

// askServers takes the figures of PostgreSQL and Redis.
func (s *soak) askServers(ctx context.Context, t *torture) {
	var open, jobs, connections int
	var late, size float64
	row := t.db.NewRaw(`select (select count(*) from payouts where status in ('queued', 'signed', 'sent')), (select count(*) from jobs),
		(select coalesce(extract(epoch from max(now() - run_at)), 0) from jobs where run_at < now() and kind in ('payout.broadcast', 'webhook.deliver')),
		(select count(*) from pg_stat_activity where datname = current_database()), pg_database_size(current_database()) / 1e6`)
	if err := row.Scan(ctx, &open, &jobs, &late, &connections, &size); err == nil {
		s.add("payouts under way", float64(open))
		s.add("open jobs", float64(jobs))
		s.add("seconds late (jobs)", max(late, 0))
		s.add("PostgreSQL, connections", float64(connections))
		s.add("PostgreSQL, MB on disk", size)
	}
	if used, err := redisMemory(ctx, t.stack.RedisURL); err == nil {
		s.add("MB of Redis", used)
	}
}

func (s *soak) add(what string, value float64) { s.held[what] = append(s.held[what], value) }

// judge names the figures grown too much. It reports every figure by its median in the second quarter of the soak and in the last.
func (s *soak) judge(r *report) {
	if s == nil {
		return
	}
	for _, what := range slices.Sorted(maps.Keys(s.held)) {
		all := s.held[what]
		if len(all) < 8 {
			r.add(checkFlat, what+" was seen too seldom to say so")
			continue
		}
		early, late := median(all[len(all)/4:len(all)/2+1]), median(all[len(all)*3/4:])
		r.Done["soak: "+what] = fmt.Sprintf("%.1f, then %.1f", early, late)
		for kind, g := range graces {
			if strings.HasSuffix(what, kind) && late > early*(1+g.part)+g.beside {
				r.add(checkFlat, fmt.Sprintf("%s: %.1f, then %.1f", what, early, late))
			}
		}
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// memoryOf is the resident memory of a process, in MB; 0 when it has ended.
func memoryOf(pid int) float64 {
	content, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := strings.Fields(string(content))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(fields[1])
	return float64(pages) * float64(os.Getpagesize()) / 1e6
}

// filesOf counts the open files of a process.
func filesOf(pid int) int {
	names, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	return len(names)
}

// goroutinesOf asks a role for the number of its goroutines.
func goroutinesOf(ctx context.Context, operator string) (float64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+operator+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if n, is := strings.CutPrefix(lines.Text(), "go_goroutines "); is {
			return strconv.ParseFloat(n, 64)
		}
	}
	return 0, fmt.Errorf("%s tells no go_goroutines", operator)
}

// redisMemory is the memory in use by Redis, in MB.
func redisMemory(ctx context.Context, address string) (float64, error) {
	options, err := redis.ParseURL(address)
	if err != nil {
		return 0, err
	}
	client := redis.NewClient(options)
	defer func() { _ = client.Close() }()
	memory, err := client.InfoMap(ctx, "memory").Result()
	if err != nil {
		return 0, err
	}
	used, err := strconv.ParseFloat(memory["Memory"]["used_memory"], 64)
	return used / 1e6, err
}
