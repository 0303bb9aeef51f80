package onchain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"causeway/chains"
	"causeway/internal/batch/gather"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/workers/desk"
	"causeway/workers/settlement"
)

// originsAtOnce is how many transactions of a stopped wallet are asked for at a time.
const originsAtOnce = 8

// Report tells an operator how to go on with a stopped hot wallet, and must be read before resuming it.
type Report struct {
	store.StoppedWallet
	Unknown     []store.UnknownSpend `json:"unknown_spends"`     // seen on the chain; payout is the open payout each has paid
	Unexplained int64                `json:"unexplained_nonces"` // used in final blocks by no transaction seen of the wallet
	Unused      int64                `json:"unused_nonces"`      // counted by the network, and in no final block; 0 while NotYet has another reason
	NotYet      string               `json:"not_yet,omitempty"`  // why it cannot be resumed now
	HowToGoOn   string               `json:"how_to_go_on"`
	nonces      map[string]int64     // of the wallet's own transactions among the unknown, by txid
	foreign     []string             // txids that stop the wallet, where its chain counts nothing
}

// Reports explains every stopped wallet.
func (o *Operator) Reports(ctx context.Context) ([]Report, error) {
	stopped, err := o.Store.StoppedWallets(ctx)
	if err != nil {
		return nil, err
	}
	out := []Report{}
	for i := range stopped {
		r, err := o.report(ctx, &stopped[i])
		if err != nil {
			return nil, err
		}
		out = append(out, *r)
	}
	return out, nil
}

func (o *Operator) report(ctx context.Context, stop *store.StoppedWallet) (*Report, error) {
	r := &Report{StoppedWallet: *stop, Unknown: []store.UnknownSpend{}}
	n, err := o.Network(stop.Network)
	if err != nil { // others are told of all the same
		r.NotYet = err.Error()
		return r, nil //nolint:nilerr // it is in the report
	}
	if r.Unknown, err = o.Store.OpenSpends(ctx, n.Name); err != nil {
		return nil, err
	}
	if stop.Address != n.Hot {
		r.NotYet = "it is not the hot wallet of " + n.Name + " that this process knows"
		r.HowToGoOn = fmt.Sprintf("put its seed back to explain what has left it; or, when it is certain that no process has that seed any more, "+
			"causeway admin wallet forget %s %s, and wallet assign for each of the unknown spends", n.Name, stop.Address)
		return r, nil
	}
	switch ours, err := o.Store.NextNonce(ctx, n.Name, n.Hot); {
	case err == nil:
		ours = min(ours, stop.Chain) // a process yet to see the stop may have signed more since the look
		stop.Ours, r.Ours = ours, ours
	case !errors.Is(err, pay.ErrNotFound):
		return nil, err
	}
	final, why, err := o.finalOf(ctx, n)
	if err != nil {
		return nil, err
	}
	r.NotYet = cmp.Or(why, notFinal(r.Unknown, final))
	if r.nonces, err = o.noncesOf(ctx, n, txidsOf(r.Unknown)); err != nil {
		r.NotYet = cmp.Or(r.NotYet, desk.ReasonOf(err))
	}
	if err := o.addMovesByHand(ctx, n, r); err != nil {
		return nil, err
	}
	if err := o.addForeign(ctx, n, r, final); err != nil {
		return nil, err
	}
	switch err := o.explain(ctx, n, r.Unknown, r.nonces); {
	case errors.Is(err, chains.ErrDown):
		r.NotYet = cmp.Or(r.NotYet, desk.ReasonOf(err))
	case err != nil:
		return nil, err
	}
	explained, later := between(stop, r.nonces)
	r.NotYet, r.Unexplained = cmp.Or(r.NotYet, later), stop.Chain-stop.Ours-explained
	if r.NotYet == "" && r.Unexplained > 0 { // otherwise each nonce has a transaction seen and final
		r.Unused, r.NotYet = notUsed(ctx, n, stop, final)
		r.Unexplained -= r.Unused
	}
	r.HowToGoOn = "causeway admin wallet resume " + n.Name
	if stop.BrokenSeal != nil {
		r.HowToGoOn = fmt.Sprintf("payout %s is not what was asked for: causeway admin payout show %s, put it back or cancel it (docs/runbook.md, "+
			"a payout that nobody asked for); then %s", stop.BrokenSeal, stop.BrokenSeal, r.HowToGoOn)
	}
	if r.Unexplained > 0 {
		r.HowToGoOn += fmt.Sprintf(" --unexplained %d, once it is certain that these moved nothing", r.Unexplained)
	}
	return r, nil
}

// addMovesByHand adds the nonces used by an operator's own tool to move money from the hot wallet to another address of ours. Such a
// transaction is no spend, and costs its fee alone.
func (o *Operator) addMovesByHand(ctx context.Context, n *chains.Network, r *Report) error {
	if n.Counter == nil {
		return nil
	}
	txids, err := o.Store.MovedByHandFrom(ctx, n.Name, n.Hot, mostMoves)
	if err != nil {
		return err
	}
	nonces, err := o.noncesOf(ctx, n, txids)
	if err != nil {
		r.NotYet = cmp.Or(r.NotYet, desk.ReasonOf(err))
	}
	for txid, nonce := range nonces {
		if nonce >= r.Ours {
			r.nonces[txid] = nonce
		}
	}
	return nil
}

// mostMoves is how many moves by hand out of a stopped wallet are looked at, the newest.
const mostMoves = 100

func txidsOf(spends []store.UnknownSpend) []string {
	out := make([]string, len(spends))
	for i := range spends {
		out[i] = spends[i].Txid
	}
	return slices.Compact(out)
}

// noncesOf returns the nonces of the transactions sent from the hot wallet, as far as the network has said. One has none here if
// somebody else sent it, with a right to move the wallet's holdings.
func (o *Operator) noncesOf(ctx context.Context, n *chains.Network, txids []string) (map[string]int64, error) {
	nonces := map[string]int64{}
	var mu sync.Mutex
	var g errgroup.Group
	g.SetLimit(originsAtOnce)
	for _, txid := range txids {
		g.Go(func() error {
			var from chains.Origin
			err := gather.Recover(func() (err error) { from, err = o.originOf(ctx, n, txid); return err })
			switch {
			case err != nil:
				return fmt.Errorf("look up %s on %s: %w", txid, n.Name, err)
			case from.Txid == "":
				return fmt.Errorf("%s knows no transaction %s", n.Name, txid)
			case from.From == n.Hot:
				mu.Lock()
				defer mu.Unlock()
				nonces[txid] = from.Nonce
			}
			return nil
		})
	}
	err := g.Wait()
	return nonces, err
}

// between counts the nonces between ours and the chain's explained by transactions of a stopped wallet: a transaction may also have
// a nonce known to us. Later names a transaction with a nonce the wallet was not yet seen to have used. The next look at the wallet
// is within a minute.
func between(stop *store.StoppedWallet, nonces map[string]int64) (explained int64, later string) {
	for txid, nonce := range nonces {
		switch {
		case nonce >= stop.Chain:
			later = fmt.Sprintf("transaction %s has nonce %d, and the wallet was not seen to have used it: it is looked at again within a minute", txid, nonce)
		case nonce >= stop.Ours:
			explained++
		}
	}
	return explained, later
}

// finalOf returns the final height of a network, or why the chain does not tell everything yet: its node does not answer, it is not
// followed to there, or it has another block in place of the last followed one.
func (o *Operator) finalOf(ctx context.Context, n *chains.Network) (height int64, why string, err error) {
	followed, err := o.Store.BlocksBelow(ctx, n.Name, 1<<62, 1)
	if err != nil {
		return 0, "", err
	}
	if len(followed) == 0 {
		return 0, n.Name + " is not followed yet", nil
	}
	last := followed[0]
	head, err := n.Scanner.Head(ctx, last.Height)
	switch {
	case err != nil:
		why = fmt.Sprintf("%s does not answer: %v", n.Name, err)
	case last.Height < head.Final:
		why = fmt.Sprintf("%s is not followed to its final block %d yet", n.Name, head.Final)
	case !slices.Contains(head.Marks, chains.Mark{Height: last.Height, Hash: last.Hash}):
		why = fmt.Sprintf("%s does not have block %d as it was followed", n.Name, last.Height)
	}
	return head.Final, why, nil
}

// notFinal names a spend above the final height.
func notFinal(spends []store.UnknownSpend, final int64) string {
	for _, u := range spends {
		if u.Height > final {
			return fmt.Sprintf("transaction %s is not final yet", u.Txid)
		}
	}
	return ""
}

// notUsed counts the nonces of a stopped wallet seen as used by its network and in no block up to a final one, and says why to wait
// for them; "" when there are none. A transaction of theirs may wait in the mempool, come back after it was dropped from there, or
// replace another one after a reorganisation: it may still move something, and a payout it pays would be paid twice.
func notUsed(ctx context.Context, n *chains.Network, stop *store.StoppedWallet, final int64) (unused int64, why string) {
	next, err := n.Counter.NonceAt(ctx, n.Hot, final)
	used := int64(next) //nolint:gosec // a nonce is far below 2^63
	switch {
	case err != nil:
		return 0, fmt.Sprintf("%s does not say which nonces its blocks have up to %d, for which some nodes keep no state: %v", n.Name, final, err)
	case used < stop.Ours:
		return 0, fmt.Sprintf("no final block has nonce %d of the wallet, which is of a payout of ours: wait for one", used)
	case used < stop.Chain:
		return stop.Chain - used, fmt.Sprintf("no final block has nonce %d of the wallet, which was seen up to %d: wait for one; "+
			"if the transaction of that nonce was dropped, use the nonce by hand in one that moves nothing; "+
			"docs/runbook.md, wallet stopped, says what to do when a node has counted by mistake", used, stop.Chain-1)
	}
	return 0, ""
}

// explain finds for each spend the open payout it has paid. The payout asks for exactly this spend, and the chain knows none of the
// payout's own transactions. It is the one signed for the same nonce or, without one, the oldest payout asked for before the spend
// was seen and not signed yet: a transaction signed for another nonce may be mined, too. Each payout is paid by one spend at most.
func (o *Operator) explain(ctx context.Context, n *chains.Network, spends []store.UnknownSpend, nonces map[string]int64) error {
	taken := map[uuid.UUID]bool{}
	for i := range spends {
		u := &spends[i]
		like, err := o.Store.OpenPayoutsLike(ctx, u.Network, u.Token, u.Amount)
		if err != nil {
			return err
		}
		var its []uuid.UUID
		if nonce, ok := nonces[u.Txid]; ok {
			if its, _, err = o.openAt(ctx, n, u.Txid, nonce); err != nil {
				return err
			}
		}
		for j := range like {
			p := &like[j]
			unsigned, err := o.signedNothing(ctx, n, p)
			if err != nil {
				return err
			}
			fits := slices.Contains(its, p.ID) || len(its) == 0 && unsigned && p.CreatedAt.Before(u.SeenAt)
			if taken[p.ID] || !fits || !settlement.Pays(n, u, p) {
				continue
			}
			alone, err := o.unknownToChain(ctx, n, p)
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

// addForeign adds the transactions that stop a wallet to its report, where its chain counts nothing. One of them may have moved nothing,
// and has a cost. Another may be in no block any more: it has to be gone from the network.
func (o *Operator) addForeign(ctx context.Context, n *chains.Network, r *Report, final int64) error {
	stopping, err := o.Store.Foreign(ctx, n.Name, n.Hot)
	if err != nil {
		return err
	}
	for _, s := range stopping {
		r.foreign = append(r.foreign, s.Txid)
		_, known := r.nonces[s.Txid]
		switch {
		case s.Height == nil:
			status, err := n.Watcher.Status(ctx, []string{s.Txid})
			if err != nil || status[s.Txid].State != chains.TxMissing {
				r.NotYet = cmp.Or(r.NotYet, fmt.Sprintf("transaction %s is in no followed block any more, and %s may mine it again", s.Txid, n.Name))
			}
		case *s.Height > final:
			r.NotYet = cmp.Or(r.NotYet, fmt.Sprintf("transaction %s is not final yet", s.Txid))
		case !known:
			r.nonces[s.Txid] = notCounted
		}
	}
	return nil
}

// signedNothing reports whether a payout has no transaction that may still be mined: it is queued, or everything signed for it is dead.
func (o *Operator) signedNothing(ctx context.Context, n *chains.Network, p *pay.Payout) (bool, error) {
	if p.Status == pay.PayoutQueued || n.Exclusion != chains.ByExpiry {
		return p.Status == pay.PayoutQueued, nil
	}
	history, err := o.Store.SignedOf(ctx, p.ID)
	return err == nil && !slices.ContainsFunc(history, func(t pay.SignedTransaction) bool { return !t.Dead() }), err
}

// unknownToChain reports whether the network knows none of the transactions signed for a payout. It answers no for transactions of a
// former seed's hot wallet: no nonce of this one keeps them from being mined later.
func (o *Operator) unknownToChain(ctx context.Context, n *chains.Network, p *pay.Payout) (bool, error) {
	history, err := o.Store.SignedOf(ctx, p.ID)
	if err != nil || len(history) == 0 {
		return err == nil, err
	}
	txids := make([]string, len(history))
	for i := range history {
		if history[i].Address != n.Hot {
			return false, nil
		}
		txids[i] = history[i].Txid
	}
	status, err := n.Watcher.Status(ctx, txids)
	if err != nil {
		return false, fmt.Errorf("look up transactions of payout %s: %w", p.ID, err)
	}
	for _, now := range status {
		if now.State != chains.TxMissing && now.State != chains.TxRejected {
			return false, nil
		}
	}
	return true, nil
}
