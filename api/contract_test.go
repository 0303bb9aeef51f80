package api

import (
	"sync"
	"testing"

	"causeway/internal/proof/contract"
)

// traffic is the document the tests' traffic is held against.
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
