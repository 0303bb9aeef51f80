package main

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"github.com/google/uuid"

	"causeway/internal/lists"
)

const (
	readClients   = 32
	readMerchants = 100
	readEach      = 100 // payouts of each
)

// measureReads is the API's reads beside bare ones, each in a process of its own.
func (b *bench) measureReads() (err error) {
	a, err := b.arena("reads")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	for range readEach * readMerchants / 250 {
		if err := a.recordGroup(a.items(readMerchants, 250)); err != nil {
			return err
		}
	}
	if err := lists.FoldCounts(a.ctx, a.store); err != nil { // as cleanup does every five seconds
		return err
	}
	if _, err := a.db.ExecContext(a.ctx, "vacuum analyze"); err != nil {
		return err
	}
	api, err := a.start(nil, "api")
	if err != nil {
		return err
	}
	bare, err := a.startBare()
	if err != nil {
		return err
	}
	return a.measureEachRead(api, bare)
}

// startBare runs this program once more, as the bare handlers.
func (a *arena) startBare() (*role, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	r := &role{name: "bare", address: freeAddress(), cmd: exec.CommandContext(a.ctx, self)}
	r.cmd.Args = append(r.cmd.Args, "-bare", r.address)
	r.cmd.Env = append(os.Environ(), "DATABASE_URL="+a.database)
	r.cmd.Stderr, r.cmd.SysProcAttr = os.Stderr, &syscall.SysProcAttr{Setpgid: true}
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	a.roles = append(a.roles, r)
	return r, a.awaitHTTP("http://" + r.address + "/readyz")
}

// read is one of the API's reads and its bare counterpart.
type read struct {
	name    string
	profile string // the name of its profile
	ours    func(merchant int) string
	bare    func(merchant int) string
}

func (a *arena) measureEachRead(api, bare *role) error {
	var ids []uuid.UUID // a payout of each merchant
	for i := range readMerchants {
		var id uuid.UUID
		if err := a.db.NewRaw("select id from payouts where merchant_id = ? limit 1", a.people.merchants[i+1]).Scan(a.ctx, &id); err != nil {
			return err
		}
		ids = append(ids, id)
	}
	merchant := func(i int) string { return a.people.merchants[i+1].String() }
	for _, r := range []read{
		{name: "GET /v1/balances", profile: "balances", ours: func(int) string { return "/v1/balances" },
			bare: func(i int) string { return "/balances/" + merchant(i) }},
		{name: "GET /v1/check-payout", profile: "check", ours: func(i int) string { return "/v1/check-payout/" + ids[i].String() },
			bare: func(i int) string { return "/payout/" + ids[i].String() }},
		{name: "GET /v1/list-payout, first page", profile: "list", ours: func(int) string { return "/v1/list-payout" },
			bare: func(i int) string { return "/list/" + merchant(i) }},
	} {
		if err := a.measureRead(r, api, bare); err != nil {
			return err
		}
	}
	return nil
}

func (a *arena) measureRead(r read, api, bare *role) error {
	run := func(at *role, path func(int) string) (outcome, string, error) {
		var m *meter
		profiled := func() error { return nil }
		started := func() {
			m = a.meter(at)
			if at == api {
				profiled = a.profile(at, "reads-"+r.profile)
			}
		}
		done, err := load{address: at.address, clients: readClients, length: a.slot, want: 200, started: started,
			request: func(client, n int) []byte {
				i := (client*31 + n) % readMerchants
				return get(path(i), a.people.keys[i+1])
			}}.run()
		if err != nil {
			return done, "", err
		}
		cpu := m.each(float64(done.count))
		return done, cpu, profiled()
	}
	result, err := a.inRounds(
		func() (float64, error) { done, _, err := run(bare, r.bare); return done.rate, err },
		func() (row, error) {
			done, cpu, err := run(api, r.ours)
			return row{what: r.name, measured: done.rate, unit: "requests/s", p50: done.p50, p99: done.p99, bar: 0.4, cpu: cpu}, err
		})
	if err == nil {
		a.table.add(result)
	}
	return err
}
