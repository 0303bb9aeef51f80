package admin

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"causeway/internal/pay"
	"causeway/internal/store"
)

const (
	silentAfterMS = 60_000 // a follower without a report for so long is in doubt
	behindBlocks  = 20     // a lag of more is shown as behind
	lateBlocks    = 100    // and one of more is a trouble
	lateJobMS     = 60_000 // a job due for longer is a trouble

	notComparedMS = 300_000   // a network not comparable with the books for longer is a trouble
	goesOnMS      = 1_800_000 // and a network whose comparison does not end for longer

	mostDebts = 10 // so many owing accounts are named, those owing longest
)

// Trouble is a problem for a person to solve.
type Trouble struct {
	What string // a sentence
	Do   string // the next command; empty when there is none
	Page string // of the console, below its prefix; empty when there is none
}

// Following returns in one word how following a network goes, and its mood: good, warn, bad or idle.
func Following(f *store.FollowerVitals) (state, mood string) {
	switch {
	case f.Halted:
		return "halted", "bad"
	case f.Problem != "":
		return "failing", "bad"
	case f.AgeMS > silentAfterMS:
		return "silent", "warn"
	case f.Height == nil:
		return "starting", "idle"
	case f.Lag() > behindBlocks:
		return "behind", "warn"
	default:
		return "following", "good"
	}
}

// Troubles lists the problems for a person to solve, the worst first.
func (h *Health) Troubles() []Trouble {
	var out []Trouble
	for _, judge := range []func() []Trouble{h.stops, h.contrary, h.undone, h.differences, h.debts, h.prices, h.networks, h.short, h.untaken, h.unsigned,
		h.capped, h.approvals, h.lateJobs, h.leftOver} {
		out = append(out, judge()...)
	}
	return out
}

func (h *Health) stops() (out []Trouble) {
	for _, w := range h.Wallets {
		if w.BrokenSeal != nil {
			out = append(out, Trouble{
				What: fmt.Sprintf("Nothing is signed on %s with %s: payout %s is not what was asked for, its seal is broken.",
					w.Network, w.Address, w.BrokenSeal),
				Do:   "causeway admin payout show " + w.BrokenSeal.String(),
				Page: "payouts/" + w.BrokenSeal.String(),
			})
		}
		if w.BrokenSeal != nil && w.Chain == w.Ours {
			continue
		}
		out = append(out, Trouble{
			What: fmt.Sprintf("Nothing is signed on %s with %s: its chain has used the nonces up to %d, our books know nonces up to %d.",
				w.Network, w.Address, w.Chain-1, w.Ours-1),
			Do:   "causeway reconcile",
			Page: "networks",
		})
	}
	for _, a := range h.Assets {
		out = append(out, Trouble{
			What: "Payouts of " + a.Place() + " are stopped: " + a.Reason + ".",
			Do:   "causeway admin asset resume " + a.Asset + onNetwork(a.Network),
			Page: "reconcile",
		})
	}
	return out
}

// onNetwork returns the flag for a network, or "" for no name.
func onNetwork(name string) string {
	if name == "" {
		return ""
	}
	return " --network " + name
}

// contrary is about payouts decided otherwise by their network after their merchants were told of their end.
func (h *Health) contrary() (out []Trouble) {
	for _, c := range h.Contrary {
		if c.Arrived != nil {
			out = append(out, Trouble{
				What: fmt.Sprintf("Payout %s is open, and its payment %s on %s is final: %s %s of %s arrived. Complete or refund it.",
					c.Payout, c.Txid, c.Network, c.Arrived, c.Token, c.Amount),
				Do:   "causeway admin payout complete " + c.Payout.String(),
				Page: "payouts/" + c.Payout.String(),
			})
			continue
		}
		what := "and its network has paid it after all"
		if c.Status == pay.PayoutCompleted {
			what = "and its network has not paid it after all"
		}
		out = append(out, Trouble{
			What: fmt.Sprintf("Payout %s is %s, %s: what had ended it was undone, and %s on %s is final.",
				c.Payout, c.Status, what, c.Txid, c.Network),
			Do:   "causeway admin payout show " + c.Payout.String(),
			Page: "payouts/" + c.Payout.String(),
		})
	}
	if n := len(h.Contrary); n > 0 && h.Contrary[0].All > int64(n) {
		out = append(out, Trouble{
			What: fmt.Sprintf("%d earlier ones like these have not been dismissed either.", h.Contrary[0].All-int64(n)),
			Do:   "causeway admin payout dismiss REF",
		})
	}
	return out
}

// undone is about spends of hot wallets unknown to the books and later undone by their networks.
func (h *Health) undone() (out []Trouble) {
	for _, u := range h.Undone {
		t := Trouble{
			What: fmt.Sprintf("%s on %s is in no block any more: what it had spent of the hot wallet, %s %s, is booked.",
				u.Txid, u.Network, u.Amount, u.Token),
			Do:   "causeway reconcile",
			Page: "treasury",
		}
		if u.Decision == nil {
			t.What = fmt.Sprintf("%s on %s is in no block any more: it had spent %s %s of the hot wallet, and payouts of that token to %s wait.",
				u.Txid, u.Network, u.Amount, u.Token, u.Recipient)
			t.Do = fmt.Sprintf("causeway admin wallet dismiss %s %s, once it can never be mined again", u.Network, u.Txid)
		}
		out = append(out, t)
	}
	if n := len(h.Undone); n > 0 && h.Undone[0].All > int64(n) {
		out = append(out, Trouble{
			What: fmt.Sprintf("%d earlier ones like these have not been dismissed either.", h.Undone[0].All-int64(n)),
			Do:   "causeway admin wallet dismiss NETWORK TXID",
			Page: "treasury",
		})
	}
	return out
}

func (h *Health) differences() (out []Trouble) {
	if n := h.Report.Differences - h.Report.Surpluses; n > 0 {
		out = append(out, Trouble{
			What: fmt.Sprintf("Reconciliation found %d %s.", n, Plural(n, "difference")),
			Do:   "causeway reconcile",
			Page: "reconcile",
		})
	}
	if n := h.Report.Surpluses; n > 0 {
		out = append(out, Trouble{
			What: fmt.Sprintf("In %d %s a network holds more than the books say. Nothing is stopped because of that.", n, Plural(n, "place")),
			Do:   "causeway reconcile",
			Page: "reconcile",
		})
	}
	for i := range h.Looks {
		if l := &h.Looks[i]; uncompared(l) {
			why := cmp.Or(l.Unreached, "checking all its addresses did not finish")
			out = append(out, Trouble{
				What: "What " + l.Network + " holds has not been compared with the books for " + Span(l.AgeMS) + ": " + why + ".",
				Do:   "causeway reconcile",
				Page: "reconcile",
			})
		}
	}
	for _, c := range h.Covers {
		if c.Held.LessThan(c.Owed) {
			out = append(out, Trouble{
				What: "The networks hold less " + c.Asset + " than merchants are owed: " + c.Owed.Sub(c.Held).String() + " is missing.",
				Page: "treasury",
			})
		}
	}
	return out
}

// uncompared reports whether the last comparison of a network with the books is long ago.
func uncompared(l *store.LookVitals) bool {
	return l.AgeMS > goesOnMS || l.Unreached != "" && l.AgeMS > notComparedMS
}

// debts is about accounts with an available balance below zero (addendum §6).
func (h *Health) debts() (out []Trouble) {
	for _, d := range h.Debts {
		out = append(out, Trouble{
			What: fmt.Sprintf("%s owes %s %s, for %s: a reversal took what was spent. Payouts of it wait for approval.",
				d.Merchant, d.Owed, d.Asset, Span(d.AgeMS)),
			Do:   "causeway admin merchant show " + d.MerchantID.String(),
			Page: "merchants/" + d.MerchantID.String(),
		})
	}
	if n := len(h.Debts); n > 0 && h.Debts[0].All > int64(n) {
		out = append(out, Trouble{
			What: fmt.Sprintf("%d more %s.", h.Debts[0].All-int64(n), Plural(h.Debts[0].All-int64(n), "account owes", "accounts owe")),
			Page: "merchants",
		})
	}
	return out
}

func (h *Health) prices() (out []Trouble) {
	if len(h.Fixed) > 0 {
		out = append(out, Trouble{
			What: "Real money is converted at the sandbox's fixed prices (" + strings.Join(h.Fixed, ", ") + "): PRICE_SOURCES is not set.",
			Page: "prices",
		})
	}
	if n := len(h.Unpriced); n > 0 {
		what := fmt.Sprintf("There is no price for %d %s (%s): requests that need one are refused.", n, Plural(int64(n), "token"), first(h.Unpriced, 5))
		if h.PricesFail != "" {
			what += " The price sources could not be reached: " + h.PricesFail
		}
		out = append(out, Trouble{What: what, Page: "prices"})
	}
	return out
}

// first returns at most so many names, and "and others" for the rest.
func first(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + " and others"
}

func (h *Health) networks() (out []Trouble) {
	for i := range h.Networks {
		f := &h.Networks[i]
		if state, mood := Following(f); mood == "bad" {
			out = append(out, Trouble{
				What: f.Network + " is " + state + ": " + cmp.Or(f.Problem, "no reason was noted") + "." + held(f),
				Page: "networks",
			})
		} else if f.Lag() > lateBlocks {
			out = append(out, Trouble{
				What: fmt.Sprintf("%s is %d blocks behind, so payments there are seen late.", f.Network, f.Lag()) + held(f),
				Page: "networks",
			})
		} else if f.Held > 0 {
			out = append(out, Trouble{What: f.Network + " is " + state + "." + held(f), Page: "networks"})
		}
	}
	return out
}

// held says how many payins cannot fail until a network is followed; nothing when there are none.
func held(f *store.FollowerVitals) string {
	if f.Held == 0 {
		return ""
	}
	return fmt.Sprintf(" %d %s for it to be followed.", f.Held, Plural(f.Held, "expired payin waits", "expired payins wait"))
}

func (h *Health) untaken() (out []Trouble) {
	for _, u := range h.Untaken {
		out = append(out, Trouble{
			What: fmt.Sprintf("%d %s signed and not taken by %s, for %s: %s.",
				u.Payouts, Plural(u.Payouts, "payout is", "payouts are"), u.Network, Span(u.OldestMS), u.Reason),
			Do:   "causeway admin payout show " + u.Oldest.String(),
			Page: "payouts/" + u.Oldest.String(),
		})
	}
	return out
}

// unsigned is about an empty hot wallet and whatever else keeps payouts from being signed (addendum §7).
func (h *Health) unsigned() (out []Trouble) {
	for _, u := range h.Unsigned {
		out = append(out, Trouble{
			What: fmt.Sprintf("%d %s on %s cannot be signed, for %s: %s.",
				u.Payouts, Plural(u.Payouts, "payout"), u.Network, Span(u.OldestMS), u.Reason),
			Do:   "causeway admin payout show " + u.Oldest.String(),
			Page: "payouts/" + u.Oldest.String(),
		})
	}
	return out
}

func (h *Health) capped() (out []Trouble) {
	for _, c := range h.Capped {
		out = append(out, Trouble{
			What: fmt.Sprintf("%d %s %s, the first for %s.", c.Payouts, Plural(c.Payouts, "payout waits,", "payouts wait,"), c.Why, Span(c.OldestMS)),
			Do:   "causeway admin payout show " + c.Oldest.String(),
			Page: "payouts/" + c.Oldest.String(),
		})
	}
	return out
}

func (h *Health) approvals() (out []Trouble) {
	if n := h.Approvals.Payouts; n > 0 {
		out = append(out, Trouble{
			What: fmt.Sprintf("%d %s for approval, the first for %s.",
				n, Plural(n, "payout waits", "payouts wait"), Span(h.Approvals.OldestMS)),
			Do:   "causeway admin payout waiting",
			Page: "approvals",
		})
	}
	return out
}

func (h *Health) lateJobs() (out []Trouble) {
	for _, j := range h.Jobs {
		if j.OldestDueMS > lateJobMS {
			out = append(out, Trouble{What: "A " + j.Kind + " job has been due for " + Span(j.OldestDueMS) + ": is a worker serving its queue?"})
		}
	}
	return out
}

func (h *Health) leftOver() (out []Trouble) {
	if n := h.Waits.Unclaimed; n > 0 {
		out = append(out, Trouble{
			What: fmt.Sprintf("%d %s unclaimed.", n, Plural(n, "transfer is", "transfers are")),
			Do:   "causeway admin unclaimed list",
			Page: "unclaimed",
		})
	}
	if n := h.Waits.Unpriced; n > 0 {
		out = append(out, Trouble{
			What: fmt.Sprintf("This week %d %s %s credited in another token than the payin's, without a price, and so %s for nothing there. The newest belongs to payin %s.",
				n, Plural(n, "transfer"), Plural(n, "was", "were"), Plural(n, "counts", "count"), h.Waits.UnpricedPayin),
			Page: "payins/" + h.Waits.UnpricedPayin,
		})
	}
	if n := h.GivenUp.Messages; n > 0 {
		out = append(out, Trouble{What: fmt.Sprintf("%d %s to people could not be sent within a day: %s.", n, Plural(n, "message"), h.GivenUp.Why)})
	}
	return out
}

// Plural returns the word for one or for several; without a word for several, the first with an s.
func Plural(n int64, one string, several ...string) string {
	switch {
	case n == 1:
		return one
	case len(several) > 0:
		return several[0]
	default:
		return one + "s"
	}
}

// Span writes so many milliseconds in their largest unit or two.
func Span(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return strconv.Itoa(int(d/time.Second)) + " s"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + " min"
	case d < 2*day:
		return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
	default:
		return strconv.Itoa(int(d/day)) + " days"
	}
}
