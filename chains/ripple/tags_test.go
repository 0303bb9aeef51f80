package ripple_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus"

	"causeway/chains/addresses"
	"causeway/chains/ripple"
	"causeway/internal/dev/rippled"
)

// TestPaymentsWithoutATagAreWarnedOf: at the start, while the shared address has an account that takes them.
//
// Covers operator §Settings: If the shared address takes payments
func TestPaymentsWithoutATagAreWarnedOf(t *testing.T) {
	t.Parallel()
	l := launch(t)
	warned := func() bool {
		var said bytes.Buffer
		log := logrus.New()
		log.SetOutput(&said)
		c, err := ripple.Open(t.Context(), l.config, log)
		check(t, err)
		c.Close()
		return strings.Contains(said.String(), "RequireDest") && strings.Contains(said.String(), l.deposit(t))
	}
	if warned() {
		t.Error("there is no account yet")
	}
	l.pay(t, l.deposit(t), "", decimal.NewFromInt(2))
	l.node.Close(1)
	if !warned() {
		t.Error("nobody is warned")
	}
	secret, err := addresses.PrivateFromSeed(seed, ripple.AccountPath+"/0/0")
	check(t, err)
	_, err = l.node.Set(rippled.KeyFromBytes(secret), 1)
	check(t, err)
	l.node.Close(1)
	if warned() {
		t.Error("the address wants tags, and there is a warning")
	}
}
