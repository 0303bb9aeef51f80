package nodes

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"

	"causeway/chains"
	"causeway/internal/dev/testkit"
)

// fake is a node that is none: it has blocks of its own, and fails as its test says.
type fake struct {
	*state
	hasty   bool
	timeout time.Duration
}

// state is shared by the turns of a fake.
type state struct {
	sync.Mutex
	height int64
	made   time.Time // of its best block
	fork   int64     // its blocks are its own from this one on; none while zero
	name   string    // of its fork
	asked  int64
	fails  error
}

var (
	errAway = fmt.Errorf("%w: away", chains.ErrDown)
	errSlow = fmt.Errorf("%w after three seconds", errAway)
	errOdd  = errors.New("an answer that another node may have, too")
)

// fakes are nodes by their addresses.
func fakes(n int) map[string]*fake {
	all := map[string]*fake{}
	for i := range n {
		all[fmt.Sprint("secret-", i+1)] = &fake{state: &state{height: 100, made: time.Now(), name: fmt.Sprint("of ", i+1)}}
	}
	return all
}

// set changes the node.
func (f *fake) set(change func(f *fake)) {
	f.Lock()
	defer f.Unlock()
	change(f)
}

// Turn implements Client.
func (f *fake) Turn(timeout time.Duration, hasty bool) *fake {
	return &fake{f.state, hasty, timeout}
}

// ask is a question to the node.
func (f *fake) ask() error {
	f.Lock()
	defer f.Unlock()
	f.asked++
	return f.fails
}

func (f *fake) hash(height int64) string {
	if f.fork > 0 && height >= f.fork {
		return fmt.Sprintf("%d %s", height, f.name)
	}
	return fmt.Sprint(height)
}

// Best implements Client.
func (f *fake) Best(ctx context.Context, heights ...int64) (v View, err error) {
	if v.Hashes, err = f.Hashes(ctx, heights...); err != nil {
		return v, err
	}
	f.Lock()
	defer f.Unlock()
	v.Best, v.Time = chains.Mark{Height: f.height, Hash: f.hash(f.height)}, f.made
	return v, nil
}

// Hashes implements Client.
func (f *fake) Hashes(_ context.Context, heights ...int64) (map[int64]string, error) {
	if err := f.ask(); err != nil {
		return nil, err
	}
	f.Lock()
	defer f.Unlock()
	out := map[int64]string{}
	for _, height := range heights {
		if height <= f.height {
			out[height] = f.hash(height)
		}
	}
	return out, nil
}

// Requests implements Client.
func (f *fake) Requests() int64 {
	f.Lock()
	defer f.Unlock()
	return f.asked
}

// Close implements Client.
func (f *fake) Close() {}

// pooled is a pool of fakes, in the order of their addresses.
func pooled(t *testing.T, of map[string]*fake, change ...func(*Settings[*fake])) (*Pool[*fake], *logtest.Hook) {
	t.Helper()
	log, said := logtest.NewNullLogger()
	log.SetLevel(logrus.InfoLevel)
	s := Settings[*fake]{Timeout: 5 * time.Second, Open: func(address string) *fake { return of[address] }, Log: log,
		Fault: func(err error) Fault {
			down := errors.Is(err, chains.ErrDown)
			waited := time.Millisecond
			if errors.Is(err, errSlow) {
				waited = 3 * time.Second
			}
			return Fault{Waited: waited, Leave: down, Next: down || errors.Is(err, errOdd), Silent: errors.Is(err, errAway)}
		}}
	for _, f := range change {
		f(&s)
	}
	p := New(listed(len(of)), s)
	t.Cleanup(p.Close)
	return p, said
}

func listed(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprint("secret-", i+1))
	}
	return out
}

// question asks whatever node is in order.
func (p *Pool[C]) question(t *testing.T) error {
	t.Helper()
	return p.Use(t.Context(), func(node Node[C]) error {
		_, err := node.Client.Hashes(t.Context(), 1)
		return err
	})
}

func used[C Client[C]](p *Pool[C]) int {
	for i, n := range p.Nodes() {
		if n.Used {
			return i + 1
		}
	}
	return 0
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// again waits for a node to be in use.
func again[C Client[C]](t *testing.T, p *Pool[C], node int) {
	t.Helper()
	testkit.Eventually(t, time.Minute, func() bool { return p.question(t) == nil && used(p) == node }, fmt.Sprintf("node %d to be asked again", node))
}
