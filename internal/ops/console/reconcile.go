package console

import (
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

// reconcile shows the result of the newest reconciliation, and the stops.
func reconcile(v *visit) (*page, error) {
	last, ran, err := v.Store.ReportVitals(v.Context())
	if err != nil {
		return nil, err
	}
	found, err := v.Store.LastReport(v.Context())
	if err != nil {
		return nil, err
	}
	assets, err := v.Assets(v.Context())
	if err != nil {
		return nil, err
	}
	out := &page{Title: "Reconcile", Section: "Reconcile", Live: true}
	head := part{Note: "Reconciliation has not run yet. It runs every 30 s while a scheduler and a worker of the upkeep queue are running.", Mood: "warn"}
	if ran && last.Differences == 0 {
		head = part{Note: "Ledger, payouts, jobs and networks agree. Checked " + admin.Span(last.AgeMS) + " ago.", Mood: "good"}
	} else if ran && last.Differences == last.Surpluses {
		head = part{Note: "In " + number(last.Surpluses) + " " + admin.Plural(last.Surpluses, "place") + ", a network holds more than the books say. Checked " + admin.Span(last.AgeMS) +
			" ago. It may be a payment that was missed: find out whose it is. Payouts continue.", Mood: "warn"}
	} else if ran {
		head = part{Note: number(last.Differences) + " " + admin.Plural(last.Differences, "difference") + ", found " + admin.Span(last.AgeMS) +
			" ago. Payouts of these assets are not signed until the cause is fixed and they are resumed here.", Mood: "bad"}
	}
	looks, err := v.Store.LookVitals(v.Context())
	if err != nil {
		return nil, err
	}
	t := &table{Columns: []column{{Name: "Rule"}, {Name: "Where"}, {Name: "Asset"}, {Name: "Expected", Right: true}, {Name: "Found", Right: true}},
		Here: v.URL.Path, CSV: v.URL.Path + "?format=csv", Empty: "No differences."}
	for _, d := range found {
		t.Rows = append(t.Rows, []cell{text(d.Check), text(d.Where), text(d.Asset), text(d.Want), text(d.Got)})
	}
	t.File = room.SheetOf(found, "check where asset want got", func(d *store.Difference) []string {
		return []string{d.Check, d.Where, d.Asset, d.Want, d.Got}
	})
	out.List = t
	out.Parts = []part{head, {Heading: "Differences", Table: t}, looksPart(looks), assetsPart(v, assets)}
	return out, nil
}

// looksPart shows when each network was last compared with the books, whole.
func looksPart(looks []store.LookVitals) part {
	t := &table{Columns: []column{{Name: "Network"}, {Name: "Compared"}, {Name: "Why not since"}}, Empty: "No network is followed yet."}
	for _, l := range looks {
		when := admin.Span(l.AgeMS) + " ago"
		if l.Never {
			when = "never"
		}
		t.Rows = append(t.Rows, []cell{text(l.Network), text(when), text(l.Unreached)})
	}
	return part{Heading: "Networks", Table: t}
}

// assetsPart shows the stopped assets, and stops another one.
func assetsPart(v *visit, assets []admin.Asset) part {
	t := &table{Columns: []column{{Name: "Asset"}, {Name: "Network"}, {Name: "Payouts"}, {Name: "Why"}, {Name: "Since"}, {Name: ""}},
		Empty: "Nothing is stopped. Payouts of every asset are signed."}
	pick := field{Name: "asset", Label: "Asset", Kind: "select"}
	for _, a := range assets {
		if len(a.Stops) == 0 || a.Stops[0].Network != "" { // else it is stopped everywhere
			pick.Options = append(pick.Options, option{Value: a.Asset, Text: a.Asset})
		}
		for _, stop := range a.Stops {
			t.Rows = append(t.Rows, stopRow(v, a.Asset, stop))
		}
	}
	out := part{Heading: "Stopped assets", Table: t}
	if v.May(admin.RoleAdmin) {
		out.Forms = []form{{Action: Prefix + "assets/stop", Verb: "Stop payouts", Danger: true,
			Note: "They stay pending until they are resumed.", Confirm: "Stop payouts of this asset?",
			Fields: []field{pick, networksField(), {Name: "reason", Label: "Reason", Kind: "text", Required: true}}}}
	}
	return out
}

// stopRow shows one stop of an asset, with the act to end it.
func stopRow(v *visit, asset string, stop admin.AssetStop) []cell {
	on, of := "every network", asset
	if stop.Network != "" {
		on, of = stop.Network, asset+" on "+stop.Network
	}
	row := []cell{text(asset), text(on), pill("stopped", "bad"), text(stop.Reason), whenOr(&stop.At, "–"), {}}
	if v.May(admin.RoleAdmin) {
		row[5] = cell{Forms: []form{{Action: Prefix + "assets/" + asset + "/resume", Verb: "Resume", Confirm: "Let payouts of " + of + " be signed again?",
			Fields: []field{{Name: "network", Kind: "hidden", Value: stop.Network}}}}}
	}
	return row
}

// networksField picks one network, or all of them.
func networksField() field {
	out := field{Name: "network", Label: "Network", Kind: "select", Options: []option{{Value: "", Text: "every network"}}}
	for i := range pay.Networks {
		out.Options = append(out.Options, option{Value: pay.Networks[i].Name, Text: pay.Networks[i].Name})
	}
	return out
}
