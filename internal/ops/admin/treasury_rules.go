package admin

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
)

// TreasuryRule says when the treasury moves the money of a token on a network. Amounts are in the token.
type TreasuryRule struct {
	Network       string              `json:"network"`
	Token         string              `json:"token"`
	SweepMin      decimal.Decimal     `json:"sweep_min"`
	MaxFeePercent decimal.Decimal     `json:"max_fee_percent"`
	Patience      string              `json:"patience"`
	HotFloor      decimal.Decimal     `json:"hot_floor"`
	HotTarget     decimal.Decimal     `json:"hot_target"`
	HotCeiling    decimal.NullDecimal `json:"hot_ceiling"` // null: nothing goes to the cold address by itself
	Paused        bool                `json:"paused"`
}

// The rule of a token without fields but sweep_min.
var (
	usualFee      = decimal.NewFromInt(2)
	usualPatience = 24 * time.Hour
)

// The limits of a rule's fields.
const (
	feeScale        = 4
	longestPatience = 720 * time.Hour
)

// TreasuryRules lists the rules of the treasury, by network and token.
func (a *Admin) TreasuryRules(ctx context.Context) ([]TreasuryRule, error) {
	rules, err := a.Store.TreasuryRules(ctx)
	out := make([]TreasuryRule, len(rules))
	for i := range rules {
		out[i] = ruleView(&rules[i])
	}
	return out, err
}

// SetTreasuryRule changes fields of a token's rule, or makes the rule: sweep_min is needed then.
func (a *Admin) SetTreasuryRule(ctx context.Context, network, token string, fields Fields) (*TreasuryRule, error) {
	return a.changeRule(ctx, network, token, fields, nil)
}

// RaiseTreasuryRule is SetTreasuryRule for the console: it pauses and resumes a rule, and raises its amounts. It makes no rule and
// lowers nothing, so a stolen login makes the treasury move no more than before.
func (a *Admin) RaiseTreasuryRule(ctx context.Context, network, token string, fields Fields) (*TreasuryRule, error) {
	return a.changeRule(ctx, network, token, fields, onlyRaised)
}

// changeRule sets fields of a rule under the lock of its token. May refuses a change.
func (a *Admin) changeRule(ctx context.Context, network, token string, fields Fields, may func(was, now *store.TreasuryRule) error) (*TreasuryRule, error) {
	n, ok := pay.NetworkCalled(network)
	if !ok {
		return nil, refuse("there is no network %q", network)
	}
	var view TreasuryRule
	err := a.Change(ctx, "treasury.rule.set", ruleSubject(n.Name, token), func(tx *store.Store) (before, after any, err error) {
		t, err := tx.TokenForUpdate(ctx, token, n.Name)
		if err != nil {
			return nil, nil, named(err, "token %s on %s", token, n.Name)
		}
		was, err := ruleOf(ctx, tx, n.Name, token)
		if err != nil {
			return nil, nil, err
		}
		now := store.TreasuryRule{Network: n.Name, Token: token, MaxFeePercent: usualFee, Patience: usualPatience}
		if was != nil {
			now, before = *was, ruleView(was)
		}
		if err := fields.apply(ruleFields(&now, t.Decimals)); err != nil {
			return nil, nil, err
		}
		if _, given := fields["sweep_min"]; was == nil && !given {
			return nil, nil, misread("the first rule of %s on %s needs sweep_min: a deposit address with less is left as it is", token, n.Name)
		}
		if err := checkRule(&now); err != nil {
			return nil, nil, err
		}
		if may != nil {
			if err := may(was, &now); err != nil {
				return nil, nil, err
			}
		}
		view = ruleView(&now)
		return before, view, tx.SetTreasuryRule(ctx, &now)
	})
	return &view, err
}

// RemoveTreasuryRule removes the rule of a token: its money is only shown from then on. Open moves go on.
func (a *Admin) RemoveTreasuryRule(ctx context.Context, network, token string) (*TreasuryRule, error) {
	n, ok := pay.NetworkCalled(network)
	if !ok {
		return nil, refuse("there is no network %q", network)
	}
	var view TreasuryRule
	err := a.Change(ctx, "treasury.rule.remove", ruleSubject(n.Name, token), func(tx *store.Store) (before, after any, err error) {
		was, err := ruleOf(ctx, tx, n.Name, token)
		if err != nil {
			return nil, nil, err
		}
		if was == nil {
			return nil, nil, refuse("there is no rule of %s on %s", token, n.Name)
		}
		view = ruleView(was)
		removed, err := tx.RemoveTreasuryRule(ctx, n.Name, token)
		if err == nil && !removed {
			err = refuse("the rule of %s on %s was removed meanwhile", token, n.Name)
		}
		return view, nil, err
	})
	return &view, err
}

func ruleSubject(network, token string) string { return "treasury:" + token + "@" + network }

// ruleOf returns the rule of a token, or nil.
func ruleOf(ctx context.Context, tx *store.Store, network, token string) (*store.TreasuryRule, error) {
	all, err := tx.TreasuryRules(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(r store.TreasuryRule) bool { return r.Network == network && r.Token == token })
	if i < 0 {
		return nil, nil
	}
	return &all[i], nil
}

func ruleView(r *store.TreasuryRule) TreasuryRule {
	out := TreasuryRule{Network: r.Network, Token: r.Token, SweepMin: r.SweepMin, MaxFeePercent: r.MaxFeePercent, Patience: r.Patience.String(),
		HotFloor: r.HotFloor, HotTarget: r.HotTarget, Paused: r.Paused}
	if r.HotCeiling != nil {
		out.HotCeiling = decimal.NewNullDecimal(*r.HotCeiling)
	}
	return out
}

// RuleFields names the fields of SetTreasuryRule, for lists of choices.
func RuleFields() []string { return slices.Sorted(maps.Keys(ruleFields(new(store.TreasuryRule), 0))) }

func ruleFields(r *store.TreasuryRule, decimals int) setters {
	return setters{
		"sweep_min":       setNumber(&r.SweepMin, decimals),
		"max_fee_percent": setPercent(&r.MaxFeePercent, feeScale),
		"patience":        setPatience(&r.Patience),
		"hot_floor":       setNumber(&r.HotFloor, decimals),
		"hot_target":      setNumber(&r.HotTarget, decimals),
		"hot_ceiling":     setCeiling(&r.HotCeiling, decimals),
		"paused":          setSwitch(&r.Paused),
	}
}

func setPatience(to *time.Duration) func(string) error {
	return func(text string) error {
		v, err := time.ParseDuration(text)
		if err != nil || v < 0 || v > longestPatience || v%time.Second != 0 {
			return misread("%q is not a time from 0s to 720h in whole seconds, such as 24h or 90m", text)
		}
		*to = v
		return nil
	}
}

func setCeiling(to **decimal.Decimal, decimals int) func(string) error {
	return func(text string) error {
		if text == "none" {
			*to = nil
			return nil
		}
		v, err := number(text, decimals)
		if err == nil {
			*to = &v
		}
		return err
	}
}

// checkRule refuses amounts that contradict each other.
func checkRule(r *store.TreasuryRule) error {
	switch {
	case r.SweepMin.IsZero():
		return misread("sweep_min must be above zero: with less, a deposit address is left as it is")
	case r.MaxFeePercent.IsZero():
		return misread("max_fee_percent must be above zero, and 100 at most")
	case r.HotCeiling == nil:
		return nil
	case r.HotCeiling.IsZero():
		return misread("hot_ceiling must be above zero, or none")
	case r.HotTarget.LessThan(r.HotFloor):
		return refuse("hot_target %s is less than hot_floor %s", r.HotTarget, r.HotFloor)
	case r.HotCeiling.LessThan(r.HotTarget):
		return refuse("hot_ceiling %s is less than hot_target %s", r.HotCeiling, r.HotTarget)
	}
	return nil
}

// onlyRaised refuses a rule that was not there, and a change other than a higher amount or another pause.
func onlyRaised(was, now *store.TreasuryRule) error {
	const command = "use `causeway admin treasury rules set`"
	switch {
	case was == nil:
		return refuse("%s on %s has no rule: %s", now.Token, now.Network, command)
	case !was.MaxFeePercent.Equal(now.MaxFeePercent) || was.Patience != now.Patience:
		return refuse("the console changes neither max_fee_percent nor patience: %s", command)
	case now.SweepMin.LessThan(was.SweepMin), now.HotFloor.LessThan(was.HotFloor), now.HotTarget.LessThan(was.HotTarget), lowered(was.HotCeiling, now.HotCeiling):
		return refuse("the console raises the amounts of a rule and lowers none: %s", command)
	}
	return nil
}

// lowered reports whether a ceiling comes down; none is above every other.
func lowered(was, now *decimal.Decimal) bool {
	return now != nil && (was == nil || now.LessThan(*was))
}

// PlanTreasuryNow makes the periodic plan of the treasury's moves due now.
func (a *Admin) PlanTreasuryNow(ctx context.Context) error {
	return a.Change(ctx, "treasury.plan", "treasury", func(tx *store.Store) (before, after any, err error) {
		return nil, nil, tx.SetDue(ctx, string(tasks.PlanTreasury), tasks.RefOf(string(tasks.PlanTreasury)))
	})
}
