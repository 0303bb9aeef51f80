package console_test

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
)

const newPassword = "another password"

// changesOfALogin are the changes to end every login of ann, by name.
var changesOfALogin = map[string]func(context.Context, *desk) error{
	"password": func(ctx context.Context, d *desk) error {
		_, err := d.admin.SetOperatorPassword(ctx, "ann", newPassword)
		return err
	},
	"disabled": func(ctx context.Context, d *desk) error {
		_, err := d.admin.DisableOperator(ctx, "ann")
		return err
	},
	"disabled and enabled, with another password": func(ctx context.Context, d *desk) error {
		_, err := d.admin.DisableOperator(ctx, "ann")
		require.NoError(d.t, err)
		_, err = d.admin.SetOperatorPassword(ctx, "ann", newPassword)
		require.NoError(d.t, err)
		_, err = d.admin.EnableOperator(ctx, "ann")
		return err
	},
}

var offeredSecret = regexp.MustCompile(`\b[A-Z2-7]{32}\b`)

// offered is the secret on the operator's own page.
func (p *person) offered() string {
	p.d.t.Helper()
	_, page := p.get("/console/account")
	found := offeredSecret.FindString(page)
	require.NotEmpty(p.d.t, found, page)
	return found
}

// firstCode is a code of a secret offered and not confirmed yet.
func firstCode(t *testing.T, secret string) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, time.Now())
	require.NoError(t, err)
	return code
}

// A secret seen by somebody before the password was set, or the operator disabled or enabled, is not offered afterwards.
//
// Covers operator §Console: Operators log in by name
func TestAnOfferedSecretEndsWithThePassword(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*desk) error{
		"password": func(d *desk) error {
			_, err := d.admin.SetOperatorPassword(d.t.Context(), "ann", newPassword)
			return err
		},
		"disable": func(d *desk) error {
			_, err := d.admin.DisableOperator(d.t.Context(), "ann")
			return err
		},
		"enable": func(d *desk) error {
			d.exec("update operators set disabled_at = now()")
			_, err := d.admin.EnableOperator(d.t.Context(), "ann")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			d.operator("ann", admin.RoleViewer)
			p := d.person()
			p.login("ann", password)
			seen := p.offered()
			require.Equal(t, seen, p.offered(), "nothing has changed")
			require.NoError(t, change(d))
			_, err := d.admin.ConfirmTOTP(t.Context(), "ann", firstCode(t, seen))
			require.ErrorContains(t, err, "has no secret to confirm")
			again, err := d.admin.OfferTOTP(t.Context(), "ann")
			require.NoError(t, err)
			require.NotEqual(t, seen, again.Secret)
		})
	}
}

// thief is somebody who has read the cookie of a browser by now.
func (p *person) thief() *person {
	p.d.t.Helper()
	at, err := url.Parse(p.d.url)
	must(p.d.t, err)
	out := p.d.person()
	out.http.Jar.SetCookies(at, p.http.Jar.Cookies(at))
	status, _ := out.get("/console/payouts")
	require.Equal(p.d.t, http.StatusOK, status)
	return out
}

// A code is taken into use only with the password, and ends every other login. This one goes on under a new cookie.
//
// Covers operator §Console: Operators log in by name
// Covers operator §Console: A login ends
func TestACodeIsTakenIntoUseWithThePassword(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	d.operator("bob", admin.RoleViewer)
	here, elsewhere, bob := d.person(), d.person(), d.person()
	here.login("ann", password)
	elsewhere.login("ann", password)
	bob.login("bob", password)
	code := firstCode(t, here.offered())
	for _, given := range []string{"", "wrong password"} {
		_, page := here.do("account/code", "code", code, "password", given)
		require.Contains(t, page, "the current password is wrong")
	}
	require.Contains(t, d.audited(), "ann operator.login-failed")
	require.NotContains(t, d.audited(), "ann operator.totp")
	thief := here.thief()
	_, page := here.do("account/code", "code", code, "password", password)
	require.Contains(t, page, "From now on, logging in also takes a code.")
	for name, c := range map[string]struct {
		who  *person
		want int
	}{"here": {here, http.StatusOK}, "by the cookie of before": {thief, http.StatusSeeOther}, "elsewhere": {elsewhere, http.StatusSeeOther}, "another operator": {bob, http.StatusOK}} {
		status, _ := c.who.get("/console/payouts")
		require.Equal(t, c.want, status, name)
	}
	d.codes("bob")
	status, _ := bob.get("/console/payouts")
	require.Equal(t, http.StatusSeeOther, status, "the command line ends all of them")
}

// Guesses of the password on the operator's own page count as failed logins.
//
// Covers operator §Console: Ten failed logins
func TestGuessesOnTheOwnPageAreLimited(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	p := d.person()
	p.login("ann", password)
	code := firstCode(t, p.offered())
	for range 10 {
		p.do("account/code", "code", code, "password", "guess guess")
	}
	_, page := p.do("account/code", "code", code, "password", password)
	require.Contains(t, page, "too many failed logins")
	_, page = p.do("account/password", "old", password, "new", newPassword)
	require.Contains(t, page, "too many failed logins")
	require.NotContains(t, d.audited(), "ann operator.totp")
}

// hashed is the hash of a session.
func hashed(name string) []byte { return []byte(name) }

// sessionOf reads a session, whatever its age.
func (d *desk) sessionOf(hash []byte) (*store.Session, error) {
	return d.store.SessionOf(d.t.Context(), hash, time.Hour, time.Hour, time.Hour)
}

// The right password, given just before it was changed, lets nobody in afterwards.
//
// Covers operator §Console: A login ends
func TestALoginUnderWayEndsWithThePassword(t *testing.T) {
	t.Parallel()
	changes := map[string]func(context.Context, *desk) error{
		"a code": func(_ context.Context, d *desk) error {
			d.codes("ann")
			return nil
		},
	}
	maps.Copy(changes, changesOfALogin)
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			d.operator("ann", admin.RoleViewer)
			o, err := d.admin.Login(t.Context(), "ann", password, "here")
			require.NoError(t, err)
			require.NoError(t, d.admin.LetIn(t.Context(), o, hashed("before"), nil, "here"))
			require.NoError(t, change(t.Context(), d))
			require.ErrorIs(t, d.admin.LetIn(t.Context(), o, hashed("after"), nil, "here"), admin.ErrNoLogin)
			var left, audited int
			require.NoError(t, d.db.NewRaw("select count(*) from operator_sessions").Scan(t.Context(), &left))
			require.NoError(t, d.db.NewRaw("select count(*) from audit where action = 'operator.login'").Scan(t.Context(), &audited))
			require.Equal(t, [2]int{0, 1}, [2]int{left, audited})
		})
	}
}

// A session waiting for a code becomes no login once a change has ended it, not even with the operator as read afterwards. A code of
// the former secret is refused.
//
// Covers operator §Console: A login ends
func TestALoginThatWaitsForACodeEndsWithThePassword(t *testing.T) {
	t.Parallel()
	changes := map[string]func(context.Context, *desk) error{
		"the code is dropped": func(ctx context.Context, d *desk) error {
			_, err := d.admin.DropTOTP(ctx, "ann")
			return err
		},
		"another code": func(_ context.Context, d *desk) error {
			d.codes("ann")
			return nil
		},
	}
	maps.Copy(changes, changesOfALogin)
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			d.operator("ann", admin.RoleViewer)
			code := d.codes("ann")
			o, err := d.admin.Login(t.Context(), "ann", password, "here")
			require.NoError(t, err)
			require.NoError(t, d.admin.LetIn(t.Context(), o, hashed("waits"), nil, "here"))
			waits, err := d.sessionOf(hashed("waits"))
			require.NoError(t, err)
			require.False(t, waits.Passed)
			require.NoError(t, change(t.Context(), d))
			if strings.Contains(name, "code") {
				require.ErrorIs(t, d.admin.PassCode(t.Context(), "ann", code(), "here"), admin.ErrNoLogin)
			}
			now, err := d.store.OperatorNamed(t.Context(), "ann")
			require.NoError(t, err)
			for what, as := range map[string]*store.Operator{"as it was": waits.Operator, "as it is": now} {
				require.ErrorIs(t, d.admin.LetIn(t.Context(), as, hashed("in"), hashed("waits"), "here"), admin.ErrNoLogin, what)
			}
			_, err = d.sessionOf(hashed("in"))
			require.ErrorIs(t, err, pay.ErrNotFound)
		})
	}
}

// A request about the own login does nothing once the login has ended: nothing is offered to it, and it changes no password.
//
// Covers operator §Console: A login ends
func TestAnEndedLoginChangesNothingOfTheOperator(t *testing.T) {
	t.Parallel()
	for name, change := range changesOfALogin {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			d.operator("ann", admin.RoleViewer)
			o, err := d.admin.Login(t.Context(), "ann", password, "here")
			require.NoError(t, err)
			require.NoError(t, d.admin.LetIn(t.Context(), o, hashed("old"), nil, "here"))
			_, err = d.admin.OfferOwnTOTP(t.Context(), "ann", hashed("old"))
			require.NoError(t, err)
			require.NoError(t, change(t.Context(), d))
			before, err := d.store.OperatorNamed(t.Context(), "ann")
			require.NoError(t, err)
			_, err = d.admin.OfferOwnTOTP(t.Context(), "ann", hashed("old"))
			require.ErrorContains(t, err, "this login has ended")
			offered, err := d.admin.OfferTOTP(t.Context(), "ann")
			require.NoError(t, err)
			_, err = d.admin.ConfirmOwnTOTP(t.Context(), "ann", firstCode(t, offered.Secret), hashed("old"), hashed("new"))
			require.ErrorContains(t, err, "this login has ended")
			_, err = d.admin.SetOwnPassword(t.Context(), "ann", "the intruder's own", hashed("old"))
			require.ErrorContains(t, err, "this login has ended")
			after, err := d.store.OperatorNamed(t.Context(), "ann")
			require.NoError(t, err)
			require.Nil(t, before.TOTPOffered)
			require.Nil(t, after.TOTP)
			require.Equal(t, before.Password, after.Password)
		})
	}
}

// onQuery runs something once, after the first query about something.
type onQuery struct {
	about string
	do    func()
	done  *bool
}

// BeforeQuery implements bun.QueryHook.
func (onQuery) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context { return ctx }

// AfterQuery implements bun.QueryHook.
func (q onQuery) AfterQuery(_ context.Context, e *bun.QueryEvent) {
	if !*q.done && strings.Contains(e.Query, q.about) {
		*q.done = true
		q.do()
	}
}

// If the password is changed during a login's check, the login is answered as one with a wrong password.
//
// Covers operator §Console: A login ends
func TestALoginDuringAChangeIsAnsweredAsAWrongOne(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	done := false
	d.console.Store = store.New(d.db.WithQueryHook(onQuery{`FROM "operators"`, func() {
		require.NoError(t, changesOfALogin["password"](t.Context(), d))
	}, &done}))
	p := d.person()
	status, _, body := p.ask(http.MethodPost, "/console/login", url.Values{"name": {"ann"}, "password": {password}})
	require.True(t, done)
	require.Equal(t, http.StatusUnauthorized, status)
	require.Contains(t, body, "The name or password is wrong.")
	status, _ = p.get("/console/payouts")
	require.Equal(t, http.StatusSeeOther, status)
	require.Equal(t, http.StatusSeeOther, p.login("ann", newPassword))
}

// steps notes the questions to the database: the first word of each query and its tables.
type steps struct{ taken *[]string }

var tableNames = regexp.MustCompile(`\b(audit|audit_head|operators|operator_tries|operator_sessions)\b`)

// BeforeQuery implements bun.QueryHook.
func (steps) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context { return ctx }

// AfterQuery implements bun.QueryHook.
func (s steps) AfterQuery(_ context.Context, e *bun.QueryEvent) {
	word, _, _ := strings.Cut(strings.ToLower(e.Query), " ")
	if word == "release" { // a row is kept or taken back: either way nothing waits for the disk
		word = "rollback"
	}
	*s.taken = append(*s.taken, strings.Join(append([]string{word}, tableNames.FindAllString(e.Query, -1)...), " "))
}

// The steps before the answer do not tell whether somebody has a name, and an unknown name is not in the audit.
func TestAFailedLoginTakesTheSameStepsForEveryName(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	try := func(name string) (taken []string) {
		a := &admin.Admin{Store: store.New(d.db.WithQueryHook(steps{&taken}))}
		_, err := a.Login(t.Context(), name, "wrong password", "here")
		require.ErrorIs(t, err, admin.ErrNoLogin)
		return taken
	}
	known := try("ann")
	require.Contains(t, known, "insert audit")
	require.ElementsMatch(t, known, try("nobody"))
	audited := d.audited()
	require.Contains(t, audited, "ann operator.login-failed")
	require.NotContains(t, audited, "nobody operator.login-failed")
	_, err := d.admin.VerifyAudit(t.Context(), 0, "")
	require.NoError(t, err)
}
