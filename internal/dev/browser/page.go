package browser

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Page is one tab. Its methods fail the test when the browser does not do as asked.
type Page struct {
	t    testing.TB
	ctx  context.Context
	told complaints
}

// Screen is how a page is looked at.
type Screen struct {
	Width, Height int64
	Dark          bool
	Languages     string // Accept-Language; the browser's own when empty
	NoScript      bool
}

// Page opens a tab.
func (b *Browser) Page(screen Screen) *Page {
	b.t.Helper()
	p := &Page{t: b.t, ctx: b.ctx}
	if b.used {
		ctx, end := chromedp.NewContext(b.ctx)
		b.t.Cleanup(end)
		p.ctx = ctx
	}
	b.used = true
	if err := chromedp.Listen(p.ctx, p.told.hear); err != nil {
		b.t.Fatalf("open a page: %v", err)
	}
	p.SetScreen(screen)
	return p
}

// run lets the tab do something and returns its result.
func run[T any](p *Page, action chromedp.Action[T]) (T, error) {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, action)
}

// set sets something of the tab.
func set[P any](p *Page, command cdp.Command[P, cdp.Empty], to P) {
	p.t.Helper()
	_, err := run(p, func(ctx context.Context, tab *chromedp.Target) (cdp.Empty, error) {
		return cdp.Call(ctx, tab, command, to)
	})
	if err != nil {
		p.t.Fatalf("%s: %v", command.Method, err)
	}
}

// SetScreen changes how the page is looked at.
func (p *Page) SetScreen(screen Screen) {
	p.t.Helper()
	const sharpness, tablet = 2, 600
	set(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: screen.Width, Height: screen.Height, DeviceScaleFactor: sharpness, Mobile: screen.Width < tablet})
	scheme := &emulation.MediaFeature{Name: "prefers-color-scheme", Value: "light"}
	if screen.Dark {
		scheme.Value = "dark"
	}
	set(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{scheme}})
	set(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: screen.NoScript})
	if screen.Languages != "" {
		set(p, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": screen.Languages}})
	}
}

// Visit loads an address and waits until it is there with its styles and scripts.
func (p *Page) Visit(address string) {
	p.t.Helper()
	if _, err := run(p, chromedp.Navigate(address)); err != nil {
		p.t.Fatalf("%s: %v", address, err)
	}
}

// Eval returns the value of an expression in the page; a promise is waited for.
func (p *Page) Eval(expression string) any {
	p.t.Helper()
	value, err := p.eval(expression)
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

func (p *Page) eval(expression string) (any, error) {
	return run(p, chromedp.Evaluate[any](expression, chromedp.EvalAwaitPromise, byHand))
}

// byHand lets a page act as if touched by a person.
func byHand(p *runtime.EvaluateParams) { p.UserGesture = new(true) }

// Await waits until an expression is true of a whole page, over any number of loads of it.
func (p *Page) Await(what, expression string) {
	p.t.Helper()
	late, tick := time.After(patience), time.NewTicker(50*time.Millisecond)
	defer tick.Stop()
	for {
		value, err := p.eval("document.readyState !== 'loading' && Boolean(" + expression + ")")
		if value == true {
			return
		}
		select {
		case <-late: // between two pages there is nothing to ask, and an error is none
			now, gone := p.eval("document.body.innerText")
			p.t.Fatalf("%s: never; the page says %v %v", what, now, errors.Join(err, gone))
		case <-tick.C:
		}
	}
}

// Click clicks the first element found by a selector.
func (p *Page) Click(selector string) {
	p.t.Helper()
	p.Eval("document.querySelector(" + strconv.Quote(selector) + ").click()")
}

// Press presses keys, as the page or a frame of it has the focus.
func (p *Page) Press(keys string) {
	p.t.Helper()
	if _, err := run(p, chromedp.KeyEvent(keys)); err != nil {
		p.t.Fatalf("press %q: %v", keys, err)
	}
}

// Text returns the readable text of the first element found by a selector.
func (p *Page) Text(selector string) string {
	p.t.Helper()
	text, _ := p.Eval("document.querySelector(" + strconv.Quote(selector) + ").innerText").(string)
	return text
}

// Picture returns the whole page as a PNG.
func (p *Page) Picture() []byte {
	p.t.Helper()
	const withoutLoss = 100
	content, err := run(p, chromedp.FullScreenshot(withoutLoss))
	if err != nil {
		p.t.Fatalf("take a picture: %v", err)
	}
	return content
}

// Problems are the browser's complaints, such as errors of scripts, things refused by a policy or not loaded, and
// requests of a page to another host than its own.
func (p *Page) Problems() []string { return p.told.all() }
