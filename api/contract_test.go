package api

import (
	"net/http"
	"sync"
	"testing"

	"causeway/internal/contract"
)

// traffic is the document that the tests' traffic is held against.
var traffic = sync.OnceValues(func() (*contract.Document, error) {
	text, err := document()
	if err != nil {
		return nil, err
	}
	return contract.Load(text)
})

func loadTraffic(t testing.TB) *contract.Document {
	t.Helper()
	d, err := traffic()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// open is the desk's front. Its refusals must be documented; what its stand-in operations answer need not be.
func (d *desk) open() http.Handler {
	d.t.Helper()
	return loadTraffic(d.t).Refusals(d.t, New(d.deps))
}

// openFully is a front whose requests and answers are all held against the document.
func (d *desk) openFully() http.Handler {
	d.t.Helper()
	if _, benchmark := d.t.(*testing.B); benchmark {
		return New(d.deps)
	}
	return loadTraffic(d.t).Handler(d.t, New(d.deps))
}
