package simulation

import (
	"context"
	"strings"

	"causeway/internal/ops/admin"
)

// operate acts as the operator: stopped assets go on, waiting payouts are decided, and the treasury is looked after.
func (w *world) operate() {
	w.resume()
	w.decide(25)
	w.manage()
}

// decide ends the wait of payouts of accounts in debt: so many of a hundred are declined, and the others are approved.
// No merchant here has a limit or is suspended, so a payout waiting for another reason breaks a rule.
func (w *world) decide(declined int) {
	operator := &admin.Admin{Store: w.store, Actor: "the operator"}
	waiting, err := operator.Waiting(context.Background())
	w.must(err)
	for i := range waiting {
		p := &waiting[i]
		switch {
		case !p.Owes.Valid || !strings.HasPrefix(p.Why, "its account owes "):
			w.broken("a payout waits, and its account owes nothing: %s", p.Why)
			return
		case declined > 0 && w.chance(declined):
			_, err = operator.DeclinePayout(context.Background(), p.ID.String())
			w.trace("the operator declines a payout whose account owes %s", p.Owes.Decimal)
		default:
			_, err = operator.ApproveSealed(context.Background(), p.ID.String(), p.Seal)
			w.trace("the operator approves a payout whose account owes %s", p.Owes.Decimal)
		}
		w.must(err)
	}
}

// resume acts as the operator and lets stopped assets go on. They stop for a reason only after a network has undone
// final blocks; a hot wallet never does, since nobody else has its key.
func (w *world) resume() {
	w.noFalseAlarm()
	ctx := context.Background()
	assets, err := w.store.StoppedAssets(ctx)
	w.must(err)
	for _, a := range assets {
		_, err := w.store.ResumeAsset(ctx, a.Asset, a.Network)
		w.must(err)
		w.trace("the operator resumes %s", a.Asset)
	}
}
