package workers

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"causeway/chains"
	"causeway/pay"
	"causeway/store"
)

// WalletReport is what an operator must know before resuming a stopped hot wallet.
type WalletReport struct {
	store.StoppedWallet
	Unknown     []store.UnknownSpend `json:"unknown_spends"`     // seen on the chain; payout is the open payout that each has paid
	Unexplained int64                `json:"unexplained_nonces"` // used on the chain by no transaction that was seen
	NotYet      string               `json:"not_yet,omitempty"`  // why it cannot be resumed now
	HowToGoOn   string               `json:"how_to_go_on"`
}

// walletReports explains every stopped wallet.
func (w *Workers) walletReports(ctx context.Context) ([]WalletReport, error) {
	stopped, err := w.Store.StoppedWallets(ctx)
	if err != nil {
		return nil, err
	}
	out := []WalletReport{}
	for i := range stopped {
		r, err := w.walletReport(ctx, w.Store, &stopped[i])
		if err != nil {
			return nil, err
		}
		out = append(out, *r)
	}
	return out, nil
}

func (w *Workers) walletReport(ctx context.Context, s *store.Store, stop *store.StoppedWallet) (*WalletReport, error) {
	r := &WalletReport{StoppedWallet: *stop}
	n, err := w.network(stop.Network)
	if err != nil {
		return nil, err
	}
	if r.Unknown, err = s.OpenSpends(ctx, n.Name); err != nil {
		return nil, err
	}
	if r.NotYet, err = w.notYet(ctx, n, r.Unknown); err != nil {
		return nil, err
	}
	if err := w.explain(ctx, s, n, r.Unknown); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, u := range r.Unknown {
		seen[u.Txid] = true
	}
	r.Unexplained = max(0, stop.Chain-stop.Ours-int64(len(seen)))
	r.HowToGoOn = "causeway admin wallet resume " + n.Name
	if r.Unexplained > 0 {
		r.HowToGoOn += fmt.Sprintf(" --unexplained %d, once it is certain that these moved nothing", r.Unexplained)
	}
	return r, nil
}

// notYet answers why the chain does not tell everything yet: it is not followed to what is final, or a spend is not final.
func (w *Workers) notYet(ctx context.Context, n *chains.Network, spends []store.UnknownSpend) (string, error) {
	followed, err := w.Store.BlocksBelow(ctx, n.Name, 1<<62, 1)
	if err != nil {
		return "", err
	}
	if len(followed) == 0 {
		return n.Name + " is not followed yet", nil
	}
	last := followed[0]
	head, err := n.Scanner.Head(ctx, last.Height)
	switch {
	case err != nil:
		return fmt.Sprintf("%s does not answer: %v", n.Name, err), nil
	case last.Height < head.Final:
		return fmt.Sprintf("%s is not followed to its final block %d yet", n.Name, head.Final), nil
	case !slices.Contains(head.Marks, chains.Mark{Height: last.Height, Hash: last.Hash}):
		return fmt.Sprintf("%s does not have block %d as it was followed", n.Name, last.Height), nil
	}
	for _, u := range spends {
		if u.Height > head.Final {
			return fmt.Sprintf("transaction %s is not final yet", u.Txid), nil
		}
	}
	return "", nil
}

// explain finds for each spend the open payout that it has paid: the oldest that asks for exactly that, of which the chain
// knows no other transaction. Each payout is paid by one spend at most.
func (w *Workers) explain(ctx context.Context, s *store.Store, n *chains.Network, spends []store.UnknownSpend) error {
	taken := map[uuid.UUID]bool{}
	for i := range spends {
		u := &spends[i]
		like, err := s.OpenPayoutsLike(ctx, u.Network, u.Token, u.Amount)
		if err != nil {
			return err
		}
		for j := range like {
			p := &like[j]
			if taken[p.ID] || !pays(n, u, p) {
				continue
			}
			alone, err := w.unknownToChain(ctx, s, n, p)
			if err != nil {
				return err
			}
			if alone {
				taken[p.ID], u.PayoutID = true, &p.ID
				break
			}
		}
	}
	return nil
}

// unknownToChain tells whether the network knows none of the transactions that were signed for a payout.
func (w *Workers) unknownToChain(ctx context.Context, s *store.Store, n *chains.Network, p *pay.Payout) (bool, error) {
	history, err := s.SignedOf(ctx, p.ID)
	if err != nil || len(history) == 0 {
		return err == nil, err
	}
	txids := make([]string, len(history))
	for i := range history {
		txids[i] = history[i].Txid
	}
	status, err := n.Watcher.Status(ctx, txids)
	if err != nil {
		return false, fmt.Errorf("look up transactions of payout %s: %w", p.ID, err)
	}
	for _, now := range status {
		if now.State != chains.TxMissing && now.State != chains.TxRefused {
			return false, nil
		}
	}
	return true, nil
}
