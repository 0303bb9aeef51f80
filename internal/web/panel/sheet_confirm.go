package panel

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

// checkSheet makes every check of every line, and shows what the file comes to. It records nothing.
func checkSheet(v *visit) (outcome, error) {
	file, _, err := v.FormFile("file")
	if err != nil {
		return outcome{}, people.Refusal("no file was chosen")
	}
	defer func() { _ = file.Close() }()
	raw, err := io.ReadAll(io.LimitReader(file, largestFile+1))
	if err != nil {
		return outcome{}, err
	}
	sh, err := v.readSheet(room.Clean(string(raw)), uuid.Must(uuid.NewV7()))
	if err != nil {
		return outcome{}, err
	}
	would, err := v.rehearseSheet(sh, make([]*pay.Payout, len(sh.asked)))
	if err != nil {
		return outcome{}, err
	}
	return v.confirmSheet(sh, would, ""), nil
}

// rehearseSheet says what would become of each line. A line that was recorded before is as it was.
func (v *visit) rehearseSheet(sh *sheet, was []*pay.Payout) ([]Withdrawn, error) {
	out := make([]Withdrawn, len(sh.asked))
	var rest []*pay.Withdrawal
	var places []int
	for i := range sh.asked {
		switch {
		case was[i] != nil:
			out[i].Payout = was[i]
		case sh.wrong[i] != "":
			out[i].Err = people.Refusal(sh.wrong[i])
		default:
			rest, places = append(rest, sh.asked[i]), append(places, i)
		}
	}
	if len(rest) == 0 {
		return out, nil
	}
	would, err := v.panel.Withdrawals.Rehearse(v.Context(), rest)
	if err != nil {
		return nil, err
	}
	for i, place := range places {
		out[place] = would[i]
	}
	return out, nil
}

// withdrawSheet records the withdrawals of a file after one code. A form whose lines were all recorded shows them, and takes no code. Where
// one line is refused, nothing is recorded.
func withdrawSheet(v *visit) (outcome, error) {
	form := room.ID(v.given("form"))
	if form == uuid.Nil {
		return outcome{}, people.Refusal("this form has expired: begin again")
	}
	sh, err := v.readSheet(v.given("lines"), form)
	if err != nil {
		return outcome{}, err
	}
	if !sh.show(v.given("figures")) {
		return outcome{}, people.Refusal("this form has expired: begin again")
	}
	was, err := v.panel.Withdrawals.Made(v.Context(), sh.asked)
	if err != nil {
		return outcome{}, err
	}
	would, err := v.rehearseSheet(sh, was)
	if err != nil {
		return outcome{}, err
	}
	if !slices.Contains(was, nil) {
		return v.sheetResult(sh, would), nil
	}
	if slices.ContainsFunc(would, func(w Withdrawn) bool { return w.Err != nil }) {
		if slices.ContainsFunc(was, func(p *pay.Payout) bool { return p != nil }) {
			return v.sheetResult(sh, unrecorded(was, would)), nil
		}
		return v.confirmSheet(sh, would, "Nothing was recorded now: see the lines below."), nil
	}
	wrong, err := v.passCode()
	switch {
	case err != nil:
		return outcome{}, err
	case wrong != "":
		return v.confirmSheet(sh, would, wrong), nil
	}
	if err := v.auditSheet(sh, form); err != nil {
		return outcome{}, err
	}
	done, err := v.panel.Withdrawals.Record(v.Context(), sh.asked)
	if err != nil {
		return outcome{}, err
	}
	return v.sheetResult(sh, done), nil
}

// unrecorded are the lines of a form of which a part was recorded before: the others are not, whatever would become of them.
func unrecorded(was []*pay.Payout, would []Withdrawn) []Withdrawn {
	for i := range would {
		if was[i] == nil && would[i].Err == nil {
			would[i].Err = people.Refusal("not recorded yet")
		}
	}
	return would
}

func (v *visit) auditSheet(sh *sheet, form uuid.UUID) error {
	sum := sha256.Sum256([]byte(sh.text))
	return v.admin().Change(v.Context(), "person.withdraw-file", "merchant:"+v.Merchant.String(), func(*store.Store) (before, after any, err error) {
		return nil, map[string]any{"merchant_id": v.Merchant, "reference_id": pay.PanelReference(form, 0), "lines": len(sh.asked),
			"sha256": hex.EncodeToString(sum[:])}, nil
	})
}

// show puts the figures that a page has shown into the withdrawals; false when they are not those of the file.
func (sh *sheet) show(figures string) bool {
	each := strings.Split(figures, ",")
	if len(each) != len(sh.asked) {
		return false
	}
	for i, n := range sh.asked {
		amount, debit, _ := strings.Cut(each[i], "/")
		n.ShownAmount, n.ShownDebit = shown(amount), shown(debit)
		if !n.ShownAmount.Valid || !n.ShownDebit.Valid {
			return false
		}
	}
	return true
}

// figures is what show reads: what each line comes to now, or came to when it was shown.
func (sh *sheet) figures(found []Withdrawn) string {
	out := make([]string, len(found))
	for i, n := range sh.asked {
		amount, debit := n.ShownAmount.Decimal, n.ShownDebit.Decimal
		if p := found[i].Payout; p != nil {
			amount, debit = p.Amount, p.Debit
		}
		out[i] = amount.String() + "/" + debit.String()
	}
	return strings.Join(out, ",")
}

// confirmSheet is the page of a file that was checked: the lines that are refused, or the sums and the form to confirm them.
func (v *visit) confirmSheet(sh *sheet, would []Withdrawn, said string) outcome {
	refused, dear := 0, 0
	for _, w := range would {
		switch {
		case errors.Is(w.Err, ErrDearer):
			dear++
		case w.Err != nil:
			refused++
		}
	}
	made := &room.Page{Title: "Confirm the withdrawals", Section: "Withdraw", Up: &room.Link{Text: "Withdraw by a file", Href: Prefix + "withdraw/sheet"}}
	if dear > 0 {
		said = dearer
	}
	if said != "" {
		made.Parts = append(made.Parts, room.Part{Note: said, Mood: "bad"})
	}
	if refused > 0 {
		made.Parts = append(made.Parts, room.Part{Mood: "bad", Note: fmt.Sprintf("%d of %d lines are refused. Mend the file, and check it again.", refused, len(would))})
	} else {
		made.Parts = append(made.Parts, room.Part{Heading: "Sums", Table: sumsTable(would)}, room.Part{
			Note:  "Payouts that were sent cannot be called back. All lines are recorded with one code.",
			Forms: []room.Form{v.sheetForm(sh, sh.figures(would))}})
	}
	if why := secondAmong(would); why != "" {
		made.Parts = append(made.Parts, secondNote(why))
	}
	if twice := sh.twice(); twice != "" {
		made.Parts = append(made.Parts, room.Part{Mood: "warn", Note: "Some lines are the same, and each is paid: " + twice + "."})
	}
	lines := v.linesTable(sh, would, false)
	if refused > 0 {
		lines.Rows = slices.DeleteFunc(lines.Rows, func(row []room.Cell) bool { return row[stateAt].Text == fits })
	}
	made.Parts = append(made.Parts, room.Part{Heading: "Lines", Table: lines})
	return outcome{show: made}
}

// sheetForm sends the file again with what was shown.
func (v *visit) sheetForm(sh *sheet, figures string) room.Form {
	return room.Form{Action: Prefix + "withdraw/sheet", Verb: "Withdraw", Danger: true, Back: Prefix + "withdraw/sheet", Fields: []room.Field{
		{Name: "form", Kind: "hidden", Value: sh.asked[0].Form.String()}, {Name: "figures", Kind: "hidden", Value: figures},
		{Name: "lines", Kind: "hidden", Value: sh.text}, v.codeField("code")}}
}

// twice names the first lines that repeat an earlier one.
func (sh *sheet) twice() string {
	const most = 5
	seen, out := map[pay.Withdrawal]int{}, []string{}
	for i, n := range sh.asked {
		same := *n
		same.Line, same.ShownAmount, same.ShownDebit = 0, decimal.NullDecimal{}, decimal.NullDecimal{}
		if earlier, is := seen[same]; is && len(out) < most {
			out = append(out, fmt.Sprintf("%d and %d", earlier, sh.at[i]))
		}
		seen[same] = sh.at[i]
	}
	return strings.Join(out, ", ")
}

// sumsTable adds the lines up by token.
func sumsTable(would []Withdrawn) *room.Table {
	type sum struct {
		lines         int
		amount, debit decimal.Decimal
		token, asset  string
	}
	sums := map[string]*sum{}
	for _, w := range would {
		p, key := w.Payout, w.Payout.Token+" "+w.Payout.Asset
		if sums[key] == nil {
			sums[key] = &sum{token: p.Token, asset: p.Asset}
		}
		s := sums[key]
		s.lines, s.amount, s.debit = s.lines+1, s.amount.Add(p.Amount), s.debit.Add(p.Debit)
	}
	t := &room.Table{Columns: []room.Column{{Name: "Token"}, {Name: "Lines", Right: true}, {Name: "Recipients get", Right: true}, {Name: "Fees", Right: true},
		{Name: "Taken from your balance", Right: true}}}
	for _, key := range sorted(sums) {
		s := sums[key]
		t.Rows = append(t.Rows, []room.Cell{room.Text(s.token), room.Text(strconv.Itoa(s.lines)), room.Money(s.amount, s.token),
			room.Money(s.debit.Sub(s.amount), s.token), room.Money(s.debit, s.asset)})
	}
	return t
}

// fits is the state of a line that would be recorded, and stateAt is its place in a row of linesTable.
const (
	fits    = "fits"
	stateAt = 1
)

// linesTable lists the lines of a file, and what becomes of each.
func (v *visit) linesTable(sh *sheet, found []Withdrawn, recorded bool) *room.Table {
	t := &room.Table{Columns: []room.Column{{Name: "Line", Right: true}, {Name: "State"}, {Name: "Amount", Right: true}, {Name: "Network"}, {Name: "Address"},
		{Name: "Taken", Right: true, Wide: true}}}
	for i, n := range sh.asked {
		state, taken := room.Pill(fits, "good"), room.Text("–")
		if p := found[i].Payout; p != nil {
			taken = room.Money(p.Debit, p.Asset)
			if recorded && found[i].Err == nil {
				state = room.Cell{Text: "recorded", Href: Prefix + "payouts/" + p.ID.String()}
			}
		}
		why, refused := refusal(found[i].Err)
		switch {
		case refused:
			state = room.Pill("refused", "bad")
			state.Sub = why
		case errors.Is(found[i].Err, ErrDearer):
			state = room.Pill("dearer", "warn")
		case found[i].Err != nil:
			state = room.Pill("not known", "bad")
		}
		t.Rows = append(t.Rows, []room.Cell{room.Text(strconv.Itoa(sh.at[i])), state, room.Text(room.Cut(n.Amount + " " + n.Token)), room.Text(room.Cut(n.Network)),
			room.Whole(n.Wallet), taken})
	}
	return t
}

// sheetResult is the page of a file that was recorded, or was before. Where a line is not, the same form can be sent again: what is
// recorded is not paid again.
func (v *visit) sheetResult(sh *sheet, done []Withdrawn) outcome {
	recorded := 0
	for i, w := range done {
		if w.Err == nil {
			recorded++
		} else if _, refused := refusal(w.Err); !refused && !errors.Is(w.Err, ErrDearer) {
			v.panel.Log.WithError(w.Err).WithField("line", sh.at[i]).Error("a withdrawal may have been recorded")
		}
	}
	made := &room.Page{Title: "Withdrawals of the file", Section: "Withdraw", Up: &room.Link{Text: "Payouts", Href: Prefix + "payouts"}}
	first := room.Part{Mood: "good", Note: fmt.Sprintf("All %d lines are recorded. Sending this form again records nothing more.", len(done)) + untilSecond(secondAmong(done))}
	if recorded < len(done) {
		first = room.Part{Mood: "bad", Note: fmt.Sprintf("%d of %d lines are recorded. Do not begin again with these lines in another file: they would be paid twice. "+
			"Confirm this same form again: it records the other lines only.", recorded, len(done)), Forms: []room.Form{v.sheetForm(sh, sh.figures(done))}}
	}
	made.Parts = []room.Part{first, {Heading: "Lines", Table: v.linesTable(sh, done, true)}}
	return outcome{show: made}
}
