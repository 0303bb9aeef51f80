package settlement

import (
	"context"
	"slices"

	"causeway/chains"
	"causeway/internal/store"
)

// PaidByUs reports whether an address of ours has sent a transaction, and so paid for it: the hot wallet, a cold address, or a deposit
// address. Known is false while the node does not know the transaction, and where the network keeps no count of an address's transactions.
// Where coins exclude, only a move by hand that spends coins of ours alone is asked about.
func PaidByUs(ctx context.Context, s *store.Store, n *chains.Network, cold []string, txid string) (own, known bool, err error) {
	if n.Counter == nil {
		own = n.Exclusion == chains.ByCoins
		return own, own, nil
	}
	from, err := n.Counter.Origin(ctx, txid)
	if err != nil || from.Txid == "" {
		return false, false, err
	}
	if from.From == n.Hot || slices.Contains(cold, from.From) {
		return true, true, nil
	}
	all, err := s.AddressesAt(ctx, n.Family, []store.Place{{Match: from.From}})
	return len(all) > 0, err == nil, err
}
