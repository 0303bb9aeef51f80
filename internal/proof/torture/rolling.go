package main

import (
	"cmp"
	"context"
	"os/exec"
	"path/filepath"
	"sync/atomic"
)

// rolling is a newer version taking the place of an older one in the storm.
type rolling struct {
	older, newer string
	share        atomic.Int32 // percent of starts of the newer one
	olders       atomic.Int64 // starts of the older one
	beside       atomic.Int64 // … while the newer one was there too
}

// versions are those of this storm: one, or two.
func (o options) versions() (*rolling, error) {
	newer, err := filepath.Abs(o.binary)
	if err != nil || o.older == "" {
		v := &rolling{newer: newer}
		v.share.Store(100)
		return v, err
	}
	older, err := filepath.Abs(o.older)
	return &rolling{older: older, newer: newer}, err
}

// oldest is the version of the first schema.
func (v *rolling) oldest() string { return cmp.Or(v.older, v.newer) }

// next is the version of the next process.
func (v *rolling) next(c *chance) string {
	share := v.share.Load()
	if c.in(int(share)) {
		return v.newer
	}
	v.olders.Add(1)
	if share > 0 {
		v.beside.Add(1)
	}
	return v.older
}

// roll brings the newer version in: after a quarter of the storm its schema, and then every second start is its. From the middle on it
// takes every start, and each process of the older one is killed.
func (t *torture) roll(ctx context.Context) {
	if t.older == "" || !wait(ctx, t.duration/4) {
		return
	}
	t.insist(ctx, func(ctx context.Context) error {
		cmd := exec.CommandContext(ctx, t.version.newer, "migrate", "up")
		cmd.Env = t.settings("")
		return cmd.Run()
	})
	say("the newer version's schema is there")
	t.version.share.Store(50)
	if !wait(ctx, t.duration/4) {
		return
	}
	t.version.share.Store(100)
	for _, r := range t.roles {
		if r.runs(t.version.older) {
			r.kill()
		}
	}
	say("the newer version is alone: %d starts were the older one's, %d of them beside it", t.version.olders.Load(), t.version.beside.Load())
}
