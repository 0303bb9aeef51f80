package integratorcmd

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"causeway/client"
)

type linksInput struct {
	Page    int    `json:"page,omitempty" jsonschema:"from 1"`
	PerPage int    `json:"per_page,omitempty" jsonschema:"1 to 100, 50 by default"`
	Status  string `json:"status,omitempty" jsonschema:"open or ended"`
}

type linkInput struct {
	Reference string `json:"reference" jsonschema:"internal_reference or slug of a payment link"`
}

func links(s *mcp.Server, api *client.Client) {
	tool(s, "list_payment_links", "Payment links for any number of payers, newest first",
		func(ctx context.Context, in linksInput) (*client.PaymentLinks, error) {
			return api.ListPaymentLinks(ctx, client.LinkFilter(in))
		})
	tool(s, "check_payment_link", "A payment link: its amount or the bounds of what a payer says, what it offers, and whether it works",
		func(ctx context.Context, in linkInput) (*client.PaymentLinkRecord, error) {
			return api.CheckPaymentLink(ctx, in.Reference)
		})
}

type payinRefundsInput struct {
	Payin string `json:"payin" jsonschema:"internal_reference or reference_id of a payin"`
}

type refundInput struct {
	Reference string `json:"reference" jsonschema:"internal_reference or reference_id of a refund"`
}

// refunds are told without their links: whoever has one may take the money.
func refunds(s *mcp.Server, api *client.Client) {
	tool(s, "list_payin_refunds", "The refunds of a payin, newest first, and what of it may still be refunded; the links for payers are left out",
		func(ctx context.Context, in payinRefundsInput) (*client.PayinRefunds, error) {
			found, err := api.ListPayinRefunds(ctx, in.Payin)
			if err == nil {
				for i := range found.Refunds {
					found.Refunds[i].RefundURL = ""
				}
			}
			return found, err
		})
	tool(s, "check_refund", "A refund: its status, its amount and its payout; the link for the payer is left out",
		func(ctx context.Context, in refundInput) (*client.RefundRecord, error) {
			found, err := api.CheckRefund(ctx, in.Reference)
			if err == nil {
				found.RefundURL = ""
			}
			return found, err
		})
}
