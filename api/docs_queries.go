package api

import (
	"strings"

	"github.com/google/uuid"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/web/openapi"
	"causeway/ledger"
)

var docBalances = Doc{
	ID: "getBalances", Tag: tagBalances,
	Description: "By balance key, with 8 decimals; one for each active token, zero included. What is locked comes from deposits that are not final yet.",
	Answers: []openapi.Answer{{Status: 200, Summary: "The balances", Sample: BalancesAnswer{"balances_retrieved_success",
		map[string]string{"USDT": "112.50000000"}, map[string]string{"USDT": "100.00000000"}, map[string]string{"USDT": "12.50000000"}}}},
	Errors: []*pay.Error{errService},
}

// movementTypes are the types of movements, as an enumeration has them.
func movementTypes() (types []any) {
	for _, m := range ledger.Movements {
		types = append(types, string(m))
	}
	return types
}

// statementFilters are the filters shared by both operations on statements (addendum §10).
func statementFilters() []openapi.Param {
	return []openapi.Param{
		{Name: "type", Description: "Type of movement, in any case. Unknown: invalid_format.", Example: "DEPOSIT",
			Schema: map[string]any{"type": "string", "examples": movementTypes()}},
		{Name: "direction", Description: "in or out, in any case. Anything else: invalid_format.", Example: "in"},
		{Name: "balance", Description: "Balance key. Unknown: invalid_format.", Example: "USDT"},
		networkParam("invalid_format"),
		dateParam("date_from", "from 00:00:00", "invalid_format"),
		dateParam("date_to", "until 23:59:59; at most 366 days", "invalid_format"),
		{Name: "min_amount", Description: "Plain decimal. Anything else: invalid_amount.", Example: "0.5"},
		{Name: "max_amount", Description: "Plain decimal, not below min_amount. Anything else: invalid_amount.", Example: "100"},
		{Name: "reference_id", Description: "Exact match; over 255 characters: invalid_reference_id.", Example: "order-2026-0001"},
	}
}

// unreadableStatements are the refusals for filters of statements with broken percent-encoding.
var unreadableStatements = func() map[string]*pay.Error {
	out := map[string]*pay.Error{"page": errPagination, "per_page": errPagination, "reference_id": errReferenceUnread}
	for _, name := range []string{"type", "direction", "balance", "network", "date_from", "date_to", "bom"} {
		out[name] = refusal(wrongFormat(name, input.NotEncoded))
	}
	for _, name := range []string{"min_amount", "max_amount"} {
		out[name] = errFilterAmount.With("field", name)
	}
	return out
}()

var statementErrors = []*pay.Error{
	refusal(wrongFormat("direction", "must be in or out")), errDatesReversed, errDatesTooWide,
	errFilterAmount.With("field", "min_amount"), errReferenceLong, errStatements, errService,
}

var (
	sampleNetwork   = "Tron"
	sampleReference = "order-2026-0001"
	sampleHash      = sampleTxid
	samplePayoutRef = uuid.MustParse(samplePayoutID)
)

var docStatements = Doc{
	ID: "listStatements", Tag: tagBalances, Unreadable: unreadableStatements,
	Params: append([]openapi.Param{
		{Name: "page", Description: "Default 1; 0 or what is no whole number is 1. Negative: invalid_pagination.", Example: "1"},
		{Name: "per_page", Description: "1 to 100, default 50; 0 or what is no whole number is 50. Negative or above: invalid_pagination.", Example: "50"},
		{Name: "bom", Description: "An extension. 1 begins a CSV with a byte order mark, 0 does not. Anything else: invalid_format.", Example: "1", Extension: true},
	}, statementFilters()...),
	Description: "Movements caused by operations of the API, newest first. amount is positive; direction tells the sign.",
	Answers: []openapi.Answer{{Status: 200, Summary: "One page", Sample: StatementsAnswer{"statements_retrieved_success", []StatementLine{{
		ID: 42, Type: "WITHDRAWAL", Direction: "out", Balance: "USDT", CryptoCurrency: "USDT", Amount: "12.50000000", BalanceAfter: "100.00000000",
		Network: &sampleNetwork, ReferenceID: &sampleReference, InternalReference: &samplePayoutRef, Txid: &sampleHash, CreatedAt: sampleMoment,
	}}, listMeta{1, 50, 1, 1, map[string]string{"direction": "out"}}}},
		{Status: 200, Summary: "For Accept: text/csv (an extension): every movement of the filter, or the page if page or per_page is given", Media: "text/csv", Extension: true,
			Sample: strings.Join(statementColumns, ",") + "\r\n" +
				"42,WITHDRAWAL,out,USDT,USDT,12.50000000,100.00000000,Tron,order-2026-0001," + samplePayoutID + "," + sampleTxid + "," +
				sampleMoment + "\r\n"}},
	Errors: append([]*pay.Error{errPagination}, statementErrors...),
}

var docStatementsSummary = Doc{
	ID: "summarizeStatements", Tag: tagBalances, Params: statementFilters(), Unreadable: unreadableStatements,
	Description: "The sums of what listStatements lists with the same filters.",
	Answers: []openapi.Answer{{Status: 200, Summary: "The sums", Sample: StatementsSummary{"statements_summary_retrieved_success",
		[]StatementSum{{"USDT", "USDT", "WITHDRAWAL", "out", 1, "12.50000000"}}}}},
	Errors: statementErrors,
}

var (
	sampleFee    = "1"
	sampleTokens = []AcceptedToken{{Symbol: "USDT", ContractAddress: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", Network: "Tron", Variant: "native",
		BalanceKey: "USDT", MinReceipt: "1", MaxReceipt: unlimited, MinWithdrawal: "1", MaxWithdrawal: unlimited, NetworkFee: &sampleFee}}
	sampleFiats = []AcceptedFiat{{"USD", "US dollar", "$"}}
	sampleRates = Rates{ReceiptRate: "0.5", PaymentRate: "0.5", DepositRate: "0", WithdrawalRate: "0"}
	overridden  = true
)

var docSummary = Doc{
	ID: "getSummary", Tag: tagPrices,
	Description: "The catalogue of tokens and fiats, and the account's terms. network_rates is an empty list when no network has an override.",
	Answers: []openapi.Answer{{Status: 200, Summary: "The summary", Sample: SummaryAnswer{"summary_retrieved_success", Summary{
		AcceptedTokens: sampleTokens, AcceptedFiats: sampleFiats,
		UserInfo:     UserInfo{MinimumPayment: "100", Rates: sampleRates, PaysPayment: true},
		NetworkRates: NetworkRates{"Tron": {Rates: sampleRates, PaysPayment: &overridden}},
		SummaryStats: SummaryStats{TotalTokens: 1, TotalFiats: 1, TotalNetworkOverrides: 1, GeneratedAt: sampleMoment},
	}}}},
	Errors: []*pay.Error{errService},
}

var docSummaryTokens = Doc{
	ID: "getTokens", Tag: tagPrices,
	Answers: []openapi.Answer{{Status: 200, Summary: "The tokens", Sample: TokensAnswer{"tokens_retrieved_success", sampleTokens}}},
	Errors:  []*pay.Error{errService},
}

var docSummaryFiats = Doc{
	ID: "getFiats", Tag: tagPrices,
	Answers: []openapi.Answer{{Status: 200, Summary: "The fiats", Sample: FiatsAnswer{"fiats_retrieved_success", sampleFiats}}},
	Errors:  []*pay.Error{errService},
}

var docPrice = Doc{
	ID: "getPrice", Tag: tagPrices,
	Description: "The price is written with dots between thousands and a decimal comma: 2 decimals from 1 up, 8 significant digits below.",
	Params: []openapi.Param{
		{Name: "currency1", Description: "What is priced: a token symbol or a fiat code.", Example: "BTC", Required: true},
		{Name: "currency2", Description: "In what.", Example: "USD", Required: true},
	},
	Answers: []openapi.Answer{{Status: 200, Summary: "The price",
		Sample: PriceAnswer{"price_retrieved_success", "BTC", "USD", "63.250,10", sampleMoment}}},
	Errors:     []*pay.Error{errNoCurrency, errCurrency.With("field", "currency1"), errNoQuote, errService},
	Unreadable: map[string]*pay.Error{"currency1": errCurrency.With("field", "currency1"), "currency2": errCurrency.With("field", "currency2")},
}

var docCurrencies = Doc{
	ID: "getCurrencies", Tag: tagPrices,
	Answers: []openapi.Answer{{Status: 200, Summary: "Symbols and codes",
		Sample: CurrenciesAnswer{"currencies_retrieved_success", []string{"BTC", "USDT"}, []string{"USD"}}}},
	Errors: []*pay.Error{errService},
}

func sampleText(text string) *string { return &text }

var docQuote = Doc{
	ID: "getQuote", Tag: tagPrices, Extension: true,
	Description: "An extension. Limits, fees and what is left of an amount, worked out as the operation itself would now. Nothing is held: prices move. Address, memo, balance and daily limit are not looked at; a dry run of the payout does that.",
	Params: []openapi.Param{
		{Name: "operation", Description: "payout or payin.", Example: "payout", Required: true,
			Schema: map[string]any{"type": "string", "enum": []any{"payout", "payin"}}},
		{Name: "network", Description: "Name or alias, in any case.", Example: "Tron", Required: true},
		{Name: "token", Description: "Token symbol.", Example: "USDT", Required: true},
		{Name: "amount", Description: "A plain decimal above zero.", Example: "100", Required: true},
		{Name: "currency", Description: "Accepted fiat, in any case, that the amount is in. Without it the amount is in the token.", Example: "USD"},
	},
	Answers: []openapi.Answer{{Status: 200, Summary: "The quote", Sample: QuoteAnswer{
		Message: "quote_retrieved_success", Operation: "payout", Network: "Tron", CryptoCurrency: "USDT", FiatCurrency: "USD", ProcessBy: "crypto_amount", Accepted: true,
		CryptoAmount: sampleText("100"), MinAmount: sampleText("1"), MaxAmount: sampleText(unlimited), PercentRate: sampleText("0.5"), NetworkFee: sampleText("1"),
		PaysNetworkFee: &overridden, Price: sampleText("1"), PriceUpdatedAt: sampleText(sampleMoment),
		Options: []QuoteOption{
			{FeeTakenFromAmount: sampleText("0"), Accepted: true, Gross: sampleText("101.5"), RateFee: sampleText("0.5"),
				NetworkFee: sampleText("1"), Net: sampleText("100"), FiatAmount: sampleText("100.00000000")},
			{FeeTakenFromAmount: sampleText("1"), Accepted: true, Gross: sampleText("100"), RateFee: sampleText("0.5"),
				NetworkFee: sampleText("1"), Net: sampleText("98.5"), FiatAmount: sampleText("98.50000000")},
		}}}},
	Errors: []*pay.Error{input.WrongField("operation", "must be payout or payin"), errService},
}
