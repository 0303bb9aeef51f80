package pricing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

const (
	sourceTimeout = 8 * time.Second // of one question, from connecting to the last byte
	largestAnswer = 8 << 20         // bytes; all markets of an exchange take a tenth
	// clockSkew is how far in the future a source's clock, or another process's, may be. The database's in_use says the same.
	clockSkew = time.Minute
)

// Want lists the currencies to be priced.
type Want struct {
	Tokens []string // symbols of the catalogue
	Fiats  []string // codes
}

// Source is a public HTTP service with prices. Every quote is of a token in USD, or of USD in a fiat, so quotes of different
// sources can be compared.
type Source struct {
	Now    func() time.Time // the clock for the age of answers
	name   string
	client *http.Client
	format
}

// format asks a service and reads its answer. Reading never fails on a senseless part: such a part is no quote.
type format struct {
	address func(Want) string
	read    func(body []byte, q *answer) error
}

// formats are the services by name, as PRICE_SOURCES names them.
var formats = map[string]format{
	"coinbase":    {coinbaseAddress, readCoinbase},
	"coingecko":   {coingeckoAddress, readCoingecko},
	"frankfurter": {frankfurterAddress, readFrankfurter},
	"kraken":      {krakenAddress, readKraken},
}

// Names lists the known sources.
func Names() []string { return slices.Sorted(maps.Keys(formats)) }

// Known reports whether there is a source of this name.
func Known(name string) bool { _, ok := formats[name]; return ok }

// QuotesTokens reports whether a source has prices of tokens, and not of fiats alone.
func QuotesTokens(name string) bool { return Known(name) && name != "frankfurter" }

// NewSources makes the sources of these Known names on a client; nil is NewClient.
func NewSources(names []string, client *http.Client) []*Source {
	if client == nil {
		client = NewClient()
	}
	out := make([]*Source, 0, len(names))
	for _, name := range names {
		out = append(out, &Source{Now: time.Now, name: name, client: client, format: formats[name]})
	}
	return out
}

// NewClient makes a client with a time limit. It follows no redirect.
func NewClient() *http.Client {
	return &http.Client{
		Timeout:       sourceTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Name returns the name of the source.
func (s *Source) Name() string { return s.name }

var (
	errTooLarge = errors.New("the answer is too large")
	errNoQuotes = errors.New("the answer has no price of anything that was asked")
)

// Quotes asks for the wanted prices. Every price is believable and has the time given by the source. Prices unknown to the
// source are left out; an answer without any price is an error.
func (s *Source) Quotes(ctx context.Context, want Want) ([]pay.Price, error) {
	q := newAnswer(s.name, want, s.Now())
	body, err := s.get(ctx, s.address(q.want))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	if err := s.read(body, q); err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	if len(q.list) == 0 {
		return nil, fmt.Errorf("%s: %w", s.name, errNoQuotes)
	}
	return q.list, nil
}

func (s *Source) get(ctx context.Context, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "causeway")
	res, err := s.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", res.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, largestAnswer+1))
	if err == nil && len(body) > largestAnswer {
		err = errTooLarge
	}
	return body, err
}

// answer collects the wanted prices in a source's answer.
type answer struct {
	source string
	now    time.Time
	want   Want // each once, without USD
	list   []pay.Price
}

func newAnswer(source string, want Want, now time.Time) *answer {
	return &answer{source: source, now: now, want: Want{Tokens: eachOnce(want.Tokens), Fiats: eachOnce(want.Fiats)}}
}

func eachOnce(names []string) []string {
	sorted := slices.Compact(slices.Sorted(slices.Values(names)))
	return slices.DeleteFunc(sorted, func(name string) bool { return name == dollar })
}

// token adds the price of one token in USD.
func (q *answer) token(symbol string, price decimal.Decimal, at time.Time) {
	q.add(symbol, dollar, price, at)
}

// fiat adds the price of one USD in a fiat.
func (q *answer) fiat(code string, price decimal.Decimal, at time.Time) {
	q.add(dollar, code, price, at)
}

func (q *answer) add(base, quote string, price decimal.Decimal, at time.Time) {
	price = price.Truncate(Places)
	if !believable(price) || at.After(q.now.Add(clockSkew)) {
		return
	}
	if at.After(q.now) {
		at = q.now
	}
	q.list = append(q.list, pay.Price{Base: base, Quote: quote, Price: price, Source: q.source, UpdatedAt: at})
}
