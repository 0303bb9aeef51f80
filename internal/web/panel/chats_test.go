package panel_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"causeway/internal/people"
)

const (
	aHook  = "https://hooks.slack.com/services/T0001/B0002/abcDEF123"
	aToken = "123456:ABC-DEF_ghijklmnopqrstuvw"
)

// An owner sets the chats of a merchant. Their secrets are in no page and in no row of the audit.
func TestChats(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann, dev, bob := f.member(f.shop, "ann@example.com", people.Owner), f.member(f.shop, "dev@example.com", people.Developer), f.member(f.other, "bob@example.com", people.Owner)
	f.messages()
	for want, fields := range map[string][]string{
		"that of an incoming webhook": {"secret", "https://example.com/services/T0001/B0002/abc"},
		"that of a bot":               {"secret", aHook, "to", "1"},
		"number of a chat":            {"secret", aToken, "to", "a chat"},
	} {
		kind := "telegram"
		if len(fields) == 2 {
			kind = "slack"
		}
		if _, page := ann.do("chats/"+kind, fields...); !strings.Contains(page, want) {
			t.Errorf("%q is answered %s", fields, page)
		}
	}
	if code, page := ann.do("chats/slack", "secret", aHook, "topics", "key-created", "back", "/panel/chats"); code != http.StatusOK && code != http.StatusSeeOther || !strings.Contains(page, "The chat is set") {
		t.Fatalf("setting is answered %d %s", code, page)
	}
	ann.do("chats/telegram", "secret", aToken, "to", "-100123", "topics", "payout-failed")
	_, page := ann.get("chats")
	for _, want := range []string{"https://hooks.slack.com/services/T0001/B0002/…", "-100123, by the bot 123456", "ann@example.com", "Send a test"} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is missing in %s", want, page)
		}
	}
	var audit string
	f.must(f.db.NewRaw("select string_agg(coalesce(before::text, '') || coalesce(after::text, ''), ' ') from audit").Scan(t.Context(), &audit))
	var sealed int
	f.must(f.db.NewRaw("select count(*) from chats where position('abcDEF123' in encode(sealed, 'escape')) > 0 or position('ghijkl' in encode(sealed, 'escape')) > 0").Scan(t.Context(), &sealed))
	for _, secret := range []string{"abcDEF123", "ghijkl"} {
		if strings.Contains(page, secret) || strings.Contains(audit, secret) || sealed > 0 {
			t.Errorf("%s is shown or kept: %d", secret, sealed)
		}
	}
	if code, page := dev.do("keys", "scopes", "payin:read"); code != http.StatusOK {
		t.Fatalf("making a key is answered %d %s", code, page)
	}
	if got := f.messages(); !slices.Equal(got, []string{"mail:ann@example.com An API key was created", "mail:dev@example.com An API key was created",
		"slack:" + f.shop.String() + " An API key was created"}) {
		t.Errorf("a key tells %v", got)
	}
	if _, page := ann.do("chats/telegram/test"); !strings.Contains(page, "goes out within seconds") {
		t.Errorf("a test is answered %s", page)
	}
	if _, page := dev.get("chats"); !strings.Contains(page, "A message is on its way") || !strings.Contains(page, `data-live`) || strings.Contains(page, "Send a test") {
		t.Errorf("a developer sees %s", page)
	}
	if got := f.messages(); !slices.Equal(got, []string{"telegram:" + f.shop.String() + " A test"}) {
		t.Errorf("a test tells %v", got)
	}
	f.strangersChats(dev, bob)
	if _, page := ann.do("chats/telegram/remove"); !strings.Contains(page, "was removed") {
		t.Errorf("removing is answered %s", page)
	}
	if code, _ := ann.do("chats/telegram/remove"); code != http.StatusNotFound {
		t.Errorf("removing again is answered %d", code)
	}
	want := []string{"person:ann@example.com chat.set", "person:ann@example.com chat.set", "person:ann@example.com chat.test", "person:ann@example.com chat.remove"}
	if got := slices.DeleteFunc(f.audited(f.shop), func(row string) bool { return !strings.Contains(row, " chat.") }); !slices.Equal(got, want) {
		t.Errorf("the audit has %q", got)
	}
}

// strangersChats tries every act as somebody without the right, and as an owner of another merchant.
func (f *floor) strangersChats(dev, bob *person) {
	f.Helper()
	for _, path := range []string{"chats/slack", "chats/slack/topics", "chats/slack/test", "chats/slack/remove"} {
		if code, _ := dev.do(path, "secret", aHook); code != http.StatusForbidden {
			f.Errorf("a developer's %s is answered %d", path, code)
		}
		if path == "chats/slack" {
			continue
		}
		if code, _ := bob.do(path); code != http.StatusNotFound {
			f.Errorf("another merchant's %s is answered %d", path, code)
		}
	}
	if _, page := bob.get("chats"); strings.Contains(page, "T0001") {
		f.Error("another merchant sees the chat")
	}
	if code, _ := bob.do("chats/irc", "secret", aHook); code == http.StatusInternalServerError {
		f.Errorf("a strange kind is answered %d", code)
	}
}
