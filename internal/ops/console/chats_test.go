package console_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
)

const (
	aHook  = "https://hooks.slack.com/services/T0001/B0002/abcDEF123"
	aToken = "123456:ABC-DEF_ghijklmnopqrstuvw"
)

// An admin sets the operators' chats, with a fresh proof. Their secrets are in no page, row or audit, and nobody else may change them.
//
// Covers operator §Messages: The operators may be told
func TestChatsOfOperators(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleAdmin)
	ann := d.person()
	require.Equal(t, http.StatusSeeOther, ann.login("ann", password))
	d.stale()
	_, page := ann.do("chats/slack", "secret", aHook)
	require.Contains(t, page, "Confirm that it is you")
	d.exec("update operator_sessions set proved_at = now()")
	for kind, given := range map[string][2]string{"slack": {"https://example.com/services/T0001/B0002/abc", ""}, "telegram": {aToken, "a chat"}, "irc": {aHook, ""}} {
		_, page = ann.do("chats/"+kind, "secret", given[0], "to", given[1])
		require.Contains(t, page, `class="flash bad"`, kind)
	}
	_, page = ann.do("chats/slack", "secret", aHook, "topics", "wallet-low", "back", "/console/chats")
	require.Contains(t, page, "The chat is set")
	require.Contains(t, page, "https://hooks.slack.com/services/T0001/B0002/…")
	require.Equal(t, 2+7, strings.Count(page, "checked"), "one topic of the chat, in both of its forms, and all of one to be set")
	ann.do("chats/telegram", "secret", aToken, "to", "-100123")
	_, page = ann.do("chats/telegram/test", "back", "/console/chats")
	require.Contains(t, page, "A message is on its way")

	var kept string
	require.NoError(t, d.db.NewRaw(`select concat((select string_agg(encode(sealed, 'escape') || shown, ' ') from operator_chats),
		(select string_agg(coalesce(before::text, '') || coalesce(after::text, ''), ' ') from audit))`).Scan(t.Context(), &kept))
	for _, secret := range []string{"abcDEF123", "ghijkl"} {
		require.NotContains(t, page+kept, secret)
	}
	token := tokenForm.FindStringSubmatch(page)[1]
	for _, role := range []string{admin.RoleViewer, admin.RoleOperator} {
		d.exec("update operators set role = ?", role)
		for _, path := range []string{"chats/slack", "chats/slack/topics", "chats/slack/test", "chats/slack/remove"} {
			status, _, _ := ann.ask(http.MethodPost, "/console/"+path, url.Values{"csrf": {token}, "secret": {aHook}})
			require.Equal(t, http.StatusForbidden, status, role+" "+path)
		}
		status, page := ann.get("/console/chats")
		require.Equal(t, http.StatusOK, status)
		require.Contains(t, page, "-100123, by the bot 123456")
		require.NotContains(t, page, "Remove")
	}
	d.exec("update operators set role = 'admin'")
	_, page = ann.do("chats/slack/topics", "topics", "other")
	require.Contains(t, page, "Your choice was saved")
	ann.do("chats/slack/remove")
	for _, act := range []string{"remove", "test", "topics"} {
		status, _, _ := ann.ask(http.MethodPost, "/console/chats/slack/"+act, url.Values{"csrf": {token}})
		require.Equal(t, http.StatusNotFound, status, act)
	}
	audited := slices.DeleteFunc(d.audited(), func(row string) bool { return !strings.Contains(row, " chat.") })
	require.Equal(t, []string{"ann chat.set", "ann chat.set", "ann chat.test", "ann chat.topics", "ann chat.remove"}, audited)
}
