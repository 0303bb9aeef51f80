// Package browser shows our pages to tests in a headless Chromium, shared by the tests of a binary while they run.
package browser

import (
	"context"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// Browser is the browser of one person: its pages share cookies, and share none with another Browser.
type Browser struct {
	t    testing.TB
	ctx  context.Context // of its first page
	used bool            // by a page
}

// patience is how long the browser may take for one answer.
const patience = time.Minute

type chromium struct {
	ctx context.Context
	end func()
}

// process is the Chromium shared by every Browser; the last one ends it.
var process struct {
	sync.Mutex
	chromium
	users int
}

// Open returns a new browser without cookies, until the test ends.
func Open(t testing.TB) *Browser {
	t.Helper()
	shared, err := join()
	t.Cleanup(leave)
	if err != nil {
		t.Fatalf("Chromium does not start (scripts/bootstrap --browser installs it): %v", err)
	}
	ctx, end := chromedp.NewContext(shared, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	return &Browser{t: t, ctx: ctx}
}

// join starts Chromium for the first Browser.
func join() (context.Context, error) {
	process.Lock()
	defer process.Unlock()
	process.users++
	if process.users == 1 {
		process.chromium = start()
		return process.ctx, chromedp.Do(process.ctx)
	}
	return process.ctx, process.ctx.Err()
}

// shell is Chromium without a window, as Debian has it: it starts with a fifth of the work. Where it is not, chromedp finds another.
const shell = "chromium-headless-shell"

// start returns a Chromium not started before its first page.
func start() chromium {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU, // root of a container has neither
		chromedp.WSURLReadTimeout(patience)) // its first start reads a hundred megabytes
	if _, err := exec.LookPath(shell); err == nil {
		options = append(options, chromedp.ExecPath(shell))
	}
	allocator, free := chromedp.NewExecAllocator(context.Background(), options...)
	// It tells of events unknown to this version of the library, and of no concern here.
	ctx, end := chromedp.NewContext(allocator, chromedp.WithErrorf(func(string, ...any) {}))
	return chromium{ctx, func() { end(); free() }}
}

// leave ends Chromium with the last Browser.
func leave() {
	process.Lock()
	defer process.Unlock()
	process.users--
	if process.users == 0 {
		process.end()
	}
}
