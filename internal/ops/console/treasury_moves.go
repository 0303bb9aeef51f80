package console

import (
	"cmp"
	"strings"

	"github.com/shopspring/decimal"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// lastMoves is how many moves the page of the treasury shows.
const lastMoves = 50

// moved shows where the money of each token is against its rule, and the moves between our addresses.
func moved(v *visit) ([]part, error) {
	vitals, err := v.Store.TreasuryVitals(v.Context())
	if err != nil {
		return nil, err
	}
	rules := &table{Columns: []column{{Name: "Network"}, {Name: "Token"}, {Name: "Hot wallet", Right: true}, {Name: "Deposits", Right: true},
		{Name: "On its way", Right: true}, {Name: "Cold", Right: true}, {Name: "Rule"}, {Name: ""}},
		Empty: "No look has seen any money yet, and there is no rule. Set one by causeway admin treasury rules set."}
	for i := range vitals {
		rules.Rows = append(rules.Rows, placeRow(v, &vitals[i]))
	}
	moves, err := movesTable(v)
	if err != nil {
		return nil, err
	}
	out := []part{{Heading: "Where the money is", Table: rules,
		Note: "By the last look at each network. What is on its way is still in the hot wallet or the deposits until a look has seen it arrive."},
		{Heading: "Moves", Table: moves, Forms: planForms(v)}}
	return append(out, raiseParts(v, vitals)...), nil
}

func planForms(v *visit) []form {
	if !v.May(admin.RoleOperator) {
		return nil
	}
	return []form{{Action: Prefix + "treasury/plan", Verb: "Plan now", Quiet: true}}
}

func placeRow(v *visit, r *store.TreasuryVitals) []cell {
	hot, deposits, cold := text("–"), text("–"), text("–")
	if r.Seen {
		hot, deposits, cold = text(grouped(r.Hot)), text(grouped(r.Deposits)), text(grouped(r.Cold))
	}
	if hot.Sub = coinsOf(r); r.Staked.IsPositive() {
		hot.Sub = grouped(r.Staked) + " of it are staked"
	}
	row := []cell{text(r.Network), text(r.Token), hot, deposits, text(grouped(r.Moving)), cold, ruleState(r), {}}
	if !r.Ruled {
		return row
	}
	row[6].Sub = "floor " + grouped(r.Floor) + ", target " + grouped(r.Target) + ", no ceiling"
	if r.Ceiling.Valid {
		row[6].Sub = "floor " + grouped(r.Floor) + ", target " + grouped(r.Target) + ", ceiling " + grouped(r.Ceiling.Decimal)
	}
	its := []field{{Name: "network", Kind: "hidden", Value: r.Network}, {Name: "token", Kind: "hidden", Value: r.Token}}
	switch {
	case r.Paused && v.May(admin.RoleAdmin):
		row[7].Forms = []form{{Action: Prefix + "treasury/resume", Verb: "Resume", Fields: its,
			Confirm: "Let the treasury move " + r.Token + " on " + r.Network + " by its rule again?"}}
	case !r.Paused && v.May(admin.RoleOperator):
		row[7].Forms = []form{{Action: Prefix + "treasury/pause", Verb: "Pause", Quiet: true, Fields: its,
			Confirm: "Plan no more moves of " + r.Token + " on " + r.Network + "? Open moves go on."}}
	}
	return row
}

// coinsOf says what the coins for payouts are together, which of them are not worth their fee, and which coins are mixed; "" where there are
// none.
func coinsOf(r *store.TreasuryVitals) string {
	if !r.Pot.Valid {
		return ""
	}
	text := grouped(r.Pot.Decimal) + " in coins"
	if r.LeftCoins > 0 {
		text += "; " + number(r.LeftCoins) + " of them, " + grouped(r.Left) + ", are not worth their fee"
	}
	if r.MixedCoins > 0 {
		text += "; beside them " + number(r.MixedCoins) + ", " + grouped(r.Mixed) + ", have other tokens in them and are not spent"
	}
	return text
}

// ruleState says in a word whether a token's money keeps to its rule.
func ruleState(r *store.TreasuryVitals) cell {
	switch {
	case !r.Ruled:
		return pill("no rule", "idle")
	case r.Paused:
		return pill("paused", "warn")
	case r.Seen && r.Payable().LessThan(r.Floor):
		return pill("below floor", "bad")
	case r.Seen && r.Ceiling.Valid && r.Payable().GreaterThan(r.Ceiling.Decimal):
		return pill("above ceiling", "warn")
	default:
		return pill("kept", "good")
	}
}

// moodOfMove is the colour of a move's status.
var moodOfMove = map[pay.MoveStatus]string{pay.MovePlanned: "idle", pay.MoveSigned: "warn", pay.MoveSent: "warn", pay.MoveDone: "good",
	pay.MoveFailed: "bad", pay.MoveCancelled: "idle"}

// movesTable lists the open moves, and then the last ones that have ended.
func movesTable(v *visit) (*table, error) {
	all, err := v.TreasuryMoves(v.Context(), store.MoveFilter{Limit: lastMoves})
	if err != nil {
		return nil, err
	}
	open, err := v.TreasuryMoves(v.Context(), store.MoveFilter{Open: true, Limit: lastMoves})
	if err != nil {
		return nil, err
	}
	t := &table{Columns: []column{{Name: "Planned"}, {Name: "Move"}, {Name: "Amount", Right: true}, {Name: "From"}, {Name: "To"}, {Name: "State"}}, Empty: "Nothing was moved between our addresses yet."}
	for i := range open {
		t.Rows = append(t.Rows, moveRow(&open[i]))
	}
	for i := range all {
		if !all[i].Status.Open() {
			t.Rows = append(t.Rows, moveRow(&all[i]))
		}
	}
	return t, nil
}

func moveRow(m *admin.TreasuryMove) []cell {
	state := pill(string(m.Status), moodOfMove[m.Status])
	if m.Reason != nil && m.Status != pay.MoveDone {
		state.Sub = *m.Reason
	}
	planned, amount := when(m.CreatedAt), money(amountOf(m), m.Token)
	planned.Sub = "by " + m.By
	if m.Cost != nil {
		amount.Sub = "cost " + money(*m.Cost, coinOf(m.Network)).Text
	}
	move := cell{Text: kindsOfMove[m.Kind], Sub: m.Network}
	return []cell{planned, move, amount, copied(m.From), copied(m.To), state}
}

var kindsOfMove = map[pay.MoveKind]string{pay.MoveSweep: "sweep", pay.MoveTopup: "top-up", pay.MoveCold: "cold", pay.MoveConsolidate: "consolidation", pay.MovePrepare: "preparation",
	pay.MoveStake: "stake", pay.MoveUnstake: "unstake", pay.MoveWithdraw: "withdrawal of a stake", pay.MoveDelegate: "loan of energy", pay.MoveUndelegate: "end of a loan"}

// amountOf is what a move has moved, or else what it is planned to move.
func amountOf(m *admin.TreasuryMove) decimal.Decimal { return *cmp.Or(m.Moved, &m.Amount) }

func coinOf(network string) string {
	if n, ok := pay.NetworkNamed(network); ok {
		return n.Coin
	}
	return ""
}

// raiseParts offers an admin to raise an amount of a rule.
func raiseParts(v *visit, vitals []store.TreasuryVitals) []part {
	rule := field{Name: "rule", Label: "Rule", Kind: "select"}
	for i := range vitals {
		if r := &vitals[i]; r.Ruled {
			rule.Options = append(rule.Options, option{Value: r.Token + "@" + r.Network, Text: r.Token + " on " + r.Network})
		}
	}
	if len(rule.Options) == 0 || !v.May(admin.RoleAdmin) {
		return nil
	}
	name := field{Name: "name", Label: "Amount", Kind: "select"}
	for _, known := range []string{"sweep_min", "hot_floor", "hot_target", "hot_ceiling"} {
		name.Options = append(name.Options, option{Value: known, Text: strings.ReplaceAll(known, "_", " ")})
	}
	return []part{{Heading: "Raise an amount of a rule", Forms: []form{{Action: Prefix + "treasury/raise", Verb: "Raise",
		Note:    "Amounts are lowered, and rules made and removed, by causeway admin treasury rules. The cold address is named in NETWORKS_FILE alone.",
		Confirm: "Raise this amount of the rule?",
		Fields:  []field{rule, name, {Name: "value", Label: "New value", Kind: "text", Required: true, Hint: "more than now"}}}}}}
}

func planTreasury(v *visit) (outcome, error) {
	return said("The treasury plans its moves now. They are listed here within a minute.", v.PlanTreasuryNow(v.Context()))
}

func pauseRule(v *visit) (outcome, error) {
	_, err := v.RaiseTreasuryRule(v.Context(), v.given("network"), v.given("token"), admin.Fields{"paused": "on"})
	return said("The rule is paused. Open moves go on.", err)
}

func resumeRule(v *visit) (outcome, error) {
	_, err := v.RaiseTreasuryRule(v.Context(), v.given("network"), v.given("token"), admin.Fields{"paused": "off"})
	return said("The treasury moves money by this rule again.", err)
}

func raiseRule(v *visit) (outcome, error) {
	token, network, _ := strings.Cut(v.given("rule"), "@")
	_, err := v.RaiseTreasuryRule(v.Context(), network, token, admin.Fields{v.given("name"): v.given("value")})
	return said("The rule was changed.", err)
}
