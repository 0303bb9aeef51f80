package ripple

import "testing"

// Forget has all ledgers read anew.
func (c *Connector) Forget() {
	c.recent.Lock()
	defer c.recent.Unlock()
	c.recent.ledgers = nil
}

// Life is how many ledgers a transaction may wait.
const Life = life

// NumberOf is the number of a transaction.
func NumberOf(t testing.TB, raw []byte) uint64 {
	t.Helper()
	o, _, err := readOrder(raw)
	if err != nil {
		t.Fatal(err)
	}
	return uint64(o.sequence)
}
