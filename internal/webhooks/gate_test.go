package webhooks

import (
	"context"
	"testing"
	"time"
)

func TestGateGrowsWithFastAnswers(t *testing.T) {
	t.Parallel()
	g := newGate(100, new(strain))
	for range 200 {
		if !g.enter(t.Context()) {
			t.Fatal("no place at an idle host")
		}
		g.leave(true, time.Millisecond)
	}
	if g.limit != 100 || g.underway != 0 {
		t.Fatalf("limit %d, under way %d", g.limit, g.underway)
	}
}

func TestGateShutsOnADeadHost(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(*gate){
		"no answer":   func(g *gate) { g.leave(false, 10*time.Second) },
		"slow answer": func(g *gate) { g.leave(true, 4*time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGate(512, new(strain))
			for range 10 {
				g.enter(t.Context())
				fail(g)
			}
			for range gateFloor {
				if !g.enter(t.Context()) {
					t.Fatal("a dead host must still be tried")
				}
			}
			if turn, ok := g.queue(); turn != nil || ok {
				t.Fatal("one more try waits for a dead host")
			}
			for n, want := range map[int]time.Duration{1: 45 * time.Second, 600: 45 * time.Second, 2000: 115 * time.Second,
				100000: 315 * time.Second} {
				g.skipped = n - 1
				if d := g.comeBack(func() float64 { return 0 }); d != 15*time.Second {
					t.Fatalf("comes back after %v", d)
				}
				g.skipped = n - 1
				if d := g.comeBack(func() float64 { return 1 }); d != want {
					t.Fatalf("%d of them come back within %v, not %v", n, d, want)
				}
			}
		})
	}
}

func TestGateRecovers(t *testing.T) {
	t.Parallel()
	g := newGate(512, new(strain))
	g.enter(t.Context())
	g.leave(false, time.Second)
	g.enter(t.Context())
	g.comeBack(func() float64 { return 0 })
	g.leave(true, time.Millisecond)
	if g.ailing || g.skipped != 0 || g.limit != gateStart/2+1 {
		t.Fatalf("ailing %v, limit %d", g.ailing, g.limit)
	}
}

func TestGateGivesTheNextInLineItsTurn(t *testing.T) {
	t.Parallel()
	g := newGate(1, new(strain))
	if !g.enter(t.Context()) {
		t.Fatal("no place")
	}
	entered := make(chan bool)
	go func() { entered <- g.enter(t.Context()) }()
	waitFor(t, func() bool { g.mu.Lock(); defer g.mu.Unlock(); return len(g.waiting) == 1 })
	if turn, ok := g.queue(); turn != nil || ok {
		t.Fatal("more wait than may be under way")
	}
	g.cancel()
	if !<-entered || g.underway != 1 {
		t.Fatal("the turn was lost")
	}
}

func TestGateForgetsWhoGivesUp(t *testing.T) {
	t.Parallel()
	g := newGate(1, new(strain))
	g.enter(t.Context())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if g.enter(ctx) {
		t.Fatal("entered a full gate")
	}
	g.cancel()
	if len(g.waiting) != 0 || g.underway != 0 {
		t.Fatalf("%d wait, %d under way", len(g.waiting), g.underway)
	}
}

// Ailing gates at one host share their tries, and give them back when they end; a healthy one is not bound by them.
func TestGatesOfADeadHostShareFewTries(t *testing.T) {
	t.Parallel()
	host := new(strain)
	well := newGate(512, host)
	ailing := make([]*gate, 20)
	underway := 0
	for i := range ailing {
		ailing[i] = newGate(512, host)
		for range 10 {
			ailing[i].enter(t.Context())
			ailing[i].leave(false, 10*time.Second)
		}
	}
	for _, g := range ailing {
		for g.enter(t.Context()) {
			underway++
		}
	}
	if underway != strainMost+12 || !ailing[19].shut() || ailing[19].underway != 1 { // those coming too late have one each
		t.Fatalf("%d tries under way to a dead host, %d of the last gate", underway, ailing[19].underway)
	}
	if well.shut() || !well.enter(t.Context()) {
		t.Fatal("a receiver that is well pays for the others at its host")
	}
	for _, g := range ailing[:4] {
		for g.underway > 0 {
			g.cancel()
		}
	}
	if ailing[19].shut() || !ailing[19].enter(t.Context()) {
		t.Fatal("places that were given back are not free")
	}
	for _, g := range ailing {
		for g.underway > 0 {
			g.leave(true, time.Millisecond)
		}
	}
	if n := host.Load(); n != 0 {
		t.Fatalf("%d tries are counted of a host that answers", n)
	}
}
