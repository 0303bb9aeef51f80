package api

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/batch/gather"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
)

// Queries are the read-only operations on a merchant's money and rights (addendum §10).
type Queries struct {
	Store      *store.Store
	Catalogues *Catalogues

	held holdings
	long longReads
}

// holdings reads the balances of merchants. Requests arriving while others are answered share one statement.
type holdings struct {
	group gather.Group[uuid.UUID, map[string]ledger.Balance]
}

func (h *holdings) of(ctx context.Context, s *store.Store, merchant uuid.UUID) (map[string]ledger.Balance, error) {
	return h.group.Do(ctx, merchant, func(ctx context.Context, merchants []uuid.UUID) ([]map[string]ledger.Balance, error) {
		return ledger.BalancesOf(ctx, s.DB, merchants)
	})
}

// Routes are the queries' rows of the route table.
func (q *Queries) Routes() []Route {
	get := func(path, scope, summary string, doc Doc, handler func(*Call) error) Route {
		return Route{Method: http.MethodGet, Path: path, Scope: scope, Summary: summary, Doc: doc, Handler: handler}
	}
	return []Route{
		get("/v1/balances", pay.ScopeBalancesRead, "Balances by token", docBalances, q.balances),
		get("/v1/statements", pay.ScopeStatementsRead, "List movements", docStatements, q.statements),
		get("/v1/statements/summary", pay.ScopeStatementsRead, "Sum movements up", docStatementsSummary, q.statementsSummary),
		get("/v1/summary", pay.ScopeStatementsRead, "Account summary", docSummary, q.summary),
		get("/v1/summary/tokens", pay.ScopeStatementsRead, "Accepted tokens", docSummaryTokens, q.summaryTokens),
		get("/v1/summary/fiats", pay.ScopeStatementsRead, "Accepted fiats", docSummaryFiats, q.summaryFiats),
		get("/v1/get-price", pay.ScopePricesRead, "Price of one currency in another", docPrice, q.price),
		get("/v1/get-currencies", pay.ScopePricesRead, "Currencies that have a price or a balance", docCurrencies, q.currencies),
	}
}

var errService = pay.E(pay.Unavailable, "service_unavailable", "The currencies could not be loaded for now.")

func (q *Queries) catalogue(c *Call) (*Catalogue, error) {
	cat, err := q.Catalogues.For(c)
	if err != nil {
		return nil, errService.Because(err)
	}
	return cat, nil
}

// BalancesAnswer is the answer to GET /v1/balances: total, available and locked by balance key, one for each active
// token and for whatever else the merchant has, with 8 decimals.
type BalancesAnswer struct {
	Message   string            `json:"message"`
	Balances  map[string]string `json:"balances"`
	Available map[string]string `json:"available"`
	Locked    map[string]string `json:"locked"`
}

func (q *Queries) balances(c *Call) error {
	cat, err := q.catalogue(c)
	if err != nil {
		return err
	}
	has, err := q.held.of(c.Context(), q.Store, c.Caller.Merchant.ID)
	if err != nil {
		return err
	}
	keys, err := alsoHeld(cat.held, has)
	if err != nil {
		return err
	}
	return c.Raw(http.StatusOK, appendBalances(nil, keys, has))
}

// heldKey is a balance key, and how a member of that name begins in JSON.
type heldKey struct {
	key  string
	name []byte
}

// heldKeys are those of the active tokens, each once, in the order of the members in an answer.
func heldKeys(tokens []pay.Token) (keys []heldKey) {
	seen := map[string]bool{}
	for i := range tokens {
		if key := tokens[i].BalanceKey; tokens[i].Active && !seen[key] {
			seen[key] = true
			named, err := newHeldKey(key)
			if err != nil {
				panic(err) // a text
			}
			keys = append(keys, named)
		}
	}
	slices.SortFunc(keys, func(a, b heldKey) int { return strings.Compare(a.key, b.key) })
	return keys
}

func newHeldKey(key string) (heldKey, error) {
	name, err := encode(key)
	return heldKey{key, append(name, ':', '"')}, err
}

// alsoHeld adds the balances of tokens no longer active: their money stays in sight.
func alsoHeld(keys []heldKey, has map[string]ledger.Balance) ([]heldKey, error) {
	for key, b := range has {
		at, active := slices.BinarySearchFunc(keys, key, func(k heldKey, key string) int { return strings.Compare(k.key, key) })
		if active || b.Available.IsZero() && b.Locked.IsZero() {
			continue
		}
		named, err := newHeldKey(key)
		if err != nil {
			return nil, err
		}
		keys = slices.Insert(slices.Clip(keys), at, named) // a copy: others read these
	}
	return keys, nil
}

// appendBalances writes a BalancesAnswer. Of the hundreds of amounts in it almost all are zero.
func appendBalances(out []byte, keys []heldKey, has map[string]ledger.Balance) []byte {
	out = slices.Grow(out, 128+len(keys)*3*32)
	out = append(out, `{"message":"balances_retrieved_success","balances":`...)
	out = appendHeld(out, keys, has, ledger.Balance.Total)
	out = append(out, `,"available":`...)
	out = appendHeld(out, keys, has, func(b ledger.Balance) decimal.Decimal { return b.Available })
	out = append(out, `,"locked":`...)
	out = appendHeld(out, keys, has, func(b ledger.Balance) decimal.Decimal { return b.Locked })
	return append(out, '}')
}

func appendHeld(out []byte, keys []heldKey, has map[string]ledger.Balance, which func(ledger.Balance) decimal.Decimal) []byte {
	const nothing = "0.00000000"
	before := byte('{')
	for _, k := range keys {
		out = append(append(out, before), k.name...)
		if b, any := has[k.key]; any {
			out = append(out, kept(which(b))...)
		} else {
			out = append(out, nothing...)
		}
		out, before = append(out, '"'), ','
	}
	if len(keys) == 0 {
		out = append(out, '{')
	}
	return append(out, '}')
}

// kept writes an amount of the ledger, as balances and statements show it.
func kept(amount decimal.Decimal) string { return amount.StringFixed(ledger.Precision) }
