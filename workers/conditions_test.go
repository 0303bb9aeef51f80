package workers_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/sirupsen/logrus/hooks/test"
	"github.com/stretchr/testify/require"

	"causeway/internal/store"
	"causeway/tasks"
	"causeway/workers/desk"
	"causeway/workers/upkeep"
)

// watched looks for conditions once, with the rights of a worker, and returns the messages recorded since the last look.
func (w *world) watched() (told []string) {
	w.t.Helper()
	log, _ := test.NewNullLogger()
	watch := &upkeep.Worker{Desk: &desk.Desk{Store: w.worker, Networks: w.registry, Bell: silent{}, Log: log}}
	j, err := w.store.TakeJob(w.t.Context(), string(tasks.WatchConditions), tasks.RefOf(string(tasks.WatchConditions)), tasks.Visibility, "")
	require.NoError(w.t, err)
	require.NoError(w.t, watch.Periodic(w.t.Context(), j))
	require.NoError(w.t, w.db.NewRaw(`with gone as (delete from messages returning *), jobless as (delete from jobs where kind = 'message.send')
		select receiver || ': ' || title || ': ' || line from gone order by 1`).Scan(w.t.Context(), &told))
	return told
}

// Operators are told of a condition once when it has lasted, and once when it has been over for a while; the people of a merchant of
// what is about their receiver. Who wants to know of nothing, has no confirmed address or is disabled is not told. The operators' chats
// are told as operators are.
//
// Covers operator §Messages: Operators are told of what is amiss
// Covers operator §Messages: The operators may be told
func TestConditionsAreToldTwice(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Tron")
	for _, o := range []struct{ name, set string }{{"ann", "mail = 'ann@example.com'"}, {"bob", "mail_offered = 'bob@example.com'"},
		{"cyd", "mail = 'cyd@example.com', quiet = '{books-differ}'"}, {"dan", "mail = 'dan@example.com', disabled_at = now()"}} {
		w.exec("insert into operators (id, name, role, password) values (?, ?, 'viewer', '')", uuid.New(), o.name)
		w.exec("update operators set "+o.set+" where name = ?", o.name)
	}
	w.exec(`insert into operator_chats (id, kind, sealed, shown, quiet, made_by) values ('operators:slack', 'slack', '', '', '{receiver-failing}', ''),
		('operators:telegram', 'telegram', '', '', '{books-differ}', '')`)
	dev := uuid.New()
	w.exec("insert into people (id, email, name, password) values (?, 'dev@example.com', 'Dev', '')", dev)
	w.exec("insert into members (merchant_id, person_id, role) values (?, ?, 'developer')", w.merchant, dev)
	require.Empty(t, w.watched())

	w.exec("insert into stopped_assets (asset, reason) values ('USDT', 'a test')")
	w.exec(`insert into deliveries (id, merchant_id, subject, event, url, body, attempts, created_at)
		values (?, ?, ?, 'payment_failed', 'https://shop.example/hook', '', 3, now() - interval '31 minutes')`, uuid.New(), w.merchant, uuid.New())
	require.Empty(t, w.watched(), "it may pass by itself")
	w.exec("update conditions set began_at = began_at - interval '1 minute'")
	idle := "shop.example has taken no webhooks of Shop for half an hour."
	require.Equal(t, []string{
		"mail:ann@example.com: The books differ: Payouts of USDT are stopped.",
		"mail:ann@example.com: Webhooks are not taken: " + idle,
		"mail:cyd@example.com: Webhooks are not taken: " + idle,
		"mail:dev@example.com: Webhooks are not taken: " + idle,
		"operators:slack: The books differ: Payouts of USDT are stopped.",
		"operators:telegram: Webhooks are not taken: " + idle,
	}, w.watched())
	w.exec("update conditions set began_at = began_at - interval '1 hour'")
	require.Empty(t, w.watched(), "it is told of once")

	w.exec("delete from stopped_assets")
	require.Empty(t, w.watched())
	w.exec("update conditions set seen_at = seen_at - interval '4 minutes'")
	require.Empty(t, w.watched(), "it may come back")
	w.exec("update conditions set seen_at = seen_at - interval '2 minutes' where topic = 'books-differ'")
	require.Equal(t, []string{"mail:ann@example.com: Over: The books differ: Payouts of USDT are stopped.",
		"operators:slack: Over: The books differ: Payouts of USDT are stopped."}, w.watched())
	require.Empty(t, w.watched())

	w.exec("insert into stopped_assets (asset, reason) values ('USDT', 'once more')")
	require.Empty(t, w.watched())
	w.exec("update conditions set began_at = began_at - interval '1 minute'")
	require.Equal(t, []string{"mail:ann@example.com: The books differ: Payouts of USDT are stopped.",
		"operators:slack: The books differ: Payouts of USDT are stopped."}, w.watched(), "it begins anew")

	w.exec("insert into stopped_assets (asset, reason) values ('ETH', 'for a moment')")
	require.Empty(t, w.watched())
	w.exec("delete from stopped_assets where asset = 'ETH'")
	w.exec("update conditions set seen_at = seen_at - interval '6 minutes'")
	require.Empty(t, w.watched(), "the end of what nobody was told of is nobody's news")
	require.Error(t, w.worker.DB.NewRaw("select mail from operators").Scan(t.Context(), new(string)))
	var left []store.Condition
	require.NoError(t, w.db.NewRaw("select topic, told from conditions order by told").Scan(t.Context(), &left))
	require.Len(t, left, 2)
}
