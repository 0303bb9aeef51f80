// Package treasury moves money between our own addresses: sweeps from deposit addresses to the hot wallet, top-ups with the coin for
// their fees, and the rest of the hot wallet to the cold address. A move is signed, saved and only then sent, as a payout is. Both of
// its ends are ours: the ledger books its cost alone.
package treasury

import (
	"context"
	"errors"
	"fmt"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/workers/catalogue"
	"causeway/workers/desk"
	"causeway/workers/guard"
	"causeway/workers/settlement"
)

// Worker plans moves, and makes them.
type Worker struct {
	*desk.Desk
	Guard     *guard.Guard
	Catalogue *catalogue.Catalogue
}

// move is one attempt at a move's job.
type move struct {
	job     store.DueJob
	row     *pay.TreasuryMove
	network *chains.Network
	asset   string                  // of its token
	final   *decimal.Decimal        // the coin for its fee in final blocks; nil where the fee comes out of the amount, or from the hot wallet
	least   decimal.Decimal         // a coin of so much is not worth the fee of spending it; where coins are spent whole
	history []pay.SignedTransaction // every transaction signed for it, oldest first, as last read
	// replaced says that this attempt has signed another transaction in place of one whose time was over.
	replaced bool
}

// errElsewhere says that a move's row leads to no address of ours: somebody has changed it.
var errElsewhere = errors.New("the move does not go from one of our addresses to another")

// Move makes a move: it signs once, saves the bytes, and only then sends them. When it comes again it sends the same bytes. The job
// ends when the network has them: following the network does the rest.
func (w *Worker) Move(ctx context.Context, j store.DueJob) error {
	if err := desk.Start(ctx, w.Store, j); err != nil {
		return err
	}
	row, err := w.Store.Move(ctx, j.Ref)
	if err != nil {
		return err
	}
	m := &move{job: j, row: row}
	if m.network, err = w.Network(row.Network); err != nil {
		return err
	}
	if m.network.Sender == nil {
		return fmt.Errorf("no key to sign on %s here", row.Network)
	}
	cat, err := w.Catalogue.On(ctx, w.Store, m.network)
	if err != nil {
		return err
	}
	m.asset = cat.Asset(row.Token, row.Network)
	if m.history, err = w.Store.SignedOf(ctx, row.ID); err != nil {
		return err
	}
	if row.Status == pay.MovePlanned {
		return w.first(ctx, m)
	}
	return w.next(ctx, m)
}

// next goes on with a signed move. It sends the newest bytes again if the network may still take them, or replaces them in the same
// slot when they are stuck. A move that a person stops, or that leads to a former cold address, gives its slot to a transaction that
// moves nothing. What a reorganisation has undone of an ended move is sent again.
func (w *Worker) next(ctx context.Context, m *move) error {
	if m.network.Exclusion == chains.ByExpiry {
		return w.nextByExpiry(ctx, m)
	}
	newest := settlement.NewestOpen(m.history, func(*pay.SignedTransaction) bool { return true })
	if m.network.Exclusion == chains.ByCoins {
		return w.nextByCoins(ctx, m, newest)
	}
	return w.nextInSlot(ctx, m, newest)
}

// nextInSlot goes on with a move whose transactions all have one slot, or one for each life of it.
func (w *Worker) nextInSlot(ctx context.Context, m *move, newest *pay.SignedTransaction) error {
	switch {
	case newest == nil, settlement.AnyMined(m.history):
		return w.leave(ctx, m)
	case newest.Purpose != pay.PurposeVoid && m.row.Status.Open() && m.stops(ctx):
		return w.replace(ctx, m, newest, pay.PurposeVoid)
	case settlement.Stuck(m.network, newest):
		return w.bump(ctx, m, newest)
	default:
		return w.sendOrLeaveOut(ctx, m, newest)
	}
}

// leave finishes the job: the follower decides, or the move has ended.
func (w *Worker) leave(ctx context.Context, m *move) error {
	_, err := w.Store.FinishJob(ctx, m.job)
	return err
}

// stops reports whether a signed move is to move nothing any more, and its slot can be taken.
func (m *move) stops(ctx context.Context) bool {
	if _, err := m.wallet(ctx); err != nil { // of a former seed: no transaction of this one takes its slot
		return false
	}
	_, err := m.spend(ctx)
	return m.row.Cancelling || errors.Is(err, errElsewhere)
}

// wallet returns the deposit address that a move leaves, nil for the hot wallet.
func (m *move) wallet(ctx context.Context) (*chains.Wallet, error) {
	n, from := m.network, m.network.Hot
	var wallet *chains.Wallet
	if m.row.Kind == pay.MoveSweep || m.row.Kind == pay.MovePrepare {
		if m.row.Index == nil || !n.Collects {
			return nil, errElsewhere
		}
		own, err := n.Addresser.Derive(ctx, *m.row.Index)
		if err != nil {
			return nil, err
		}
		from = n.Addresser.Match(own)
		wallet = &chains.Wallet{Address: from, Index: *m.row.Index}
	}
	if m.row.FromAddress != from {
		return nil, errElsewhere
	}
	return wallet, nil
}

// spend returns a move as an order to its network. Where it goes, the network says, and the row only has to agree: no row leads our
// money to anybody else.
func (m *move) spend(ctx context.Context) (s chains.Spend, err error) {
	switch m.row.Kind {
	case pay.MoveConsolidate:
		return m.gather()
	case pay.MovePrepare:
		return m.prepare(ctx)
	}
	n, order := m.network, chains.Order{To: m.network.Cold, Token: m.row.Token, Amount: m.row.Amount}
	if s.From, err = m.wallet(ctx); err != nil {
		return s, err
	}
	if s.Act = acts[m.row.Kind]; s.Act != "" && n.Staking == nil {
		return s, errElsewhere
	}
	switch {
	case m.row.Kind == pay.MoveSweep:
		order.To, s.Most = n.HotAddress(), true
	case m.lends():
		return m.loan(ctx, s, order)
	case s.Act != "":
		order.To = n.HotAddress()
	case m.row.Kind == pay.MoveTopup && (m.row.Index == nil || !n.Collects):
		return s, errElsewhere
	case m.row.Kind == pay.MoveTopup:
		if order.To, err = n.Addresser.Derive(ctx, *m.row.Index); err != nil {
			return s, err
		}
	}
	if order.To == "" || m.row.ToAddress != n.Addresser.Match(order.To) {
		return s, errElsewhere
	}
	s.Orders = []chains.Order{order}
	return s, nil
}

// prepare returns a move that makes the address shared by payins ready. It leads nowhere.
func (m *move) prepare(ctx context.Context) (s chains.Spend, err error) {
	if m.network.Unprepared == nil || m.row.Index == nil || *m.row.Index != 0 || m.row.ToAddress != m.row.FromAddress {
		return s, errElsewhere
	}
	s.From, err = m.wallet(ctx)
	s.Act = chains.ActPrepare
	return s, err
}

// acts are the moves that are no payments.
var acts = map[pay.MoveKind]chains.Act{pay.MoveStake: chains.ActStake, pay.MoveUnstake: chains.ActUnstake, pay.MoveWithdraw: chains.ActWithdraw,
	pay.MoveDelegate: chains.ActLend, pay.MoveUndelegate: chains.ActTakeBack}

// lends reports whether a move is the begin or the end of a loan.
func (m *move) lends() bool {
	return m.row.Kind == pay.MoveDelegate || m.row.Kind == pay.MoveUndelegate
}

// loan completes the order of a loan: its deposit address is the one of the row's index.
func (m *move) loan(ctx context.Context, s chains.Spend, order chains.Order) (chains.Spend, error) {
	n := m.network
	if m.row.Index == nil || !n.Collects {
		return s, errElsewhere
	}
	own, err := n.Addresser.Derive(ctx, *m.row.Index)
	if err != nil {
		return s, err
	}
	s.To = &chains.Wallet{Address: n.Addresser.Match(own), Index: *m.row.Index}
	if m.row.ToAddress != s.To.Address || m.row.Token != n.Coin {
		return s, errElsewhere
	}
	order.To = own
	s.Orders = []chains.Order{order}
	return s, nil
}

// from returns the address that a move is sent from, in the spelling of transfers.
func (m *move) from() string { return m.row.FromAddress }
