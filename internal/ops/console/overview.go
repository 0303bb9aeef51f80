package console

import (
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/lists"
	"causeway/internal/ops/admin"
)

// overview is the first page: amounts held and owed, movements, and problems for a person.
func overview(v *visit) (*page, error) {
	h, err := v.Health(v.Context(), v.console.Live...)
	if err != nil {
		return nil, err
	}
	b, err := readHoldings(v)
	if err != nil {
		return nil, err
	}
	out := &page{Title: "Overview", Section: "Overview", Live: true}
	for _, add := range []func(*visit, *page, *admin.Health, *holdings) error{
		troublesPart, figuresPart, chartsPart, plotsPart, coverPart, volumePart, receiversPart, networksPart,
	} {
		if err := add(v, out, h, b); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// troublesPart lists the problems for a person, the worst first.
func troublesPart(_ *visit, out *page, h *admin.Health, _ *holdings) error {
	if found := h.Troubles(); len(found) > 0 {
		out.Parts = append(out.Parts, part{Note: "Needs attention", Mood: "bad", Troubles: found})
	}
	return nil
}

func figuresPart(v *visit, out *page, h *admin.Health, b *holdings) error {
	counts, err := v.waits(v.Context())
	if err != nil {
		return err
	}
	var owed decimal.Decimal
	for _, c := range b.covers {
		owed = owed.Add(c.Owed.Mul(b.usd[c.Asset]))
	}
	differences := figure{Value: "–", Label: "not reconciled yet", Href: Prefix + "reconcile"}
	if h.Reconciled {
		differences.Value, differences.Label = number(h.Report.Differences),
			admin.Plural(h.Report.Differences, "difference")+", "+admin.Span(h.Report.AgeMS)+" ago"
		differences.Mood = moodOf(h.Report.Differences)
	}
	out.Parts = append(out.Parts, part{Figures: []figure{
		{Value: dollars(owed), Label: "owed to merchants", Href: Prefix + "treasury"},
		differences,
		{Value: number(counts.Approvals), Label: admin.Plural(counts.Approvals, "payout waits", "payouts wait") + " for approval",
			Href: Prefix + "approvals", Mood: moodOf(counts.Approvals)},
		{Value: number(counts.Unclaimed), Label: admin.Plural(counts.Unclaimed, "unclaimed transfer"), Href: Prefix + "unclaimed",
			Mood: moodOf(counts.Unclaimed)},
		{Value: number(h.Open()), Label: admin.Plural(h.Open(), "open payout"), Href: Prefix + "payouts"},
		{Value: number(h.Waits.Deliveries), Label: admin.Plural(h.Waits.Deliveries, "webhook") + " to deliver",
			Href: Prefix + "webhooks?status=pending"},
	}})
	return nil
}

func moodOf(n int64) string {
	if n > 0 {
		return "warn"
	}
	return ""
}

// mostPlaces is how many networks are named beside an asset; the treasury's page has them all.
const mostPlaces = 3

// mostAssets is how many assets the overview compares.
const mostAssets = 8

// coverPart compares, by asset, the amount on the networks with the amount owed to merchants.
func coverPart(_ *visit, out *page, _ *admin.Health, b *holdings) error {
	t := &table{Columns: []column{{Name: "Asset"}, {Name: "On networks", Right: true}, {Name: "Owed to merchants", Right: true},
		{Name: "Surplus", Right: true}, {Name: "By network", Wide: true}},
		Empty: "No money has arrived yet. It comes with the first payin."}
	for i, c := range b.byOwed() {
		if i == mostAssets {
			break
		}
		over := cell{Text: grouped(c.Held.Sub(c.Owed)), Sub: b.worth(c.Asset, c.Held.Sub(c.Owed))}
		if c.Held.LessThan(c.Owed) {
			over.Mood = "bad"
		}
		t.Rows = append(t.Rows, []cell{text(c.Asset), {Text: grouped(c.Held), Sub: b.worth(c.Asset, c.Held)},
			{Text: grouped(c.Owed), Sub: b.worth(c.Asset, c.Owed)}, over, b.where(c.Asset)})
	}
	note := "Assets that merchants are owed most of come first. The treasury page lists every asset and network."
	out.Parts = append(out.Parts, part{Heading: "Held and owed", Note: note, Table: t})
	return nil
}

// where names the networks holding an asset.
func (b *holdings) where(asset string) cell {
	var where []string
	for _, p := range b.places {
		if p.asset == asset {
			where = append(where, p.network+" "+grouped(p.amount))
		}
	}
	if len(where) > mostPlaces {
		where = []string{strconv.Itoa(len(where)) + " networks"}
	}
	return to(strings.Join(where, ", "), "treasury")
}

func volumePart(v *visit, out *page, _ *admin.Health, _ *holdings) error {
	found, err := lists.Volumes(v.Context(), v.Store, time.Now().Add(-24*time.Hour))
	if err != nil {
		return err
	}
	t := &table{Columns: []column{{Name: "Event"}, {Name: "Count", Right: true}, {Name: "Amount", Right: true}, {Name: "Value", Right: true}},
		Empty: "Nothing in the last 24 hours."}
	for _, m := range found {
		worth := "no price"
		if m.USD.Valid {
			worth = dollars(m.USD.Decimal)
		}
		t.Rows = append(t.Rows, []cell{text(m.List), text(number(m.N)), money(m.Amount, m.Token), text(worth)})
	}
	out.Parts = append(out.Parts, part{Heading: "Last 24 hours", Table: t, Half: true})
	return nil
}

func receiversPart(v *visit, out *page, _ *admin.Health, _ *holdings) error {
	const most = 8
	found, err := v.Store.FailingReceivers(v.Context(), time.Now(), uuid.Nil, most)
	if err != nil {
		return err
	}
	t := &table{Columns: []column{{Name: "Receiver"}, {Name: "Waiting", Right: true}, {Name: "Given up", Right: true}, {Name: "Last answer"}},
		Empty: "All receivers accept their webhooks."}
	for _, r := range found {
		t.Rows = append(t.Rows, []cell{{Text: r.Host, Sub: "since " + when(r.Oldest).Text}, text(number(r.Waiting)),
			text(number(r.Exhausted)), text(r.Last)})
	}
	out.Parts = append(out.Parts, part{Heading: "Failing receivers", Table: t, Half: true})
	return nil
}

func networksPart(_ *visit, out *page, h *admin.Health, _ *holdings) error {
	t := &table{Columns: []column{{Name: "Network"}, {Name: "State"}, {Name: "Behind", Right: true}},
		Empty: "All networks are followed."}
	for i := range h.Networks {
		if f := &h.Networks[i]; followed(f).Mood != "good" {
			t.Rows = append(t.Rows, []cell{to(f.Network, "networks"), followed(f), text(number(f.Lag()))})
		}
	}
	out.Parts = append(out.Parts, part{Heading: "Networks that are behind", Table: t})
	return nil
}
