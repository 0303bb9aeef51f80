package console

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"causeway/internal/ops/admin"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

// followed says how following a network goes; nil is one never followed.
func followed(f *store.FollowerVitals) cell {
	if f == nil {
		return pill("not started", "idle")
	}
	return pill(admin.Following(f))
}

// networks shows how each network's node answers, how far it is followed, under which rule, and what there is to pay with.
func networks(v *visit) (*page, error) {
	h, err := v.Health(v.Context())
	if err != nil {
		return nil, err
	}
	t := &table{Columns: []column{{Name: "Network"}, {Name: "Node"}, {Name: "Head", Right: true}, {Name: "Behind", Right: true},
		{Name: "Open payouts", Right: true},
		{Name: "Hot wallet"}, {Name: "Credits payins", Wide: true}},
		Here: v.URL.Path, CSV: v.URL.Path + "?format=csv", Empty: "This process has no networks."}
	stopped := &table{Columns: []column{{Name: "Network"}, {Name: "Why"}, {Name: ""}}}
	for _, n := range v.console.Networks {
		t.Rows = append(t.Rows, networkRow(n, h))
		stopped.Rows = append(stopped.Rows, stopsOf(v, n, h)...)
	}
	t.File = room.SheetOf(v.console.Networks, "network kind state problem head behind open_payouts rule hot_wallet",
		func(n *Network) []string { return networkLine(n, h) })
	out := &page{Title: "Networks", Section: "Networks", Live: true, List: t, Parts: []part{{Table: t}, hotWallets(h)}}
	if len(stopped.Rows) > 0 {
		out.Parts = append([]part{{Heading: "Needs a decision", Table: stopped}}, out.Parts...)
	}
	return out, nil
}

func networkRow(n Network, h *admin.Health) []cell {
	f := h.Network(n.Name)
	state, head, behind, rule := followed(f), text("–"), text("–"), text("–")
	if f != nil {
		state.Sub = cmp.Or(f.Problem, "checked "+admin.Span(f.AgeMS)+" ago")
		head, behind, rule = text(number(f.Head)), text(number(f.Lag())), text(cmp.Or(f.Rule, "–"))
	}
	open := text("0")
	for _, p := range h.Payouts {
		if p.Network == n.Name {
			open = cell{Text: number(p.Open), Sub: "oldest " + admin.Span(p.OldestMS), Href: query(Prefix+"payouts", "network", n.Name)}
		}
	}
	return []cell{{Text: n.Name, Sub: n.Kind}, state, head, behind, open, copied(n.Hot), rule}
}

// networkLine is a network in a file.
func networkLine(n *Network, h *admin.Health) []string {
	f := h.Network(n.Name)
	line := []string{n.Name, n.Kind, followed(f).Text, "", "", "", "0", "", n.Hot}
	if f != nil {
		copy(line[3:], []string{f.Problem, strconv.FormatInt(f.Head, 10), strconv.FormatInt(f.Lag(), 10)})
		line[7] = f.Rule
	}
	for _, p := range h.Payouts {
		if p.Network == n.Name {
			line[6] = strconv.FormatInt(p.Open, 10)
		}
	}
	return line
}

// stopsOf are the stops of a network, each with an admin's form to end it.
func stopsOf(v *visit, n Network, h *admin.Health) (rows [][]cell) {
	path, may := Prefix+"networks/"+url.PathEscape(n.Name), v.May(admin.RoleAdmin)
	if f := h.Network(n.Name); f != nil && f.Halted {
		hint := "certain to be on the chain now"
		if f.Deepest != nil {
			hint = "below " + strconv.FormatInt(*f.Deepest, 10)
		}
		row := []cell{text(n.Name), {Text: "Halted: " + cmp.Or(f.Problem, "no reason was noted"),
			Sub: "Resume it from a block that was followed and is still on the chain."}, {}}
		if may {
			row[2].Forms = []form{{Action: path + "/resume", Verb: "Resume", Danger: true,
				Fields:  []field{{Name: "from", Label: "From block, " + hint, Kind: "text", Required: true}},
				Confirm: "Take this block of " + n.Name + " as still on the chain, and read all blocks above it again? Everything seen in them is undone first."}}
		}
		rows = append(rows, row)
	}
	for _, stop := range h.StoppedWallets(n.Name) {
		why := fmt.Sprintf("Nothing is signed with %s: the chain has used nonces up to %d, our books know nonces up to %d", stop.Address,
			stop.Chain-1, stop.Ours-1)
		row := []cell{text(n.Name), {Text: why, Sub: "causeway reconcile shows what they were."}, {}}
		if stop.BrokenSeal != nil {
			row[1] = cell{Text: fmt.Sprintf("Nothing is signed with %s: payout %s is not what was asked for, its seal is broken", stop.Address, stop.BrokenSeal),
				Sub: "Restore or cancel it first. See docs/runbook.md, a payout that nobody asked for."}
		}
		if n.Hot != "" && !strings.EqualFold(stop.Address, n.Hot) {
			row[1].Sub = "This wallet belongs to a former seed. Once no process has that seed, causeway admin wallet forget removes this entry."
		} else if may {
			row[2].Forms = []form{{Action: path + "/resume-wallet", Verb: "Resume signing", Danger: true,
				Fields: []field{{Name: "unexplained", Label: "Unexplained nonces", Kind: "text", Value: "0", Required: true}},
				Confirm: "Let the hot wallet of " + n.Name +
					" sign again, starting at the chain's nonce? Payouts that the chain shows as paid are completed; other spends become a cost of the treasury."}}
		}
		rows = append(rows, row)
	}
	return rows
}
