package integratorcmd

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"causeway/client"
)

type listInput struct {
	Page           int    `json:"page,omitempty" jsonschema:"from 1"`
	PerPage        int    `json:"per_page,omitempty" jsonschema:"1 to 100, 50 by default"`
	Status         string `json:"status,omitempty" jsonschema:"pending, completed, failed, or reversed for a payin"`
	CryptoCurrency string `json:"crypto_currency,omitempty" jsonschema:"symbol of a token"`
	Network        string `json:"network,omitempty" jsonschema:"canonical name, such as Tron"`
	From           string `json:"date_from,omitempty" jsonschema:"YYYY-MM-DD"`
	To             string `json:"date_to,omitempty" jsonschema:"YYYY-MM-DD"`
	ReferenceID    string `json:"reference_id,omitempty" jsonschema:"the merchant's own reference, whole"`
}

func (l listInput) filter() client.ListFilter {
	return client.ListFilter{Page: l.Page, PerPage: l.PerPage, Status: l.Status, CryptoCurrency: l.CryptoCurrency, Network: l.Network,
		From: client.Day(l.From), To: client.Day(l.To), ReferenceID: l.ReferenceID}
}

type referenceInput struct {
	Reference string `json:"reference" jsonschema:"internal_reference; of a payin also its reference_id"`
}

type requestInput struct {
	Reference string `json:"reference" jsonschema:"internal_reference or reference_id of a payment request"`
}

type rehearsalInput struct {
	Payouts []client.Payout `json:"payouts" jsonschema:"1 to 50"`
}

func payments(s *mcp.Server, api *client.Client) {
	tool(s, "list_payins", "Payins, newest first, and how many there are in each status",
		func(ctx context.Context, in listInput) (*client.PayinList, error) {
			return api.ListPayins(ctx, in.filter())
		})
	tool(s, "check_payin", "A payin: its address, its status, what was received, and each payment",
		func(ctx context.Context, in referenceInput) (*client.PayinRecord, error) {
			return api.CheckPayin(ctx, in.Reference)
		})
	tool(s, "check_payment_request", "A payment request: what is asked for, its status, and the payins that its payer has chosen; the customer's e-mail is left out",
		func(ctx context.Context, in requestInput) (*client.PaymentRequestRecord, error) {
			found, err := api.CheckPaymentRequest(ctx, in.Reference)
			if err == nil {
				found.Email = ""
			}
			return found, err
		})
	tool(s, "list_payouts", "Payouts, newest first, and how many there are in each status",
		func(ctx context.Context, in listInput) (*client.PayoutList, error) {
			return api.ListPayouts(ctx, in.filter())
		})
	tool(s, "check_payout", "A payout: its status, fees and transaction",
		func(ctx context.Context, in referenceInput) (*client.PayoutRecord, error) {
			return api.CheckPayout(ctx, in.Reference)
		})
	tool(s, "rehearse_payouts", "A dry run: the results that these payouts would have now. Nothing is created and nothing is paid",
		func(ctx context.Context, in rehearsalInput) (*client.PayoutResults, error) {
			return api.RehearsePayouts(ctx, in.Payouts)
		})
	tool(s, "list_fixed_wallets", "Fixed wallets of customers, newest first, and how many more may be created",
		func(ctx context.Context, in walletInput) (*client.FixedWallets, error) {
			return api.ListFixedWallets(ctx, client.WalletFilter{Type: in.Type, Status: in.Status, CustomerInfo: in.CustomerInfo, Limit: in.Limit, Offset: in.Offset})
		})
}

type walletInput struct {
	Type         string `json:"type,omitempty"`
	Status       string `json:"status,omitempty"`
	CustomerInfo string `json:"customer_info,omitempty"`
	Limit        int    `json:"limit,omitempty" jsonschema:"1 to 500, 100 by default"`
	Offset       int    `json:"offset,omitempty"`
}

type priceInput struct {
	Currency1 string `json:"currency1" jsonschema:"symbol of a token or code of a fiat currency"`
	Currency2 string `json:"currency2" jsonschema:"the same, to state the price in"`
}

type quoteInput struct {
	Operation string `json:"operation" jsonschema:"payout or payin"`
	Network   string `json:"network"`
	Token     string `json:"token"`
	Amount    string `json:"amount" jsonschema:"a decimal in text"`
	Currency  string `json:"currency,omitempty" jsonschema:"fiat currency of the amount; the token when empty"`
}

type addressInput struct {
	Network string `json:"network"`
	Wallet  string `json:"wallet" jsonschema:"the address"`
}

func prices(s *mcp.Server, api *client.Client) {
	tool(s, "get_price", "The price of one currency in another, written as 63.250,10",
		func(ctx context.Context, in priceInput) (*client.Price, error) {
			return api.GetPrice(ctx, in.Currency1, in.Currency2)
		})
	tool(s, "get_quote", "What an amount would come to now as a payout or payin, with fees and limits. Nothing is held",
		func(ctx context.Context, in quoteInput) (*client.Quote, error) {
			return api.GetQuote(ctx, client.QuoteRequest(in))
		})
	tool(s, "validate_address", "Whether a payout can go to an address",
		func(ctx context.Context, in addressInput) (*client.ValidatedAddress, error) {
			return api.ValidateAddress(ctx, in.Network, in.Wallet)
		})
}

type deliveriesInput struct {
	Page      int    `json:"page,omitempty" jsonschema:"from 1"`
	PerPage   int    `json:"per_page,omitempty" jsonschema:"1 to 100, 50 by default"`
	Status    string `json:"status,omitempty" jsonschema:"pending, delivered or exhausted"`
	Event     string `json:"event,omitempty"`
	Reference string `json:"reference,omitempty" jsonschema:"of the payin or payout, either one"`
}

type deliveryInput struct {
	ID string `json:"id" jsonschema:"as in the delivery header"`
}

func webhookTools(s *mcp.Server, api *client.Client) {
	tool(s, "list_webhook_deliveries", "Webhooks to the merchant's receivers, newest first, with the last try of each",
		func(ctx context.Context, in deliveriesInput) (*client.WebhookDeliveries, error) {
			return api.ListWebhookDeliveries(ctx, client.DeliveryFilter(in))
		})
	tool(s, "get_webhook_delivery", "A webhook with its body and every try, and why the receiver did not take it",
		func(ctx context.Context, in deliveryInput) (*client.WebhookDelivery, error) {
			return api.GetWebhookDelivery(ctx, in.ID)
		})
}
