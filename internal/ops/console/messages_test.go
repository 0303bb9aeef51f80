package console_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/message"
	"causeway/internal/ops/admin"
)

var mailedCode = regexp.MustCompile(`The code is ([A-Z2-7]{8})\.`)

// An operator is told by e-mail at an address that has shown a code, after the password was given, and chooses the topics. Five wrong codes
// end a code.
//
// Covers operator §Messages: An operator gives an e-mail address
func TestOwnMail(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	ann := d.person()
	require.Equal(t, http.StatusSeeOther, ann.login("ann", password))
	told := func() (all []string) {
		require.NoError(t, d.db.NewRaw("select line from messages where receiver = 'mail:ann@example.com' order by made_at").Scan(t.Context(), &all))
		return all
	}
	mail := func() (address string) {
		require.NoError(t, d.db.NewRaw("select coalesce(mail, '') from operators where name = 'ann'").Scan(t.Context(), &address))
		return address
	}
	for _, given := range [][2]string{{"ann@example.com", "wrong"}, {"no address", password}} {
		ann.do("account/mail", "mail", given[0], "password", given[1])
		require.Empty(t, told(), given)
	}
	offer := func() { ann.do("account/mail", "mail", "Ann@example.com", "password", password) }
	offer()
	code := func() string { all := told(); return mailedCode.FindStringSubmatch(all[len(all)-1])[1] }
	for range 5 {
		ann.do("account/mail/code", "code", "AAAAAAAA")
	}
	ann.do("account/mail/code", "code", code())
	require.Empty(t, mail(), "five wrong codes end a code")

	offer()
	d.exec("update operators set mail_at = mail_at - interval '1 hour'")
	ann.do("account/mail/code", "code", code())
	require.Empty(t, mail(), "a code is good for an hour")

	offer()
	ann.do("account/mail/code", "code", strings.ToLower(code()))
	require.Equal(t, "ann@example.com", mail())
	ann.do("account/mail/code", "code", code())

	ann.do("account/messages", "topics", "books-differ")
	status, page := ann.get("/console/account")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, 1, strings.Count(page, "checked"), page)
	require.Contains(t, page, "SMTP_URL is not set")

	ann.do("account/mail", "mail", "", "password", password)
	require.Empty(t, mail())
	require.Len(t, told(), 3, "nothing else is sent before an address is confirmed")
}

// Every topic of operators has a page of the console to link to.
func TestTopicsHavePages(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	ann := d.person()
	require.Equal(t, http.StatusSeeOther, ann.login("ann", password))
	for _, topic := range message.OfOperators {
		status, page := ann.get(message.ConsolePage(topic.Topic))
		require.Equal(t, http.StatusOK, status, topic.Topic)
		require.NotContains(t, page, "Not found", topic.Topic)
	}
	status, page := ann.get(message.ConsoleSwitches)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, page, `name="topics"`)
}
