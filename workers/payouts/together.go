package payouts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"causeway/chains"
	"causeway/internal/batch/gather"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
	"causeway/workers/desk"
	"causeway/workers/guard"
	"causeway/workers/settlement"
)

// groups are shared by payouts broadcast at the same time: the statement that starts them, the transaction signing those of one
// network, and the one recording the bytes accepted by networks.
type groups struct {
	started gather.Group[store.DueJob, *pay.Payout]
	sent    gather.Group[toRecord, struct{}]

	mu      sync.Mutex
	signers map[string]*gather.Group[toSign, *pay.SignedTransaction] // by network
}

// toSign is a payout to be signed.
type toSign struct {
	network *chains.Network
	payout  *pay.Payout
	draft   chains.Draft // nil of one that is added to others
}

// toRecord is a payout with a transaction accepted by the network.
type toRecord struct {
	job    store.DueJob
	payout *pay.Payout
	signed *pay.SignedTransaction
}

func (g *groups) signer(network string) *gather.Group[toSign, *pay.SignedTransaction] {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.signers == nil {
		g.signers = map[string]*gather.Group[toSign, *pay.SignedTransaction]{}
	}
	if g.signers[network] == nil {
		g.signers[network] = new(gather.Group[toSign, *pay.SignedTransaction])
	}
	return g.signers[network]
}

// startPayouts starts jobs and reads their payouts; nil for a job taken by another attempt.
func (w *Worker) startPayouts(ctx context.Context, jobs []store.DueJob) ([]*pay.Payout, error) {
	rows, err := w.Store.StartPayouts(ctx, jobs, tasks.Visibility)
	if err != nil {
		return nil, err
	}
	out := make([]*pay.Payout, len(jobs))
	for i, j := range jobs {
		if row := rows[j]; row != nil {
			own := *row // two tasks of one attempt share nothing
			out[i] = &own
		}
	}
	return out, nil
}

// signPayouts signs payouts of one network, with others waiting there where a transaction may pay several.
func (w *Worker) signPayouts(ctx context.Context, group []toSign) ([]*pay.SignedTransaction, error) {
	if group[0].network.Batch <= 1 {
		return w.signWithin(ctx, group)
	}
	mates, err := w.matesFor(ctx, group)
	if err != nil {
		return nil, err
	}
	kept, err := signMost(mates, func(mates []toSign) ([]*pay.SignedTransaction, error) {
		return w.signTogether(ctx, slices.Concat(group, mates))
	})
	if err != nil {
		return nil, err
	}
	return kept[:len(group)], nil // the jobs of the others send the same bytes
}

// mostParts is how many parts of the mates are tried.
const mostParts = 5

// signMost signs with as many mates as it can. One mate too large, or not payable, fails all of them, and no error says which one it
// is: so halves are tried, and their halves, the small amounts first. The mates left out are signed with others by their own jobs.
// With no part signed, it signs without any.
func signMost(mates []toSign, sign func(mates []toSign) ([]*pay.SignedTransaction, error)) ([]*pay.SignedTransaction, error) {
	parts := [][]toSign{slices.SortedStableFunc(slices.Values(mates), func(a, b toSign) int { return a.payout.Amount.Cmp(b.payout.Amount) })}
	for tried := 0; tried < len(parts) && tried < mostParts && len(mates) > 0; tried++ {
		part := parts[tried]
		kept, err := sign(part)
		if err == nil {
			return kept, nil
		}
		if errors.Is(err, chains.ErrDown) || errors.Is(err, guard.ErrWalletStopped) {
			break
		}
		if half := (len(part) + 1) / 2; len(part) > 1 {
			parts = append(parts, part[:half], part[half:])
		}
	}
	return sign(nil)
}

// matesFor returns payouts of the same network waiting to be signed, up to one transaction of them with the group.
func (w *Worker) matesFor(ctx context.Context, group []toSign) (mates []toSign, err error) {
	n := group[0].network
	due, err := w.Store.PayoutsToSign(ctx, n.Name, n.Batch)
	if err != nil {
		return nil, err
	}
	for _, p := range due {
		if len(group)+len(mates) >= n.Batch || slices.ContainsFunc(group, func(s toSign) bool { return s.payout.ID == p.ID }) || !w.mayJoin(ctx, n, p) {
			continue
		}
		mates = append(mates, toSign{network: n, payout: p})
	}
	return mates, nil
}

// mayJoin reports whether a payout may be signed with others. Why it may not, its own job tells.
func (w *Worker) mayJoin(ctx context.Context, n *chains.Network, p *pay.Payout) bool {
	return w.Guard.AsSealed(ctx, n, p) == nil && w.checkBeforeSigning(n, p) == nil && w.maySign(ctx, n, p, pay.PurposePay) == nil && eachUnderCap(n, p) == nil
}

// signTogether signs payouts of one network in one transaction with their moves and slots, all of them or none; nothing is
// sent before the commit.
func (w *Worker) signTogether(ctx context.Context, group []toSign) (kept []*pay.SignedTransaction, err error) {
	n := group[0].network
	payouts := make([]*pay.Payout, len(group))
	for i := range group {
		payouts[i] = group[i].payout
	}
	spends, err := spendsOf(ctx, group)
	if err != nil {
		return nil, err
	}
	chain := highestNext(group) // before the turn began: whatever we had sent by then was in our books
	ours := chain
	err = w.Store.InTx(ctx, func(tx *store.Store) error {
		ours = chain
		turn, err := tx.BeginSigning(ctx, store.Signing{Network: n.Name, Address: n.Hot, Kind: settlement.KindOf(n), Payouts: payouts, Slots: len(spends),
			Holds: settlement.HoldsOf(payouts), Places: placesOf(n, payouts...), Deducted: deducted(group)}) // from here on one signer at a time
		if err != nil {
			return err
		}
		if err := mayGoOn(turn, n, payouts[0]); err != nil {
			return err
		}
		if ours = turn.First; ours < chain {
			return guard.ErrWalletStopped
		}
		if room := roomFor(n, turn.First, group); room < len(spends) {
			return noRoom(room)
		}
		if err := w.underCaps(ctx, tx, n, group); err != nil {
			return err
		}
		if err := signAhead(n, spends, turn.First); err != nil {
			return err
		}
		kept = kept[:0]
		for i, s := range spends {
			rows, err := signSpend(ctx, tx, n, turn, s, turn.First+int64(i))
			if err != nil {
				return err
			}
			kept = append(kept, rows...)
		}
		return tx.AddAllSigned(ctx, kept)
	})
	if ours < chain {
		return nil, w.Guard.StopWallet(ctx, n, ours, chain)
	}
	if err == nil {
		w.signedUnderCaps(n, group)
	}
	return kept, err
}

// signAhead signs spends for the numbers from first on at the same time, where a signer elsewhere takes long. Their drafts then have
// the bytes. Coins are chosen one spend after the other, so where they exclude nothing is ahead.
func signAhead(n *chains.Network, spends []spend, first int64) error {
	if !n.SignsElsewhere || n.Exclusion == chains.ByCoins || len(spends) < 2 {
		return nil
	}
	var all errgroup.Group
	for i, s := range spends {
		all.Go(func() error {
			_, err := s.draft.Sign(chains.Slot{Number: uint64(first) + uint64(i)}) //nolint:gosec // numbers count up from zero
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return fmt.Errorf("sign on %s: %w", n.Name, err)
	}
	return nil
}

// signSpend signs a spend for the slot of a number, if it can be paid beside everything promised.
func signSpend(ctx context.Context, tx *store.Store, n *chains.Network, turn *store.SigningTurn, s spend, number int64) ([]*pay.SignedTransaction, error) {
	of := make([]purposed, len(s.of))
	for i, one := range s.of {
		of[i] = purposed{one.payout, pay.PurposePay}
		if err := unpaid(turn.Doubtful, n, one.payout); err != nil {
			return nil, err
		}
		if n.Exclusion == chains.ByCoins {
			continue
		}
		if err := affordable(turn, n, one); err != nil {
			return nil, err
		}
	}
	slot := chains.Slot{Number: uint64(number)} //nolint:gosec // numbers count up from zero, or from the chain's
	var err error
	if slot.Coins, turn.Coins, err = settlement.LeaseForPayouts(ctx, tx, n, s.draft, number, turn.Coins); err != nil {
		return nil, err
	}
	rows, err := signDraft(n, of, s.draft, slot)
	if err != nil {
		return nil, err
	}
	for _, one := range s.of {
		turn.Promised[one.payout.Token] = turn.Promised[one.payout.Token].Add(one.payout.Amount)
	}
	turn.Fees = turn.Fees.Add(rows[0].Fee)
	return rows, nil
}

// highestNext returns the greatest next nonce told to the group's drafts, 0 where none was.
func highestNext(group []toSign) (next int64) {
	for _, s := range group {
		if s.draft == nil { // it is signed with others
			continue
		}
		if its := s.draft.Spare().Next; its != nil {
			next = max(next, int64(*its)) //nolint:gosec // a nonce is far below 2^63
		}
	}
	return next
}

// deducted returns the nonces from which on some of the group's drafts do not deduct signed transactions.
func deducted(group []toSign) (d store.Deducted) {
	for _, s := range group {
		if s.draft == nil {
			continue
		}
		spare := s.draft.Spare()
		d.From, d.Untaken = lesser(d.From, spare.From), lesser(d.Untaken, spare.Untaken)
	}
	return d
}

// lesser returns the lesser of two nonces; nil is none.
func lesser(a, b *uint64) *uint64 {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

// mayGoOn returns why a group may not be signed; the writes of its transaction are rolled back then.
func mayGoOn(turn *store.SigningTurn, n *chains.Network, first *pay.Payout) error {
	switch turn.Outcome {
	case store.TurnReady:
		return nil
	case store.TurnMoved:
		return desk.ErrFenced
	case store.TurnUnheld:
		return settlement.Unheld(turn.Why)
	case store.TurnSigned:
		return errSigned(turn.Why)
	case store.TurnAbove:
		return overLimit{turn.Why}
	case store.TurnWaiting:
		return errUnconfirmed
	case store.TurnAgain:
		return fmt.Errorf("the balance read for the hot wallet of %s is older than our final transactions, or the wallet sent something unknown to the books: it is read again", n.Name)
	default:
		return fmt.Errorf("the hot wallet of %s or payouts of %s were stopped, the network was halted or forgotten, or the database was started anew or put back, meanwhile",
			n.Name, first.Asset)
	}
}

// unpaid fails if a spend of the hot wallet may have paid a payout. The stops of the process are a second old, and a follower may
// have seen the spend since.
func unpaid(doubtful []store.UnknownSpend, n *chains.Network, p *pay.Payout) error {
	for i := range doubtful {
		u := &doubtful[i]
		if u.Network = n.Name; settlement.GoesTo(n, u, p) {
			return mayHavePaid(u)
		}
	}
	return nil
}

// affordable fails with chains.ErrShort when everything promised, with those of the group before it, leaves too little for a payout
// or its fee: the hot wallet is promised once.
func affordable(turn *store.SigningTurn, n *chains.Network, s toSign) error {
	token, coins, spare := turn.Promised[s.payout.Token], turn.Promised[n.Coin].Add(turn.Fees), s.draft.Spare()
	if s.payout.Token == n.Coin {
		token = coins
	}
	switch {
	case token.GreaterThan(spare.Token):
		return fmt.Errorf("%w: %s %s are signed for others", chains.ErrShort, token, s.payout.Token)
	case coins.GreaterThan(spare.Coin):
		return fmt.Errorf("%w: %s %s are signed for others and their fees", chains.ErrShort, coins, n.Coin)
	default:
		return nil
	}
}

// recordSent records that networks have the bytes, and finishes the jobs, all or none. A payout already seen in a block keeps its
// status.
func (w *Worker) recordSent(ctx context.Context, group []toRecord) ([]struct{}, error) {
	all := make([]store.SentPayout, len(group))
	for i, s := range group {
		all[i] = store.SentPayout{Job: s.job, Payout: s.payout, Signed: s.signed, Mark: s.signed.State == pay.TxSigned,
			Move: s.payout.Status == pay.PayoutSigned && s.signed.Purpose == pay.PurposePay}
	}
	err := w.Store.RecordSent(ctx, all)
	if errors.Is(err, store.ErrNotAll) {
		err = desk.ErrFenced
	}
	return make([]struct{}, len(group)), err
}
