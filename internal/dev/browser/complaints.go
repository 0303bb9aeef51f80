package browser

import (
	"net/url"
	"slices"
	"sync"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
)

// complaints are the problems of a page since it was opened.
type complaints struct {
	mu   sync.Mutex
	said []string
}

// hear takes an event of the tab.
func (c *complaints) hear(event any) {
	said := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		said = e.ExceptionDetails.Text
		if thrown := e.ExceptionDetails.Exception; thrown != nil {
			said += " " + thrown.Description
		}
	case *log.EventEntryAdded:
		said = string(e.Entry.Level) + ": " + e.Entry.Text + " " + e.Entry.URL
	case *network.EventRequestWillBeSent:
		if outside(e.Request.URL, e.DocumentURL) {
			said = e.DocumentURL + " asks " + e.Request.URL
		}
	}
	if said != "" {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.said = append(c.said, said)
	}
}

func (c *complaints) all() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.said)
}

// outside reports whether an address is on another host than the page asking for it. Content within the page, as data,
// has no host.
func outside(address, page string) bool {
	asked, err := url.Parse(address)
	asks, of := url.Parse(page)
	return err == nil && of == nil && asked.Host != "" && asked.Host != asks.Host
}
