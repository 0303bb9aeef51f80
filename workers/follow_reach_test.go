package workers_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/workers/desk"
	"causeway/workers/follow"
)

// A network that recognises addresses by their number hears of the newest, however old they are: what comes late to one before them is found.
func TestTheNewestAddressesAreNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	first, customer, newest := w.payin("Ethereum", "ETH", "1"), w.wallet("Ethereum", "customer"), w.payin("Ethereum", "ETH", "1")
	for age, p := range map[int]*pay.Payin{3: first, 2: newest} {
		w.exec("update addresses set payin_id = ? where payin_id = ?", store.FirstIDAt(time.Now().AddDate(-age, 0, 0)), p.ID)
	}
	n, _ := w.registry.Network("Ethereum")
	named := *n
	var read func(context.Context) ([]string, error)
	named.Reach = func(newest func(context.Context) ([]string, error)) { read = newest }
	networks, err := chains.NewRegistry(&named)
	require.NoError(t, err)
	(&follow.Worker{Desk: &desk.Desk{Store: w.store, Networks: networks}}).NameAddresses()
	got, err := read(t.Context())
	require.NoError(t, err)
	require.ElementsMatch(t, []string{named.Addresser.Match(newest.Wallet), named.Addresser.Match(customer.Wallet)}, got)
}
