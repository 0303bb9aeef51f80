package api

import (
	"net/http"
	"slices"

	"causeway/internal/pay"
	"causeway/internal/pricing"
)

// PriceAnswer is the answer to GET /v1/get-price: the worth of one currency1 in currency2, written as 63.250,10.
type PriceAnswer struct {
	Message   string `json:"message"`
	Currency1 string `json:"currency1"`
	Currency2 string `json:"currency2"`
	Price     string `json:"price"`
	UpdatedAt string `json:"updated_at"`
}

// CurrenciesAnswer is the answer to GET /v1/get-currencies.
type CurrenciesAnswer struct {
	Message string   `json:"message"`
	Tokens  []string `json:"tokens"`
	Fiats   []string `json:"fiats"`
}

var (
	errNoCurrency = pay.E(pay.Invalid, "missing_parameters", "currency1 and currency2 are required.")
	errCurrency   = pay.E(pay.Invalid, "invalid_currency", "The currency is not known here.")
	errNoQuote    = pay.E(pay.NotFound, "price_not_found", "There is no price for this pair.")
)

// price answers GET /v1/get-price.
func (q *Queries) price(c *Call) error {
	cat, err := q.catalogue(c)
	if err != nil {
		return err
	}
	of, err := currencyAsked(c, cat, "currency1")
	if err != nil {
		return err
	}
	in, err := currencyAsked(c, cat, "currency2")
	if err != nil {
		return err
	}
	quote, ok := cat.Rates.Price(of, in)
	if !ok || !quote.Price.IsPositive() {
		return errNoQuote
	}
	return c.JSON(http.StatusOK, PriceAnswer{"price_retrieved_success", of, in, pricing.Format(quote.Price), wireTime(quote.At)})
}

// currencyAsked reads a token symbol as it is, or an accepted fiat code in any case.
func currencyAsked(c *Call, cat *Catalogue, name string) (string, error) {
	if c.Query("currency1") == "" || c.Query("currency2") == "" {
		return "", errNoCurrency
	}
	word := c.Query(name)
	if slices.Contains(activeSymbols(cat), word) {
		return word, nil
	}
	if fiat, ok := cat.Fiat(word); ok {
		return fiat.Code, nil
	}
	return "", symbolNamed(errCurrency, cat, word).With("field", name)
}

// activeSymbols returns the symbols of active tokens, each once; tokens come by symbol.
func activeSymbols(cat *Catalogue) []string {
	out := []string{}
	for i := range cat.Tokens {
		if cat.Tokens[i].Active {
			out = append(out, cat.Tokens[i].Symbol)
		}
	}
	return slices.Compact(out)
}

// currencies answers GET /v1/get-currencies.
func (q *Queries) currencies(c *Call) error {
	cat, err := q.catalogue(c)
	if err != nil {
		return err
	}
	out := CurrenciesAnswer{"currencies_retrieved_success", activeSymbols(cat), []string{}}
	for _, fiat := range acceptedFiats(cat) {
		out.Fiats = append(out.Fiats, fiat.Code)
	}
	return c.JSON(http.StatusOK, out)
}
