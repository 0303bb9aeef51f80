package tell_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/message"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/internal/webhooks"
	"causeway/migrations"
	"causeway/workers/tell"
)

const (
	hook  = "/services/T0001/B0002/abcDEF123"
	token = "123456:ABC-DEF_ghijklmnopqrstuvw"
)

// fakeChats is a fake of Slack's incoming webhooks and of Telegram's sendMessage. It refuses as they do: another address or token, a
// body other than JSON, a chat without the bot, no text, and a text of too many characters.
type fakeChats struct {
	*testing.T
	mu     sync.Mutex
	texts  []string
	answer func(w http.ResponseWriter) bool // answers in place of the fake; nil never
}

// answers has another answer in place of the fake's; nil ends that.
func (f *fakeChats) answers(answer func(w http.ResponseWriter) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answer = answer
}

// told are the texts that came.
func (f *fakeChats) told() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.texts)
}

func (f *fakeChats) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name := range r.Header {
		if strings.Contains(name, "Signature") || strings.Contains(name, "Delivery") {
			f.Errorf("a chat is sent the header %s", name)
		}
	}
	var in struct {
		Text string `json:"text"`
		Chat string `json:"chat_id"`
	}
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &in)
	}
	switch slack := strings.HasPrefix(r.URL.Path, "/services/"); {
	case f.answer != nil && f.answer(w):
	case slack && r.URL.Path != hook:
		http.Error(w, "no_service", http.StatusNotFound)
	case slack && (err != nil || r.Header.Get("Content-Type") != "application/json"):
		http.Error(w, "invalid_payload", http.StatusBadRequest)
	case slack && in.Text == "":
		http.Error(w, "no_text", http.StatusBadRequest)
	case slack:
		f.texts = append(f.texts, "slack "+in.Text)
		_, _ = io.WriteString(w, "ok")
	case r.URL.Path != "/bot"+token+"/sendMessage":
		telegramError(w, http.StatusUnauthorized, "Unauthorized")
	case err != nil || in.Chat != "-100123":
		telegramError(w, http.StatusBadRequest, "Bad Request: chat not found")
	case in.Text == "":
		telegramError(w, http.StatusBadRequest, "Bad Request: message text is empty")
	case len(utf16.Encode([]rune(in.Text))) > 4096:
		telegramError(w, http.StatusBadRequest, "Bad Request: message is too long")
	default:
		f.texts = append(f.texts, "telegram "+in.Text)
		_, _ = io.WriteString(w, `{"ok":true,"result":{}}`)
	}
}

func telegramError(w http.ResponseWriter, status int, why string) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"ok": false, "error_code": status, "description": why}) // a client gone reads nothing
}

// turned sends requests for the services' hosts to the fake, by the client of webhooks.
type turned struct {
	client *webhooks.Client
	to     string
}

func (p turned) Post(ctx context.Context, address string, body []byte, secret string) webhooks.Attempt {
	for _, host := range []string{"https://hooks.slack.com", "https://api.telegram.org"} {
		if path, ours := strings.CutPrefix(address, host); ours {
			return p.client.Post(ctx, p.to+path, body, secret)
		}
	}
	return webhooks.Attempt{Error: "a stranger's host: " + address}
}

// withChats gives a room a fake, and its shop both chats.
func (r *room) withChats() (*fakeChats, *admin.Admin) {
	r.Helper()
	f := &fakeChats{T: r.T}
	server := httptest.NewServer(f)
	r.Cleanup(server.Close)
	client := webhooks.NewClient(webhooks.Options{AllowedHosts: []string{"127.0.0.1"}})
	r.Cleanup(client.Close)
	r.worker.Chats = turned{client, server.URL}
	by := &admin.Admin{Store: store.New(r.db), Vault: r.worker.Secrets, Actor: "person:ann@example.com"}
	all := []string{"key-created", "payout-failed", "receiver-failing"}
	require.NoError(r, by.SetChat(r.Context(), r.shop, message.Slack, "https://hooks.slack.com"+hook, "", all))
	require.NoError(r, by.SetChat(r.Context(), r.shop, message.Telegram, token, "-100123", all))
	return f, by
}

// Chats are told of their merchant, of the topics switched on, without a mail server too. Messages go together, ten an hour.
func TestChatsAreTold(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.worker.Mail = nil
	f, by := r.withChats()
	r.failed(r.merchant("Other"), "x")
	r.failed(r.shop, "a", "b")
	require.Zero(t, r.work())
	text := "A payout failed (Shop)\nPayout a failed.\nhttps://pay.example.com/panel/payouts/a\n\nA payout failed (Shop)\nPayout b failed.\nhttps://pay.example.com/panel/payouts/b\n"
	require.ElementsMatch(t, []string{"slack " + text, "telegram " + text}, f.told())
	require.NoError(t, by.SetChatTopics(t.Context(), r.shop, message.Slack, []string{"key-created"}))
	for range tell.MostMails + 2 {
		r.failed(r.shop, "c")
		r.work()
	}
	require.Len(t, f.told(), 2+tell.MostMails-1, "one chat is quiet, and the other has had its ten")
	require.NoError(t, by.DropChat(t.Context(), r.shop, message.Telegram))
	require.Zero(t, r.work(), "what waits for a removed chat is dropped")
	state, err := by.Store.StateOf(t.Context(), store.ChatID(message.Telegram, r.shop))
	require.NoError(t, err)
	require.Zero(t, state.Waiting)
}

// A refusal ends a message and is shown, a wait is kept, and a lost answer is no end.
func TestTriesOfAChat(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	f, by := r.withChats()
	state := func(kind string) store.ReceiverState {
		s, err := by.Store.StateOf(t.Context(), store.ChatID(kind, r.shop))
		require.NoError(t, err)
		return s
	}
	require.NoError(t, by.SetChat(t.Context(), r.shop, message.Slack, "https://hooks.slack.com/services/T0001/B0002/gone", "", nil))
	require.NoError(t, by.TestChat(t.Context(), r.shop, message.Slack))
	require.Zero(t, r.work())
	require.Contains(t, state(message.Slack).Why, "no_service")
	require.NotNil(t, state(message.Slack).Failed)

	f.answers(func(w http.ResponseWriter) bool {
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 900","parameters":{"retry_after":900}}`)
		return true
	})
	require.NoError(t, by.TestChat(t.Context(), r.shop, message.Telegram))
	require.Equal(t, 1, r.work())
	require.Equal(t, 1, r.count("select count(*) from jobs where run_at between now() + interval '14 minutes' and now() + interval '15 minutes'"))
	require.Contains(t, state(message.Telegram).Trouble, "fewer messages")
	f.answers(func(w http.ResponseWriter) bool { panic(http.ErrAbortHandler) })
	require.Equal(t, 1, r.work())
	require.Equal(t, int64(1), state(message.Telegram).Waiting)
	f.answers(nil)
	require.Zero(t, r.work())
	require.Equal(t, []string{"telegram A test (Shop)\nThis chat is told of what concerns the merchant.\nhttps://pay.example.com/panel/chats\n"}, f.told())
	require.NotNil(t, state(message.Telegram).SentAt)

	r.exec("update chats set sealed = 'x'")
	require.NoError(t, by.TestChat(t.Context(), r.shop, message.Telegram))
	require.Zero(t, r.work())
	require.Contains(t, state(message.Telegram).Why, "open the address")
	for range 17 {
		require.NoError(t, by.TestChat(t.Context(), r.shop, message.Telegram))
	}
	require.ErrorContains(t, by.TestChat(t.Context(), r.shop, message.Telegram), "at most 20 tests")
	require.Error(t, by.TestChat(t.Context(), uuid.New(), message.Telegram))
}

// The operators' chats are told of what operators are, with the page of the console. No api may read them or send them elsewhere.
func TestOperatorsChatsAreTold(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	f, _ := r.withChats()
	r.worker.Mail, r.worker.Console = nil, "https://ops.example.com"
	by := &admin.Admin{Store: store.New(testkit.DBAs(t, migrations.OperatorRole)), Vault: r.worker.Secrets, Actor: "ops"}
	require.NoError(t, by.SetChat(t.Context(), admin.OfOperators, message.Slack, "https://hooks.slack.com"+hook, "", []string{string(message.WalletLow)}))
	require.NoError(t, by.SetChat(t.Context(), admin.OfOperators, message.Telegram, token, "-100123", nil))
	for _, topic := range []message.Topic{message.WalletLow, message.Other} {
		require.NoError(t, r.worker.Store.TellOperators(t.Context(), string(topic), message.TitleOf(topic), "Something is amiss."))
	}
	require.Zero(t, r.work())
	require.Equal(t, []string{"slack A hot wallet is low\nSomething is amiss.\nhttps://ops.example.com/console/treasury\n"}, f.told(), "each chat has its own switches")
	require.NoError(t, by.TestChat(t.Context(), admin.OfOperators, message.Telegram))
	require.Zero(t, r.work())
	require.Equal(t, "telegram A test\nThis chat is told of what waits for an operator.\nhttps://ops.example.com/console/chats\n", f.told()[1])

	r.failed(r.shop, "a")
	require.NoError(t, by.SetChatTopics(t.Context(), admin.OfOperators, message.Telegram, []string{string(message.Other)}))
	require.NoError(t, r.worker.Store.TellOperators(t.Context(), string(message.Other), "Something waits", "x"))
	require.NoError(t, by.DropChat(t.Context(), admin.OfOperators, message.Telegram))
	require.Zero(t, r.work(), "what waits for a removed chat is dropped")
	require.Len(t, f.told(), 4, "the merchant's payout is told in the merchant's chats alone")
	require.ErrorIs(t, by.DropChat(t.Context(), admin.OfOperators, message.Telegram), pay.ErrNotFound)

	for _, statement := range []string{"select shown from operator_chats", "update operator_chats set sealed = ''", "delete from operator_chats"} {
		_, err := testkit.DBAs(t, migrations.APIRole).NewRaw(statement).Exec(t.Context())
		require.ErrorContains(t, err, "permission denied", statement)
	}
	by.Vault = vault.New([]byte("another key of thirty-two bytes!"), make([]byte, vault.KeySize))
	resealed, err := by.Reseal(t.Context())
	require.NoError(t, err)
	require.Equal(t, 3, resealed.Resealed, "the chats of merchants and of operators")
	r.worker.Secrets = by.Vault
	require.NoError(t, by.TestChat(t.Context(), admin.OfOperators, message.Slack))
	require.Zero(t, r.work())
	require.Len(t, f.told(), 5)
}
