package admincmd

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/cli/command"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
)

// sweep records a sweep of 50 USDT on Tron from a deposit address.
func (s *site) sweep(from string, status pay.MoveStatus) *pay.TreasuryMove {
	s.Helper()
	m := &pay.TreasuryMove{ID: uuid.Must(uuid.NewV7()), Network: "Tron", Kind: pay.MoveSweep, Token: "USDT", FromAddress: from, ToAddress: "THot",
		Index: new(uint32(7)), Amount: decimal.NewFromInt(50), MaxFee: new(decimal.NewFromInt(20)), Status: status, By: pay.ByRules}
	s.adds(m)
	return m
}

// topup records the top-up of a sweep.
func (s *site) topup(of *pay.TreasuryMove, status pay.MoveStatus) *pay.TreasuryMove {
	s.Helper()
	m := &pay.TreasuryMove{ID: uuid.Must(uuid.NewV7()), Network: of.Network, Kind: pay.MoveTopup, Token: "TRX", FromAddress: of.ToAddress,
		ToAddress: of.FromAddress, Index: of.Index, Amount: decimal.NewFromInt(15), After: &of.ID, Status: status, By: pay.ByRules}
	s.adds(m)
	return m
}

func (s *site) adds(m *pay.TreasuryMove) {
	s.Helper()
	require.NoError(s.T, store.New(s.DB).AddMove(s.Context(), m))
	if m.Status.Open() {
		s.Exec("insert into jobs (kind, ref, run_at) values (?, ?, now() + interval '1 hour')", tasks.MoveTreasury, m.ID)
	}
}

// shownMove is a move as commands print it.
type shownMove struct {
	ID, Network, Kind, Token, From, To, Amount, Status, By string
	Reason, Txid, After                                    *string
	MaxFee                                                 *string `json:"max_fee"`
	Cost                                                   *string
	Transactions                                           []struct{ Txid, Purpose, State string }
	Job                                                    *struct{ Kind string }
}

// Covers operator §Admin: causeway admin treasury moves list
// Covers operator §Admin: causeway admin treasury moves show
// Covers operator §Admin: treasury moves list is newest
// Covers operator §Admin: treasury moves show answers
// Covers operator §Admin: A list answers at most
func TestMovesAreListedAndShown(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	require.Empty(t, s.ids("treasury", "moves", "list"))
	a, b, c := s.sweep("TDeposit1", pay.MoveDone), s.sweep("TDeposit2", pay.MoveSent), s.sweep("TDeposit3", pay.MovePlanned)
	s.Exec("update treasury_moves set network = 'Ethereum' where id = ?", c.ID)
	idsOf := func(moves ...*pay.TreasuryMove) (out []string) {
		for _, m := range moves {
			out = append(out, m.ID.String())
		}
		return out
	}
	require.Equal(t, idsOf(c, b, a), s.ids("treasury", "moves", "list"))
	require.Equal(t, idsOf(c, b), s.ids("treasury", "moves", "list", "--open"))
	require.Equal(t, idsOf(b, a), s.ids("treasury", "moves", "list", "--network", "trc20"))
	require.Equal(t, idsOf(b), s.ids("treasury", "moves", "list", "--limit", "1", "--below", c.ID.String()))
	nobody := uuid.NewString()
	s.Refused(command.ExitFailed, `no network "Trom"`, "admin", "treasury", "moves", "list", "--network", "Trom")
	s.Refused(command.ExitFailed, "no move "+nobody, "admin", "treasury", "moves", "list", "--below", nobody)
	s.Refused(command.ExitFailed, "no move "+nobody, "admin", "treasury", "moves", "show", nobody)
	s.Refused(command.ExitFailed, "no move x", "admin", "treasury", "moves", "show", "x")

	s.Exec(`insert into signed_transactions (network, txid, payout_id, purpose, address, nonce, raw, fee, state) values
		('Tron', 'swept', ?, 'sweep', 'TDeposit2', 3, '\x01', 14, 'sent')`, b.ID)
	var m shownMove
	s.Do(&m, "admin", "treasury", "moves", "show", b.ID.String())
	require.Equal(t, []string{"sweep", "USDT", "TDeposit2", "THot", "50", "sent", "rules", "20"}, []string{m.Kind, m.Token, m.From, m.To, m.Amount, m.Status,
		m.By, *m.MaxFee})
	require.Len(t, m.Transactions, 1)
	require.Equal(t, []string{"swept", "sweep", "sent"}, []string{m.Transactions[0].Txid, m.Transactions[0].Purpose, m.Transactions[0].State})
	require.Equal(t, string(tasks.MoveTreasury), m.Job.Kind)
}

// A planned move is cancelled with its planned top-up, and nothing that is signed is.
//
// Covers operator §Admin: causeway admin treasury moves cancel
// Covers operator §Admin: treasury moves cancel cancels
func TestOpenMovesAreCancelled(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	cancel := []string{"admin", "treasury", "moves", "cancel"}
	sweep := s.sweep("TDeposit1", pay.MovePlanned)
	planned := s.topup(sweep, pay.MovePlanned)
	other := s.sweep("TDeposit2", pay.MovePlanned)
	sent := s.topup(other, pay.MoveSent)
	var m shownMove
	s.Do(&m, append(cancel, sweep.ID.String())...)
	require.Equal(t, []string{"cancelled", "cancelled by the operator"}, []string{m.Status, *m.Reason})
	require.Nil(t, m.Job)
	audit := s.LastAudit()
	require.Equal(t, []string{"treasury.move.cancel", "move:" + sweep.ID.String()}, []string{audit.Action, audit.Subject})
	require.True(t, strings.Contains(string(audit.Before), `"planned"`) && strings.Contains(string(audit.After), `"cancelled"`))
	s.Do(&m, append(cancel, other.ID.String())...)
	for id, want := range map[uuid.UUID]string{planned.ID: "cancelled", sent.ID: "sent"} {
		s.Do(&m, "admin", "treasury", "moves", "show", id.String())
		require.Equal(t, want, m.Status)
		require.Equal(t, want == "sent", m.Job != nil)
	}
	s.Refused(command.ExitFailed, "is cancelled: only a planned, signed or sent one is cancelled", append(cancel, sweep.ID.String())...)
	s.Refused(command.ExitFailed, "is done: only a planned, signed", append(cancel, s.sweep("TDeposit3", pay.MoveDone).ID.String())...)
	s.Do(&m, append(cancel, sent.ID.String())...)
	require.Equal(t, "sent", m.Status, "until a transaction that moves nothing has taken its slot")
	require.NotNil(t, m.Job)
}

// A failed move is planned anew by the operator, and an open one is tried now.
//
// Covers operator §Admin: causeway admin treasury moves retry
// Covers operator §Admin: treasury moves retry makes
func TestMovesAreRetried(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	retry := []string{"admin", "treasury", "moves", "retry"}
	failed := s.sweep("TDeposit1", pay.MoveFailed)
	var m shownMove
	s.Do(&m, append(retry, failed.ID.String())...)
	require.NotEqual(t, failed.ID.String(), m.ID)
	require.Equal(t, []string{"planned", "TDeposit1", "THot", "50", "20"}, []string{m.Status, m.From, m.To, m.Amount, *m.MaxFee})
	require.NotEqual(t, pay.ByRules, m.By)
	s.Exec("update jobs set run_at = run_at - interval '1 minute'")
	require.True(t, s.due(tasks.MoveTreasury, uuid.MustParse(m.ID)))
	s.Refused(command.ExitFailed, "a sweep of TDeposit1 on Tron is under way", append(retry, failed.ID.String())...)

	open := s.sweep("TDeposit2", pay.MoveSent)
	s.Do(&m, append(retry, open.ID.String())...)
	require.Equal(t, []string{open.ID.String(), "sent"}, []string{m.ID, m.Status})
	require.True(t, s.due(tasks.MoveTreasury, open.ID))
	s.Refused(command.ExitFailed, "is done: only an open or a failed one is retried", append(retry, s.sweep("TDeposit3", pay.MoveDone).ID.String())...)
	s.Refused(command.ExitFailed, "is a top-up: retry the sweep", append(retry, s.topup(open, pay.MoveFailed).ID.String())...)
}
