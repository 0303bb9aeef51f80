package treasury

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
	"causeway/workers/catalogue"
	"causeway/workers/desk"
)

// The bounds of the planner.
const (
	movesAtOnce     = 50               // open moves of a network
	networkPatience = 5 * time.Second  // for the nodes of one network
	planAgain       = 10 * time.Second // to the next plan, while some moves had no room
	addressesAtOnce = 200              // deposit addresses in one look, those with the most first
	givenUpAfter    = 10 * time.Minute // a planned move with nothing signed: it is planned again when it may be made
	failuresAtMost  = 3                // of an address and token in a day
	feePercent      = 2                // the most a sweep by hand costs of a token without a rule
	hurryPercent    = 5                // the most a sweep costs while payouts wait, or the hot wallet is below its floor
	firstShare      = 3                // decimal places: the first amount for a cold address nobody has confirmed is a thousandth at most
	costPlaces      = 18               // of a cost written in another token
)

// Planned is a decision about the money of a token at one of our addresses.
type Planned struct {
	Move pay.TreasuryMove // without an id
	Cost decimal.Decimal  // the most that it can cost with its top-up, in the native coin
	Left string           // why it is not moved; "" for a move to be made
}

// Asked is what is asked of a plan. Its zero value is for the rules.
type Asked struct {
	Address     string           // one deposit address, with any amount; "" for all
	Token       string           // "" for all that the rules, or Address, name
	Cold        bool             // the hot wallet's rest alone, also below its ceiling
	Amount      *decimal.Decimal // of Cold; nil for what is above the target
	Below       *decimal.Decimal // coins below it are small; nil for what the rule says
	AlthoughFee bool             // whatever it costs
	By          string           // "" for the rules
}

// plan is one look at a network.
type plan struct {
	*Worker
	network *chains.Network
	asked   Asked
	cat     *catalogue.Table
	rules   map[string]store.TreasuryRule // by token
	height  int64                         // of the last followed block
	waiting map[string]decimal.Decimal    // not for moves, by token
	costs   map[string]decimal.Decimal    // of a move, by token
	cheap   decimal.Decimal               // a cost in the native coin, of the native coin
	topup   decimal.Decimal               // what a top-up costs
	coin    decimal.Decimal               // what one more coin costs, where coins are spent whole
	lending map[string]*chains.Lending    // what a sweep costs with a loan, by token; nil for a token without loans
	out     []Planned
}

// Plan decides what is to be moved on a network, and says of the rest why it is left. It writes nothing.
func (w *Worker) Plan(ctx context.Context, n *chains.Network, asked Asked) ([]Planned, error) {
	p, err := w.look(ctx, n, asked)
	if err != nil || p == nil {
		return nil, err
	}
	for _, token := range p.cat.On(n.Name) { // the coin comes last: it pays for the others
		if token.Symbol != n.Coin {
			err = errors.Join(err, p.token(ctx, token))
		}
	}
	if coin := p.cat.Token(n.Coin, n.Name); coin != nil {
		err = errors.Join(err, p.token(ctx, coin))
	}
	return p.once(), err
}

// look reads what a plan is made by; nil where the treasury moves nothing, or no block was followed. Holdings are read
// at the last block, since nodes forget those of the final one, and what came after the final one is taken off.
func (w *Worker) look(ctx context.Context, n *chains.Network, asked Asked) (*plan, error) {
	if !n.Treasury() {
		return nil, nil
	}
	if asked.By == "" {
		asked.By = pay.ByRules
	}
	p := &plan{Worker: w, network: n, asked: asked, rules: map[string]store.TreasuryRule{}, costs: map[string]decimal.Decimal{},
		lending: map[string]*chains.Lending{}}
	rules, err := w.Store.TreasuryRules(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range rules {
		if r.Network == n.Name {
			p.rules[r.Token] = r
		}
	}
	blocks, err := w.Store.BlocksBelow(ctx, n.Name, math.MaxInt64, 1)
	if err != nil || len(blocks) == 0 || len(p.rules) == 0 && asked.By == pay.ByRules {
		return nil, err
	}
	p.height = blocks[0].Height
	if p.cat, err = w.Catalogue.On(ctx, w.Store, n); err != nil {
		return nil, err
	}
	if p.waiting, err = w.Store.OpenPayoutSums(ctx, n.Name); err != nil {
		return nil, err
	}
	if p.cheap, err = w.Store.CheapMove(ctx, n.Name); err != nil {
		return nil, err
	}
	if p.topup, err = p.cost(ctx, n.Coin); err == nil && n.TopupCost != nil {
		p.topup, err = n.TopupCost(ctx)
	}
	if err == nil && n.CoinCost != nil {
		p.coin, err = n.CoinCost(ctx)
	}
	return p, err
}

// cost returns what a move of a token costs at most now.
func (p *plan) cost(ctx context.Context, token string) (decimal.Decimal, error) {
	if cost, known := p.costs[token]; known {
		return cost, nil
	}
	cost, err := p.network.MoveCost(ctx, token)
	if err != nil {
		return cost, fmt.Errorf("cost of a move of %s on %s: %w", token, p.network.Name, err)
	}
	p.costs[token] = cost
	return cost, nil
}

// token plans the moves of a token: sweeps, coins made one, and what goes to the cold address.
func (p *plan) token(ctx context.Context, t *pay.Token) error {
	rule, ruled := p.rules[t.Symbol]
	if p.asked.Token != "" && p.asked.Token != t.Symbol || !ruled && p.asked.By == pay.ByRules {
		return nil
	}
	if rule.Paused && p.asked.By == pay.ByRules {
		return nil
	}
	if p.network.Exclusion == chains.ByCoins {
		return p.pot(ctx, t, rule)
	}
	spare, err := p.spare(ctx, t.Symbol)
	if err != nil {
		return err
	}
	if !p.asked.Cold {
		if err := p.sweeps(ctx, t, rule, spare); err != nil {
			return err
		}
	}
	if p.asked.Cold || p.asked.By == pay.ByRules {
		return p.cold(ctx, t, rule, spare)
	}
	return nil
}

// spare is what the hot wallet can spend of a token beyond what payouts ask for.
func (p *plan) spare(ctx context.Context, token string) (decimal.Decimal, error) {
	held, err := hotSpendable(ctx, p.network, token, p.height)
	return held.Sub(p.waiting[token]), err
}

// Spare returns what the hot wallet of a network can spend of the coin at the last followed block, beyond what payouts and moves wait for.
func (w *Worker) Spare(ctx context.Context, n *chains.Network) (decimal.Decimal, error) {
	blocks, err := w.Store.BlocksBelow(ctx, n.Name, math.MaxInt64, 1)
	if err != nil || len(blocks) == 0 {
		return decimal.Zero, err
	}
	waiting, err := w.Store.OpenPayoutSums(ctx, n.Name)
	if err != nil {
		return decimal.Zero, err
	}
	held, err := hotSpendable(ctx, n, n.Coin, blocks[0].Height)
	return held.Sub(waiting[n.Coin]), err
}

// hotSpendable is what the hot wallet has of a token at a height and can spend: without what is staked.
func hotSpendable(ctx context.Context, n *chains.Network, token string, height int64) (held decimal.Decimal, err error) {
	if token == n.Coin && n.Staking != nil {
		held, err = n.Staking.Spendable(ctx, n.Hot, height)
	} else {
		var all []decimal.Decimal
		if all, err = n.Holder.Holdings(ctx, token, []string{n.Hot}, height); err == nil {
			held = all[0]
		}
	}
	if err != nil {
		return held, fmt.Errorf("holdings of the hot wallet of %s: %w", n.Name, err)
	}
	return held, nil
}

// once leaves a second sweep of one deposit address for the next plan: one move at a time leaves it.
func (p *plan) once() []Planned {
	from := map[string]bool{}
	for i := range p.out {
		m := &p.out[i]
		if m.Left != "" || m.Move.Kind != pay.MoveSweep {
			continue
		}
		if from[m.Move.FromAddress] {
			m.Left = "another token of the address is swept first"
		}
		from[m.Move.FromAddress] = true
	}
	return p.out
}

// PlanMoves is the periodic plan by the rules: moves to be made get a row and a job.
func (w *Worker) PlanMoves(ctx context.Context, j store.DueJob) error {
	if err := desk.Start(ctx, w.Store, j); err != nil {
		return err
	}
	after := tasks.Specs[tasks.PlanTreasury].Every
	for _, n := range w.Networks.All() {
		if !n.Treasury() {
			continue
		}
		more, err := w.planNetwork(ctx, n)
		if more {
			after = planAgain
		}
		if err != nil && w.FreshOn(n.Name, tasks.PlanTreasury, err.Error()) {
			w.LogFor(n).WithError(err).Warn("what the treasury holds could not be looked at")
		}
	}
	return desk.Fenced(w.Store.RetryJob(ctx, j, after, ""))
}

// planNetwork takes loans back and plans moves on a network. Many loans take as long as many holdings, and each has its time.
func (w *Worker) planNetwork(ctx context.Context, n *chains.Network) (more bool, err error) {
	loans, cancel := context.WithTimeout(ctx, networkPatience)
	defer cancel()
	unread := w.endLoans(loans, n) // sweeps are planned all the same
	moves, cancelled := context.WithTimeout(ctx, networkPatience)
	defer cancelled()
	more, err = w.planMoves(moves, n)
	return more, errors.Join(unread, err)
}

// planMoves begins what the rules ask for on a network. More says that some of it had no room beside the open moves.
func (w *Worker) planMoves(ctx context.Context, n *chains.Network) (more bool, err error) {
	if _, err := w.Store.CancelOldMoves(ctx, n.Name, givenUpAfter); err != nil {
		return false, err
	}
	jobless, err := w.Store.JoblessMoves(ctx, n.Name)
	if err != nil {
		return false, err
	}
	if err := w.Store.PlanJobs(ctx, string(tasks.MoveTreasury), jobless, 0); err != nil {
		return false, err
	}
	busy, err := w.Store.BusyMoves(ctx, n.Name)
	if err != nil {
		return false, err
	}
	room := movesAtOnce - busy
	if room <= 0 { // the network is asked once there is some
		return true, nil
	}
	planned, failed := w.Plan(ctx, n, Asked{}) // of a token with a broken contract; the others are planned
	if len(planned) > 0 || n.Exclusion == chains.ByCoins {
		if err := w.noteCost(ctx, n); err != nil {
			return false, err
		}
	}
	more, err = w.beginAll(ctx, planned, room)
	return more, errors.Join(failed, err)
}

// noteCost keeps what a move costs now, if the network says so.
func (w *Worker) noteCost(ctx context.Context, n *chains.Network) error {
	cost, err := n.MoveCost(ctx, n.Coin)
	if err != nil {
		return nil //nolint:nilerr // the plan has said it
	}
	var coin decimal.NullDecimal
	if n.CoinCost != nil {
		if coin.Decimal, err = n.CoinCost(ctx); err != nil {
			return nil //nolint:nilerr // the same
		}
		coin.Valid = true
	}
	_, err = w.Store.NoteMoveCost(ctx, n.Name, cost, coin)
	return err
}

// beginAll begins as many planned moves as there is room for. More says that some are left.
func (w *Worker) beginAll(ctx context.Context, planned []Planned, room int) (more bool, err error) {
	for i := range planned {
		if planned[i].Left != "" {
			continue
		}
		if room <= 0 {
			return true, nil
		}
		switch err := w.Begin(ctx, &planned[i].Move); {
		case errors.Is(err, store.ErrMoveOpen):
		case err != nil:
			return false, err
		default:
			room--
		}
	}
	return false, nil
}

// Begin records a planned move with its job, or returns store.ErrMoveOpen.
func (w *Worker) Begin(ctx context.Context, m *pay.TreasuryMove) error {
	m.ID, m.Status = uuid.Must(uuid.NewV7()), pay.MovePlanned
	return w.Record(ctx, func(tx *store.Store) ([]tasks.Job, error) {
		if err := tx.AddMove(ctx, m); err != nil {
			return nil, err
		}
		return []tasks.Job{{Kind: tasks.MoveTreasury, Ref: m.ID}}, tx.AddJob(ctx, string(tasks.MoveTreasury), m.ID, tasks.RingDelay)
	})
}
