package tell_test

import (
	"net/mail"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/sirupsen/logrus/hooks/test"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"causeway/internal/dev/mailserver"
	"causeway/internal/dev/testkit"
	"causeway/internal/message"
	"causeway/internal/ops/admin"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/migrations"
	"causeway/tasks"
	"causeway/workers/desk"
	"causeway/workers/tell"
)

// room is a merchant with people, a worker with a worker's rights, and a mail server. Jobs are done by hand.
type room struct {
	*testing.T
	db     *bun.DB
	signer *store.Store // records facts, and may not read who the people are
	worker *tell.Worker
	server *mailserver.Server
	shop   uuid.UUID
}

func newRoom(t *testing.T) *room {
	t.Helper()
	db, log := testkit.DB(t), new(test.Hook)
	logger, _ := test.NewNullLogger()
	logger.AddHook(log)
	s := mailserver.Start(t, nil)
	mailer := message.NewMailer(&message.Server{Host: s.Host(), Port: s.Port(), Loopback: true}, &mail.Address{Name: "Example Pay", Address: "pay@example.com"})
	r := &room{T: t, db: db, server: s, signer: store.New(testkit.DBAs(t, migrations.SignerRole)), worker: &tell.Worker{
		Desk: &desk.Desk{Store: store.New(testkit.DBAs(t, migrations.WorkerRole)), Log: logger}, Mail: mailer, Base: "https://pay.example.com",
		Secrets: vault.New(make([]byte, vault.KeySize))}}
	r.shop = r.merchant("Shop")
	return r
}

func (r *room) exec(statement string, args ...any) {
	r.Helper()
	_, err := r.db.NewRaw(statement, args...).Exec(r.Context())
	require.NoError(r, err)
}

func (r *room) merchant(name string) uuid.UUID {
	r.Helper()
	id := uuid.New()
	r.exec("insert into merchants (id, name, webhook_secret) values (?, ?, '')", id, name)
	return id
}

func (r *room) member(merchant uuid.UUID, email, role string) {
	r.Helper()
	id := uuid.New()
	r.exec("insert into people (id, email, name, password) values (?, ?, '', '')", id, email)
	r.exec("insert into members (merchant_id, person_id, role) values (?, ?, ?)", merchant, id, role)
}

// failed records that payouts failed, in one transaction each.
func (r *room) failed(merchant uuid.UUID, payouts ...string) {
	r.Helper()
	told := message.Of(message.PayoutFailed)
	for _, p := range payouts {
		require.NoError(r, r.signer.TellPeople(r.Context(), string(told.Topic), told.Roles, told.Title,
			store.MessageFact{Merchant: merchant, Line: "Payout " + p + " failed.", Page: "/panel/payouts/" + p}))
	}
}

// work makes every job due, and does each once. It returns how many are left.
func (r *room) work() int {
	r.Helper()
	r.exec("update jobs set run_at = now()")
	due, err := r.worker.Store.TakeDue(r.Context(), nil, 1000, tasks.Visibility)
	require.NoError(r, err)
	for _, j := range due {
		require.Equal(r, string(tasks.SendMessage), j.Kind)
		require.NoError(r, r.worker.Send(r.Context(), j))
	}
	return r.count("select count(*) from jobs")
}

func (r *room) count(query string) (n int) {
	r.Helper()
	require.NoError(r, r.db.NewRaw(query).Scan(r.Context(), &n))
	return n
}

// told are the receivers of mails and the payouts named there, in the order of the mails.
func (r *room) told() (out []string) {
	for _, m := range r.server.Mails() {
		plain, _, _ := strings.Cut(m.Raw, "text/html")
		var payouts []string
		for word := range strings.SplitSeq(plain, "Payout ") {
			if id, _, ok := strings.Cut(word, " failed."); ok {
				payouts = append(payouts, id)
			}
		}
		out = append(out, m.To+" "+strings.Join(payouts, ","))
	}
	return out
}

// People are told by their roles, of their own merchants, unless they do not want to be.
func TestWhoIsTold(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	for _, role := range []string{"owner", "finance", "developer", "viewer"} {
		r.member(r.shop, role+"@example.com", role)
	}
	r.member(r.shop, "quiet@example.com", "owner")
	r.exec("update people set quiet = '{payout-failed}' where email = 'quiet@example.com'")
	r.member(r.merchant("Other"), "other@example.com", "owner")
	r.failed(r.shop, "p1")
	require.Zero(t, r.work())
	require.ElementsMatch(t, []string{"owner@example.com p1", "finance@example.com p1"}, r.told())
	raw := r.server.Mails()[0].Raw
	require.Contains(t, raw, "A payout failed (Shop)")
	require.Contains(t, raw, "https://pay.example.com/panel/payouts/p1")
	require.Contains(t, raw, "https://pay.example.com/panel/account")
	require.Equal(t, 2, r.count("select count(*) from messages where ended_at is not null and why is null"))
	require.Error(t, r.signer.DB.NewRaw("select email from people").Scan(t.Context(), new(string)))
}

// What happens together goes out together, and no receiver has more than ten mails an hour: the rest waits and goes out as one.
func TestStormsAreBounded(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.member(r.shop, "ann@example.com", "owner")
	r.failed(r.shop, "a", "b", "c")
	require.Zero(t, r.work())
	require.Equal(t, []string{"ann@example.com a,b,c"}, r.told())
	for i := 1; i < tell.MostMails; i++ {
		r.failed(r.shop, strconv.Itoa(i))
		require.Zero(t, r.work())
	}
	require.Len(t, r.told(), tell.MostMails)
	r.failed(r.shop, "x", "y")
	require.Equal(t, 2, r.work())
	r.failed(r.shop, "z")
	require.Equal(t, 3, r.work())
	require.Len(t, r.told(), tell.MostMails)
	r.exec("update messages set ended_at = ended_at - interval '1 hour' where id in (select id from messages where ended_at is not null and head = id limit 1)")
	require.Zero(t, r.work())
	require.Equal(t, "ann@example.com x,y,z", r.told()[tell.MostMails])
}

// Many workers at once make one mail of the messages to one receiver.
func TestWorkersAtOnce(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.member(r.shop, "ann@example.com", "owner")
	r.failed(r.shop, "a", "b", "c", "d")
	r.exec("update jobs set run_at = now()")
	due, err := r.worker.Store.TakeDue(t.Context(), nil, 10, tasks.Visibility)
	require.NoError(t, err)
	require.Len(t, due, 4)
	var all sync.WaitGroup
	for _, j := range due {
		all.Go(func() { require.NoError(t, r.worker.Send(t.Context(), j)) })
	}
	all.Wait()
	require.Equal(t, []string{"ann@example.com a,b,c,d"}, r.told())
	require.Zero(t, r.count("select count(*) from jobs"))
	require.ErrorIs(t, r.worker.Send(t.Context(), due[0]), desk.ErrFenced, "an attempt that is over sends nothing")
	require.Len(t, r.told(), 1)
}

// A mail is tried again while the server is away, as the same mail, and given up after two days or when its receiver is unknown.
//
// Covers operator §Messages: A mail that cannot be handed to the mail server
func TestTriesOfAMail(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.member(r.shop, "ann@example.com", "owner")
	r.server.Set(func(s *mailserver.Server) { s.Full = mailserver.Later })
	r.failed(r.shop, "a")
	require.Equal(t, 1, r.work())
	require.Equal(t, 1, r.count("select count(*) from jobs where run_at between now() + interval '50 seconds' and now() + interval '1 minute' and last_error like '%again later%'"))
	require.Equal(t, 1, r.work())
	require.Equal(t, 1, r.count("select count(*) from jobs where run_at between now() + interval '110 seconds' and now() + interval '2 minutes'"))
	r.server.Set(func(s *mailserver.Server) { s.Full, s.Lose = nil, 1 })
	r.failed(r.shop, "b")
	require.Equal(t, 1, r.work(), "the answer to the first mail is lost")
	require.Zero(t, r.work())
	ids := map[string]int{}
	for _, m := range r.server.Mails() {
		ids[m.Header.Get("Message-ID")]++
	}
	require.Len(t, r.told(), 3)
	require.Len(t, ids, 2, "a mail that is sent twice is the same one: %v", ids)

	r.server.Set(func(s *mailserver.Server) { s.Full = mailserver.Later })
	r.failed(r.shop, "c")
	require.Equal(t, 1, r.work())
	r.exec("update messages set made_at = made_at - interval '49 hours'")
	require.Zero(t, r.work())
	r.server.Set(func(s *mailserver.Server) {
		s.Full, s.Refuse = nil, map[string]error{"ann@example.com": mailserver.Gone}
	})
	r.failed(r.shop, "d")
	require.Zero(t, r.work(), "nobody of this name is there: it is not tried again")
	lost, err := r.worker.Store.MessagesGivenUp(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 2, lost.Messages)
	require.Contains(t, lost.Why, "no such user")
	require.Len(t, r.told(), 3)
}

// A service without a mail server drops messages: nothing old is sent once there is one.
//
// Covers operator §Messages: Without SMTP_URL
func TestWithoutAServer(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.member(r.shop, "ann@example.com", "owner")
	r.failed(r.shop, "a")
	mailer := r.worker.Mail
	r.worker.Mail = nil
	require.Zero(t, r.work())
	require.Zero(t, r.count("select count(*) from messages"))
	r.worker.Mail = mailer
	require.Zero(t, r.work())
	require.Empty(t, r.told())
}

// A link is sealed until it is mailed, and gone afterwards. If it can never be written, it is given up.
func TestLinksAreMailed(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	desk := &admin.Admin{Store: store.New(testkit.DBAs(t, migrations.OperatorRole)), Vault: r.worker.Secrets, Actor: "ops"}
	invited, err := desk.InvitePerson(t.Context(), r.shop, "ann@example.com", "owner")
	require.NoError(t, err)
	_, token, _ := strings.Cut(invited.Path, "token=")
	require.Equal(t, 1, r.count("select count(*) from messages where sealed is not null and page = ''"))
	require.Zero(t, r.count("select count(*) from messages m where m::text like '%"+token+"%' or sealed like '%"+token+"%'::bytea"))
	require.Zero(t, r.work())
	raw := strings.ReplaceAll(strings.ReplaceAll(r.server.Mails()[0].Raw, "=\r\n", ""), "=3D", "=")
	require.Contains(t, raw, "https://pay.example.com"+invited.Path)
	require.NotContains(t, raw, "/panel/account")
	require.Zero(t, r.count("select count(*) from messages where sealed is not null"))

	r.worker.Base = ""
	_, err = desk.InvitePerson(t.Context(), r.shop, "bob@example.com", "viewer")
	require.NoError(t, err)
	require.Zero(t, r.work())
	require.Len(t, r.server.Mails(), 1)
	require.Equal(t, 1, r.count("select count(*) from messages where why like '%PUBLIC_BASE_URL%' and sealed is null"))
}

// A mail to an operator links to the page of the console and to the operator's switches, and to nothing if the console's address is not known.
//
// Covers operator §Messages: Mails to operators link
// Covers operator §Settings: CONSOLE_BASE_URL
func TestOperatorsMailsLinkToTheConsole(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.exec("insert into operators (id, name, role, password, mail) values (?, 'ops', 'viewer', '', 'ops@example.com')", uuid.New())
	tellOps := func(topic message.Topic) string {
		t.Helper()
		require.NoError(t, r.worker.Store.TellOperators(t.Context(), string(topic), message.TitleOf(topic), "Something is amiss."))
		require.Zero(t, r.work())
		mails := r.server.Mails()
		return strings.ReplaceAll(strings.ReplaceAll(mails[len(mails)-1].Raw, "=\r\n", ""), "=3D", "=")
	}
	require.NotContains(t, tellOps(message.ReceiverFailing), "http", "neither the panel's switches nor a page of it are an operator's")
	r.worker.Console = "https://ops.example.com"
	for topic, page := range map[message.Topic]string{message.ApprovalWaits: "approvals", message.ReceiverFailing: "webhooks", message.Other: ""} {
		raw := tellOps(topic)
		require.Contains(t, raw, "https://ops.example.com/console/"+page+"\r\n")
		require.Contains(t, raw, "https://ops.example.com/console/account")
		require.NotContains(t, raw, "pay.example.com/")
	}
}
