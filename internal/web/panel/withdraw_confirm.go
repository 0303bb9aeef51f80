package panel

import (
	"errors"

	"github.com/google/uuid"

	"causeway/internal/login"
	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

const dearer = "The fees have changed since they were shown. These are the new figures."

// checkWithdrawal makes every check, and shows what a withdrawal comes to. It records nothing.
func checkWithdrawal(v *visit) (outcome, error) {
	n := v.withdrawal()
	n.Form, n.ShownAmount, n.ShownDebit = uuid.Must(uuid.NewV7()), shown(""), shown("")
	if err := v.fromBook(n); err != nil {
		return outcome{}, err
	}
	w, err := v.rehearse(n)
	if err != nil {
		return outcome{}, err
	}
	return v.confirmation(n, w, ""), nil
}

// confirmation is the page on which a withdrawal is confirmed with a code. W is what would be recorded now.
func (v *visit) confirmation(n *pay.Withdrawal, w Withdrawn, wrong string) outcome {
	p := w.Payout
	facts := []room.Fact{{Name: "To", Cell: room.Whole(n.Wallet)}, {Name: "Network", Cell: room.Text(n.Network)},
		{Name: "Recipient gets", Cell: room.Money(p.Amount, p.Token)}, {Name: "Rate fee", Cell: room.Money(p.RateFee, p.Token)},
		{Name: "Network fee", Cell: room.Money(p.Debit.Sub(p.Amount).Sub(p.RateFee), p.Token)},
		{Name: "Taken from your balance", Cell: room.Money(p.Debit, p.Asset)}}
	if p.Memo != nil {
		facts = append(facts, room.Fact{Name: "Memo", Cell: room.Whole(*p.Memo)})
	}
	made := &room.Page{Title: "Confirm the withdrawal", Section: "Withdraw", Up: &room.Link{Text: "Withdraw", Href: Prefix + "withdraw"},
		Parts: []room.Part{{Facts: facts, Note: "Nothing is recorded yet. A payout that was sent cannot be called back.",
			Forms: []room.Form{v.confirmForm(n, p.Amount.String(), p.Debit.String())}}}}
	if w.Second != "" {
		made.Parts = append(made.Parts, secondNote(w.Second))
	}
	if wrong != "" {
		made.Parts = append([]room.Part{{Note: wrong, Mood: "bad"}}, made.Parts...)
	}
	return outcome{show: made}
}

// confirmForm sends a withdrawal with the figures that were shown.
func (v *visit) confirmForm(n *pay.Withdrawal, amount, debit string) room.Form {
	fields := []room.Field{{Name: "form", Kind: "hidden", Value: n.Form.String()}, {Name: "shown_amount", Kind: "hidden", Value: amount},
		{Name: "shown_debit", Kind: "hidden", Value: debit}}
	for _, name := range []string{"what", "amount", "fees_from"} {
		fields = append(fields, room.Field{Name: name, Kind: "hidden", Value: v.given(name)})
	}
	fields = append(fields, room.Field{Name: "wallet", Kind: "hidden", Value: n.Wallet}, room.Field{Name: "memo", Kind: "hidden", Value: n.Memo})
	return room.Form{Action: Prefix + "withdraw", Verb: "Withdraw", Danger: true, Back: Prefix + "withdraw",
		Fields: append(fields, v.codeField("code"))}
}

// withdraw records a withdrawal after a code of its own. A form that has recorded its payout shows it, and takes no code. The audit has
// the withdrawal before it is recorded.
func withdraw(v *visit) (outcome, error) {
	n := v.withdrawal()
	if n.Form == uuid.Nil || !n.ShownAmount.Valid || !n.ShownDebit.Valid {
		return outcome{}, people.Refusal("this form has expired: begin again")
	}
	if was, err := v.panel.Withdrawals.Made(v.Context(), []*pay.Withdrawal{n}); err != nil || was[0] != nil {
		return wasMade(was), err
	}
	w, err := v.rehearse(n)
	switch {
	case errors.Is(err, ErrDearer):
		return v.confirmation(n, w, dearer), nil
	case err != nil:
		return outcome{}, err
	}
	wrong, err := v.passCode()
	switch {
	case err != nil:
		return outcome{}, err
	case wrong != "":
		return v.confirmation(n, w, wrong), nil
	}
	if err := v.auditWithdrawal(n); err != nil {
		return outcome{}, err
	}
	return v.record(n)
}

// secondNote says that a withdrawal will wait.
func secondNote(why string) room.Part {
	return room.Part{Mood: "warn", Note: "It is " + why + ": another owner or finance person of your merchant confirms it before it is sent. The money is held meanwhile."}
}

// secondAmong returns why a second person confirms the withdrawals of a form; empty for none.
func secondAmong(found []Withdrawn) string {
	for _, f := range found {
		if f.Second != "" {
			return f.Second
		}
	}
	return ""
}

// untilSecond goes on after a sentence that something was recorded; empty where nobody is waited for.
func untilSecond(why string) string {
	if why == "" {
		return ""
	}
	return " It waits for a second person to confirm it."
}

// wasMade leads to a payout that the form had recorded before.
func wasMade(was []*pay.Payout) outcome {
	if len(was) == 0 {
		return outcome{}
	}
	p := was[0]
	return outcome{said: "This withdrawal was made at " + room.Moment(p.CreatedAt) + " UTC. It is not made again.", to: "payouts/" + p.ID.String()}
}

// passCode takes a code for this act alone, or a signature of the passkey of this login. Wrong says why it is none.
func (v *visit) passCode() (wrong string, err error) {
	from := v.panel.Visitors.Origin(v.Request)
	if v.session.PasskeyID.Valid {
		err = v.panel.desk.PassPasskey(v.Context(), v.Person, v.session, v.given("code"), from)
	} else {
		err = v.panel.desk.PassCode(v.Context(), v.Person.Email, v.given("code"), from)
	}
	switch {
	case errors.Is(err, login.ErrNoLogin) && v.session.PasskeyID.Valid:
		return notAccepted, nil
	case errors.Is(err, login.ErrNoLogin):
		return "The code is wrong or was used already. Wait for the next one.", nil
	case errors.Is(err, login.ErrTooOften), errors.Is(err, people.ErrLocked), errors.Is(err, people.ErrCopied):
		return "", people.Refusal(err.Error())
	}
	return "", err
}

func (v *visit) auditWithdrawal(n *pay.Withdrawal) error {
	return v.admin().Change(v.Context(), "person.withdraw", "merchant:"+v.Merchant.String(), func(*store.Store) (before, after any, err error) {
		return nil, map[string]any{"merchant_id": v.Merchant, "reference_id": pay.PanelReference(n.Form, n.Line), "network": n.Network, "token": n.Token,
			"wallet": n.Wallet, "memo": n.Memo, "amount": n.Amount, "fees_from_amount": n.FeesFrom}, nil
	})
}

// record records a withdrawal. An error that is no refusal leaves it open whether it was: the page then leads to the list, and offers
// the same form, which pays once.
func (v *visit) record(n *pay.Withdrawal) (outcome, error) {
	done, err := v.panel.Withdrawals.Record(v.Context(), []*pay.Withdrawal{n})
	if err == nil {
		err = done[0].Err
	}
	_, refused := refusal(err)
	switch {
	case err == nil:
		return outcome{said: "The withdrawal was recorded." + untilSecond(done[0].Second), to: "payouts/" + done[0].Payout.ID.String()}, nil
	case refused:
		return outcome{}, err
	case errors.Is(err, ErrDearer):
		return outcome{}, people.Refusal("the fees have changed meanwhile: begin again")
	}
	v.panel.Log.WithError(err).Error("a withdrawal may have been recorded")
	reference := pay.PanelReference(n.Form, n.Line)
	return outcome{show: &room.Page{Title: "It is not known whether this was recorded", Section: "Withdraw", Parts: []room.Part{
		{Mood: "bad", Note: "Do not begin another withdrawal: it would be paid as well. Look for the reference below among the payouts in a minute. " +
			"If it is there, the withdrawal was recorded.",
			Facts: []room.Fact{{Name: "Reference", Cell: room.Whole(reference)}, {Name: "To", Cell: room.Whole(n.Wallet)},
				{Name: "Amount", Cell: room.Text(n.Amount + " " + n.Token)}},
			Links: []room.Link{{Text: "Look for it among the payouts", Href: room.Query(Prefix+"payouts", "reference", reference)}}},
		{Heading: "If it is not there", Note: "Confirm this same form again. It is paid once, however often it is sent.",
			Forms: []room.Form{v.confirmForm(n, n.ShownAmount.Decimal.String(), n.ShownDebit.Decimal.String())}}}}}, nil
}
