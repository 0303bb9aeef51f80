package panel

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/people"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

// seconds lists the withdrawals that wait for a second person by their forms, and has the rule.
func seconds(v *visit) (*room.Page, error) {
	found, err := v.panel.Store.WaitingSeconds(v.Context(), v.Merchant)
	if err != nil {
		return nil, err
	}
	rules, err := v.panel.Store.SecondRules(v.Context(), v.Merchant)
	if err != nil {
		return nil, err
	}
	t := &room.Table{Columns: []room.Column{{Name: "Made"}, {Name: "Withdrawals", Right: true}, {Name: "Taken from your balance", Right: true}, {Name: "By"}, {Name: "Why", Wide: true},
		{Name: "Cancelled at"}}, Empty: "Nothing waits for a second person."}
	for _, of := range byForm(found) {
		first, made := of[0], room.When(of[0].AskedAt)
		made.Href = Prefix + "confirm/" + first.Form.String()
		t.Rows = append(t.Rows, []room.Cell{made, room.Text(strconv.Itoa(len(of))), room.Text(debitsOf(of)), room.Text(first.MadeBy), room.Text(first.Why), room.When(first.EndsAt)})
	}
	rule, err := secondRulePart(v, rules)
	return &room.Page{Title: "Withdrawals to confirm", Section: "To confirm", Parts: []room.Part{
		{Note: "A withdrawal above the amount of the rule is sent once another owner or finance person has confirmed it.", Table: t}, rule}}, err
}

// byForm groups withdrawals by their forms, in their order.
func byForm(found []store.SecondPayout) (out [][]store.SecondPayout) {
	at := map[uuid.UUID]int{}
	for _, p := range found {
		place, seen := at[p.Form]
		if !seen {
			place, at[p.Form], out = len(out), len(out), append(out, nil)
		}
		out[place] = append(out[place], p)
	}
	return out
}

// debitsOf adds up what withdrawals take, by asset.
func debitsOf(of []store.SecondPayout) (text string) {
	sums := map[string]decimal.Decimal{}
	for i := range of {
		sums[of[i].Asset] = sums[of[i].Asset].Add(of[i].Debit)
	}
	for i, asset := range sorted(sums) {
		if i > 0 {
			text += ", "
		}
		text += room.Money(sums[asset], asset).Text
	}
	return text
}

// secondRulePart shows the rules that hold, with the acts of an owner.
func secondRulePart(v *visit, rules []store.SecondRule) (room.Part, error) {
	out := room.Part{Heading: "Rule", Note: "One person is enough for every withdrawal."}
	stays, told := false, []string{}
	for _, r := range rules {
		text := "Withdrawals worth more than " + room.Money(r.Above, r.Fiat).Text + " need a second person"
		if stays = stays || r.EndsAt == nil; r.EndsAt != nil {
			text += " until " + room.Moment(*r.EndsAt) + " UTC"
		}
		told = append(told, text+".")
	}
	if len(told) > 0 {
		out.Note, out.Mood = strings.Join(told, " "), "good"
	}
	if !v.May(people.People) {
		return out, nil
	}
	cat, err := v.panel.Store.Catalogue(v.Context())
	if err != nil {
		return out, err
	}
	fiat := room.Field{Name: "fiat", Label: "Currency", Kind: "select"}
	for i := range cat.Fiats {
		fiat.Options = append(fiat.Options, room.Option{Value: cat.Fiats[i].Code, Text: cat.Fiats[i].Code})
	}
	out.Forms = []room.Form{{Action: Prefix + "confirm/rule", Verb: "Set the rule", Note: "It holds at once. The rule before it holds for a day more.",
		Fields: []room.Field{{Name: "above", Label: "Worth more than", Kind: "text", Required: true}, fiat}}}
	if stays {
		out.Forms = append(out.Forms, room.Form{Action: Prefix + "confirm/rule", Verb: "Lift the rule", Danger: true, Note: "It holds for a day more."})
	}
	return out, nil
}

// setSecondRule is an owner's.
func setSecondRule(v *visit) (outcome, error) {
	said := "The rule holds from now on."
	if v.given("above") == "" {
		said = "The rule ends in a day."
	}
	return outcome{said: said, to: "confirm"}, v.admin().SetSecondRule(v.Context(), v.Merchant, v.given("above"), v.given("fiat"))
}

// waitingForm reads the withdrawals of a form, and those of them that wait. It is errNoPage for a form of nobody, or of another merchant.
func (v *visit) waitingForm() (all, waiting []store.SecondPayout, err error) {
	all, err = v.panel.Store.SecondsOfForm(v.Context(), v.Merchant, room.ID(v.PathValue("form")))
	if err == nil && len(all) == 0 {
		err = errNoPage
	}
	for i := range all {
		if all[i].Waits {
			waiting = append(waiting, all[i])
		}
	}
	return all, waiting, err
}

// second shows the withdrawals of a form, and lets a second person confirm those that wait.
func second(v *visit) (*room.Page, error) { return v.secondPage("") }

func (v *visit) secondPage(wrong string) (*room.Page, error) {
	all, waiting, err := v.waitingForm()
	if err != nil {
		return nil, err
	}
	made := &room.Page{Title: "Confirm withdrawals", Section: "To confirm", Up: &room.Link{Text: "Withdrawals to confirm", Href: Prefix + "confirm"}}
	if wrong != "" {
		made.Parts = []room.Part{{Note: wrong, Mood: "bad"}}
	}
	first := room.Part{Facts: []room.Fact{{Name: "Made by", Cell: room.Text(all[0].MadeBy)}, {Name: "Made", Cell: room.When(all[0].AskedAt)},
		{Name: "Why", Cell: room.Text(all[0].Why)}, {Name: "Wait", Cell: room.Text(fmt.Sprintf("%d of %d", len(waiting), len(all)))}}}
	if len(waiting) > 0 {
		first.Facts = append(first.Facts, room.Fact{Name: "Taken from your balance", Cell: room.Text(debitsOf(waiting))},
			room.Fact{Name: "Cancelled at", Cell: room.When(waiting[0].EndsAt)})
	}
	made.Parts = append(made.Parts, first, room.Part{Heading: "Withdrawals", Table: secondTable(all)})
	if len(waiting) > 0 { // below what is confirmed
		note, forms := v.secondForms(waiting)
		made.Parts = append(made.Parts, room.Part{Note: note, Forms: forms})
	}
	return made, nil
}

// secondForms are what a person may do with withdrawals that wait, and why not more.
func (v *visit) secondForms(waiting []store.SecondPayout) (note string, forms []room.Form) {
	if !v.May(people.Withdraw) {
		return "Your role cannot confirm withdrawals.", nil
	}
	at := Prefix + "confirm/" + waiting[0].Form.String()
	decline := room.Form{Action: at + "/decline", Verb: "Decline", Danger: true, Confirm: "Decline these withdrawals? Your balance gets the money back."}
	if waiting[0].MadeBy == v.Person.Email {
		return "You made this: another person confirms it.", []room.Form{decline}
	}
	return "A payout that was sent cannot be called back.", []room.Form{{Action: at, Verb: "Confirm", Fields: []room.Field{
		{Name: "shown", Kind: "hidden", Value: shownOf(waiting)}, v.codeField("code")}}, decline}
}

func secondTable(all []store.SecondPayout) *room.Table {
	t := &room.Table{Columns: []room.Column{{Name: "State"}, {Name: "Recipient gets", Right: true}, {Name: "Taken", Right: true}, {Name: "Network"}, {Name: "To"}, {Name: "Memo", Wide: true}}}
	for i := range all {
		p := &all[i]
		t.Rows = append(t.Rows, []room.Cell{secondState(p), room.Money(p.Amount, p.Token), room.Money(p.Debit, p.Asset), room.Text(p.Network), room.Whole(p.Wallet),
			room.Text(room.Or(p.Memo, ""))})
	}
	return t
}

// secondState says whether a withdrawal waits, and leads to it.
func secondState(p *store.SecondPayout) room.Cell {
	out := payoutState(&p.Payout, false)
	switch {
	case p.Waits:
		out = room.Pill("to be confirmed", "warn")
	case p.ConfirmedBy != nil:
		out.Sub = "confirmed by " + *p.ConfirmedBy
	}
	out.Href = Prefix + "payouts/" + p.ID.String()
	return out
}

// shownOf is a mark of withdrawals as they were shown: what is confirmed is these, and nothing beside them.
func shownOf(waiting []store.SecondPayout) string {
	h := sha256.New()
	for i := range waiting {
		_, _ = h.Write(waiting[i].ID[:])
		_, _ = h.Write(waiting[i].Seal)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// confirmSecond confirms the withdrawals of a form after a code of its own. All that was shown is confirmed, or nothing.
func confirmSecond(v *visit) (outcome, error) {
	_, waiting, err := v.waitingForm()
	switch {
	case err != nil:
		return outcome{}, err
	case len(waiting) == 0:
		return outcome{}, people.Refusal("nothing of it waits any more")
	case waiting[0].MadeBy == v.Person.Email:
		return outcome{}, people.Refusal("you made this: another person confirms it")
	case v.given("shown") != shownOf(waiting):
		return outcome{}, people.Refusal("this has changed since you opened it: check it again")
	}
	ids := make([]uuid.UUID, len(waiting))
	for i := range waiting {
		ids[i] = waiting[i].ID
		if err := v.panel.Withdrawals.Allowed(v.Context(), &waiting[i].Payout); err != nil {
			return outcome{}, err
		}
	}
	wrong, err := v.passCode()
	if err != nil {
		return outcome{}, err
	}
	if wrong != "" {
		made, err := v.secondPage(wrong)
		return outcome{show: made}, err
	}
	err = v.admin().ConfirmWithdrawals(v.Context(), v.Merchant, waiting[0].Form, v.Person.Email, people.RolesFor(people.Withdraw), ids)
	return outcome{said: "Confirmed. It is sent now, unless a limit of the operator holds it.", to: "confirm"}, err
}

// declineSecond cancels the withdrawals of a form that wait.
func declineSecond(v *visit) (outcome, error) {
	_, waiting, err := v.waitingForm()
	if err != nil {
		return outcome{}, err
	}
	ids := make([]uuid.UUID, len(waiting))
	for i := range waiting {
		ids[i] = waiting[i].ID
	}
	return outcome{said: "Declined. Your balance gets the money back.", to: "confirm"},
		v.admin().DeclineWithdrawals(v.Context(), v.Merchant, room.ID(v.PathValue("form")), ids)
}
