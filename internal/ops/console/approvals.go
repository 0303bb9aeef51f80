package console

import (
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

// approvals lists the payouts waiting for an operator, longest first.
func approvals(v *visit) (*page, error) {
	found, err := v.Store.WaitingPayouts(v.Context(), id(v.Below()), v.Limit())
	if err != nil {
		return nil, err
	}
	found, rest := fitting(v, found, func(p *store.WaitingPayout) string { return p.ID.String() })
	t := v.Paged([]column{{Name: "Waiting since"}, {Name: "Amount", Right: true}, {Name: "Network"}, {Name: "To"}, {Name: "Merchant"},
		{Name: "Reference", Wide: true}, {Name: "Why"}, {Name: ""}}, nil, rest)
	t.Empty = "No payout is waiting. A payout waits when its merchant is suspended, when it is above one of the merchant's limits, or when the merchant's account has a debt. The merchant's page shows all three."
	for i := range found {
		p := &found[i]
		asked, path := when(p.AskedAt), "payouts/"+p.ID.String()
		asked.Href = Prefix + path
		row := []cell{asked, money(p.Amount, p.Token), text(p.Network), copied(p.Wallet), to(p.Merchant, "merchants/"+p.MerchantID.String()),
			text(p.ReferenceID), {Text: p.Why, Sub: strings.TrimSpace(sentence(debt(p.Owes, p.Asset)) + sentence(twoPeople(p.TwoPeople, p.FirstBy)))}, {}}
		if v.May(admin.RoleOperator) {
			var forms []form
			if mayApprove(v, p.TwoPeople, p.FirstBy) {
				forms = append(forms, form{Action: Prefix + path + "/approve", Verb: "Approve", Fields: sealOf(&p.Payout),
					Confirm: approving(&p.Payout, p.Owes, p.TwoPeople, p.FirstBy)})
			}
			row[7] = cell{Forms: append(forms, form{Action: Prefix + path + "/decline", Verb: "Decline", Danger: true,
				Confirm: "Decline this payout? The merchant gets the debit back."})}
		}
		t.Rows = append(t.Rows, row)
	}
	t.File = room.SheetOf(found, "waits_since_utc internal_reference merchant_id merchant reference_id network token amount debit wallet why owes two_people first_by",
		func(p *store.WaitingPayout) []string {
			return []string{moment(p.AskedAt), p.ID.String(), p.MerchantID.String(), p.Merchant, p.ReferenceID, p.Network, p.Token, p.Amount.String(),
				p.Debit.String(), p.Wallet, p.Why, plain(p.Owes), strconv.FormatBool(p.TwoPeople), or(p.FirstBy, "")}
		})
	return &page{Title: "Approvals", Section: "Approvals", List: t,
		Parts: []part{{Note: "A payout needs approval when it is above one of its merchant's limits, when the merchant is suspended, or when the merchant's account has a debt. " +
			"Two people must approve payouts above the amount set by `causeway admin limit two-people`. " +
			"The merchant sees them as pending.", Table: t}}}, nil
}

// debt says how much an account owes of an asset; "" when it owes nothing.
func debt(owes decimal.NullDecimal, asset string) string {
	if !owes.Valid {
		return ""
	}
	return "The account owes " + money(owes.Decimal, asset).Text
}

// sentence is a text as a sentence behind another one; nothing stays nothing.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return " " + text + "."
}

// twoPeople says whether two people approve a payout, and names the first; "" when one is enough.
func twoPeople(two bool, first *string) string {
	switch {
	case !two:
		return ""
	case first == nil:
		return "Two people must approve it"
	default:
		return "Two people must approve it, and " + *first + " has"
	}
}

// mayApprove reports whether a payout waits for this operator: the first of two people is not the second.
func mayApprove(v *visit, two bool, first *string) bool {
	return !two || first == nil || !strings.EqualFold(*first, v.Name)
}

// approving asks whether to approve a payout, and adds its account's debt and whether two people approve it.
func approving(p *pay.Payout, owes decimal.NullDecimal, two bool, first *string) string {
	return "Approve " + money(p.Amount, p.Token).Text + " to " + p.Wallet + "?" + sentence(debt(owes, p.Asset)) + sentence(twoPeople(two, first))
}
