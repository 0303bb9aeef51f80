package workers_test

import (
	"strings"
	"testing"

	logtest "github.com/sirupsen/logrus/hooks/test"
	"github.com/stretchr/testify/require"
)

// A network silent for a while is one line of the log, and so is a lasting difference; the report has both each time.
func TestWhatReconciliationFindsAgainIsLoggedOnce(t *testing.T) {
	t.Parallel()
	w := lacking(t)
	log, hook := logtest.NewNullLogger()
	w.workers.Log = log
	for range 3 {
		w.reconcile()
	}
	node := w.moody("Ethereum")
	node.answers = 0
	for range 3 {
		w.reconcile()
		require.NotEmpty(t, w.reported())
	}
	lines := map[string]int{}
	for _, e := range hook.AllEntries() {
		if strings.HasPrefix(e.Message, "reconciliation found") || strings.HasPrefix(e.Message, "a network could not") {
			lines[e.Message]++
		}
	}
	require.Equal(t, map[string]int{"reconciliation found a difference": 1, "a network could not be reconciled": 1}, lines)
	node.answers = -1
	require.NoError(t, w.corrects("-600", ""))
	w.reconcile()
}
