package console

import (
	"causeway/internal/ops/admin"
	"causeway/internal/store"
)

// amissActs offers both ends of a payout with a final payment of another amount. The question before each repeats the arrived
// amount, and the browser puts the form's note below it: who bears the rest.
func amissActs(v *visit, p *admin.Payout) part {
	arrived := amissSaid(p, p.Amiss)
	out := part{Heading: "Actions", Half: true, Note: arrived + " You decide how this payout ends."}
	if !v.May(admin.RoleAdmin) {
		out.Note += " Only an admin can decide."
		return out
	}
	path := Prefix + "payouts/" + p.ID.String()
	complete, refund := amissEnds(p, p.Amiss)
	out.Forms = []form{
		{Action: path + "/complete", Verb: "Complete", Note: complete,
			Confirm: "Complete this payout? " + arrived + " This cannot be undone."},
		{Action: path + "/refund", Verb: "Refund", Note: refund, Danger: true,
			Confirm: "Fail and refund this payout? " + arrived + " This cannot be undone."},
	}
	return out
}

func amissSaid(p *admin.Payout, a *store.AmissPayment) string {
	return "Its payment is final, and " + grouped(a.Arrived) + " of " + money(p.Amount, p.Token).Text + " arrived; " +
		money(a.Spent, p.Token).Text + " left the hot wallet."
}

// amissEnds says in amounts who bears how much when the payout is completed, and when it is refunded.
func amissEnds(p *admin.Payout, a *store.AmissPayment) (complete, refund string) {
	complete = "The merchant pays the full debit of " + money(p.Debit, p.Asset).Text + "."
	switch kept := p.Amount.Sub(a.Spent); {
	case kept.IsPositive():
		complete += " The treasury keeps " + money(kept, p.Asset).Text + " that did not leave."
	case kept.IsNegative():
		complete += " The treasury bears " + money(kept.Neg(), p.Asset).Text + " that left above the amount."
	}
	refund = "The merchant gets " + money(p.Debit, p.Asset).Text + " back."
	if a.Spent.IsPositive() {
		refund += " The treasury bears " + money(a.Spent, p.Asset).Text + " that left."
	}
	return complete, refund
}

// decidePayout ends such a payout as `payout complete` and `payout refund` do.
func decidePayout(completed bool) func(*visit) (outcome, error) {
	return func(v *visit) (outcome, error) {
		p, err := v.Payout(v.Context(), clean(v.PathValue("id")))
		if err != nil {
			return outcome{}, err
		}
		decided, err := v.onChain().DecidePayout(v.Context(), p.ID, completed)
		if err != nil {
			return outcome{}, admin.Refuse(err.Error())
		}
		return outcome{said: "Decided: the payout is now " + string(decided.Status) + ".", to: "payouts/" + p.ID.String()}, nil
	}
}
