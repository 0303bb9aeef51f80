package message

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

const (
	aHook  = "https://hooks.slack.com/services/T0001/B0002/abcDEF123"
	aToken = "123456:ABC-DEF_ghijklmnopqrstuvw"
)

// A chat names the host of its service alone, whatever a person gives, and is shown without its secret.
func TestReadChat(t *testing.T) {
	t.Parallel()
	slack, err := ReadChat(Slack, aHook, "ignored")
	require.NoError(t, err)
	require.Equal(t, "https://hooks.slack.com/services/T0001/B0002/…", slack.Shown())
	address, body, err := slack.Post("a <b> & c")
	require.NoError(t, err)
	require.Equal(t, aHook, address)
	require.Contains(t, string(body), `a \u0026lt;b\u0026gt; \u0026amp; c`)
	bot, err := ReadChat(Telegram, aToken, "-100123")
	require.NoError(t, err)
	require.Equal(t, "-100123, by the bot 123456", bot.Shown())
	address, body, err = bot.Post("a <b>")
	require.NoError(t, err)
	require.Equal(t, "https://api.telegram.org/bot"+aToken+"/sendMessage", address)
	var sent map[string]any
	require.NoError(t, json.Unmarshal(body, &sent))
	require.Equal(t, "-100123", sent["chat_id"])
	require.Equal(t, "a <b>", sent["text"])
	for _, given := range [][3]string{
		{Slack, "", ""}, {Slack, "http://hooks.slack.com/services/T1/B2/abc", ""}, {Slack, "https://hooks.slack.com.example.com/services/T1/B2/abc", ""},
		{Slack, "https://hooks.slack.com@example.com/services/T1/B2/abc", ""}, {Slack, "https://hooks.slack.com:8443/services/T1/B2/abc", ""},
		{Slack, "https://hooks.slack.com/services/T1/B2/../../x", ""}, {Slack, aHook + "?a=b", ""}, {Slack, aHook + "\n", ""}, {Slack, "https://example.com/services/T1/B2/abc", ""},
		{Telegram, "", "1"}, {Telegram, "123456:short", "1"}, {Telegram, aToken + "/../x", "1"}, {Telegram, aToken + "@example.com", "1"},
		{Telegram, aToken, ""}, {Telegram, aToken, "@x"}, {Telegram, aToken, "1; 2"}, {"irc", aHook, ""},
	} {
		_, err := ReadChat(given[0], given[1], given[2])
		require.Error(t, err, "%q", given)
		require.NotContains(t, err.Error(), "short")
	}
}

// An answer is a success, for good, with a wait, or unknown. Only plain words of it are told.
func TestJudge(t *testing.T) {
	t.Parallel()
	slack, bot := &Chat{Kind: Slack}, &Chat{Kind: Telegram}
	require.NoError(t, slack.Judge(200, "", 0))
	require.NoError(t, bot.Judge(200, "", 0))
	for body, status := range map[string]int{"invalid_payload": 400, "action_prohibited": 403, "no_service": 404, "channel_is_archived": 410} {
		err := slack.Judge(status, body, 0)
		require.ErrorIs(t, err, ErrRefused)
		require.ErrorContains(t, err, body)
	}
	err := bot.Judge(403, `{"ok":false,"error_code":403,"description":"Forbidden: bot was blocked by the user"}`, 0)
	require.ErrorIs(t, err, ErrRefused)
	require.ErrorContains(t, err, "bot was blocked by the user")
	err = slack.Judge(404, "<script>alert(1)</script>", 0)
	require.ErrorIs(t, err, ErrRefused)
	require.NotContains(t, err.Error(), "script")
	later := new(Later)
	require.ErrorAs(t, slack.Judge(429, "", 30*time.Second), &later)
	require.Equal(t, 30*time.Second, later.After)
	require.ErrorAs(t, bot.Judge(429, `{"ok":false,"parameters":{"retry_after":34}}`, 0), &later)
	require.Equal(t, 34*time.Second, later.After)
	require.ErrorAs(t, bot.Judge(429, `{"parameters":{"retry_after":99999999999999}}`, 0), &later)
	for _, status := range []int{302, 408, 500, 502} {
		err := bot.Judge(status, "no JSON", 0)
		require.Error(t, err)
		require.NotErrorIs(t, err, ErrRefused)
	}
}

// A text names the first facts, counts the rest, and stays below the bound of a chat.
func TestChatText(t *testing.T) {
	t.Parallel()
	line := Line{Title: "A payout failed", Text: "Payout 7 failed.", Link: "https://pay.example.com/panel/payouts/7", Merchant: "Shop"}
	require.Equal(t, "A payout failed (Shop)\nPayout 7 failed.\nhttps://pay.example.com/panel/payouts/7\n", ChatText([]Line{line}))
	many := make([]Line, 25)
	for i := range many {
		many[i] = line
	}
	text := ChatText(many)
	require.Equal(t, 10, strings.Count(text, "Payout 7"))
	require.Contains(t, text, "And 15 more")
	line.Text = strings.Repeat("\U0001F4B8", 1000)
	text = ChatText([]Line{line, line, line})
	require.Contains(t, text, "And 2 more")
	require.Less(t, len(utf16.Encode([]rune(text))), 4096)
}
