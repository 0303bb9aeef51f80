// Package lists reads pages of payins, payouts, movements, deliveries and wallets, newest first, with their counts. It also has the
// tallies of all merchants and the search.
package lists

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"causeway/internal/store"
)

// Filter selects rows of payins or payouts of one merchant; zero fields do not filter. Statuses are those of the table:
// with one of them, every other of the same wire status. From is inclusive and Until exclusive, both the first moment
// of a day in UTC-03:00 (api-v1 §GET /v1/list-payout).
type Filter struct {
	Merchant  uuid.UUID
	Statuses  []string
	Token     string
	Network   string
	Reference string
	From      time.Time
	Until     time.Time
	Page      int // from 1
	PerPage   int
}

const manyRows = 100 // on one page, at most (api-v1 §GET /v1/list-payout)

// list is a table with its rows listed and counted (docs/decisions/0012-counted-lists.md).
type list struct {
	table   string
	columns string            // of a page
	status  string            // the column of the wire's status
	public  map[string]string // statuses of the table, to those of the wire: public_status of the migration
	shown   string            // the condition of rows in the API's lists; empty is every row
	entries string            // the view of entries, where rows are counted by entry: its status names those of all rows of one, by spaces
}

// listing is one question to a list. Its queries must all see the database at one moment: the page is found by counts.
type listing struct {
	*Filter
	list
	tx *store.Store
}

// skip is how many matching rows are on the pages before.
func (l *listing) skip() int { return (l.Page - 1) * l.PerPage }

// byAPI leaves out what was made in the panel: such a row has no key of the API.
const byAPI = "key_id not like 'panel:%'"

// rows keeps those rows of the table that the lists show.
func (l *listing) rows(q *bun.SelectQuery) *bun.SelectQuery {
	if l.shown != "" {
		q = q.Where(l.shown)
	}
	return q
}

// narrow adds the conditions shared by payins, payouts and their counts, without the status.
func (l *listing) narrow(q *bun.SelectQuery) *bun.SelectQuery {
	q = q.Where("merchant_id = ?", l.Merchant)
	if l.Token != "" {
		q = q.Where("token = ?", l.Token)
	}
	if l.Network != "" {
		q = q.Where("network = ?", l.Network)
	}
	return q
}

// plain reports whether every row of the merchant matches, but for the dates.
func (l *listing) plain() bool { return l.Token == "" && l.Network == "" && len(l.Statuses) == 0 }

// statuses returns the matching ones, as the wire names them.
func (l *listing) statuses() []string {
	matching := map[string]bool{}
	for _, status := range l.Statuses {
		matching[l.public[status]] = true
	}
	if len(l.Statuses) == 0 {
		for _, public := range l.public {
			matching[public] = true
		}
	}
	return slices.Sorted(maps.Keys(matching))
}

// listed returns how many rows with a status of matching stand behind one counted under a status: of an entry there may
// be several.
func (l *listing) listed(status string, matching []string) (n int) {
	if l.entries == "" {
		return 1
	}
	for named := range strings.FieldsSeq(status) {
		if slices.Contains(matching, named) {
			n++
		}
	}
	return n
}

// during keeps rows with the moment column in [from, until); zero times are no bounds.
func during(q *bun.SelectQuery, column string, from, until time.Time) *bun.SelectQuery {
	if !from.IsZero() {
		q = q.Where("? >= ?", bun.Ident(column), from)
	}
	if !until.IsZero() {
		q = q.Where("? < ?", bun.Ident(column), until)
	}
	return q
}
