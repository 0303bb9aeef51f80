package panel

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"causeway/internal/message"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

// chatNames are the kinds of chats for people.
var chatNames = map[string]string{message.Slack: "Slack", message.Telegram: "Telegram"}

// Chats shows the chats of a merchant, or of the operators in the console.
type Chats struct {
	Store    *store.Store
	Merchant uuid.UUID // or admin.OfOperators
	At       string    // begins the addresses of the acts; a kind follows
	May      bool      // whoever looks may do them
}

// chatsPage shows the chats of the merchant, with the acts of an owner.
func chatsPage(v *visit) (*room.Page, error) {
	return (&Chats{Store: v.panel.Store, Merchant: v.Merchant, At: Prefix + "chats/", May: v.May(people.Chats)}).Page(v.Context())
}

// Page makes the page.
func (s *Chats) Page(ctx context.Context) (*room.Page, error) {
	out := &room.Page{Title: "Chats", Section: "Chats"}
	for _, kind := range message.Chats {
		c, err := s.Store.Chat(ctx, store.ChatID(kind, s.Merchant))
		if errors.Is(err, pay.ErrNotFound) {
			c, err = nil, nil
		}
		if err != nil {
			return nil, err
		}
		part, waits, err := s.part(ctx, kind, c)
		if err != nil {
			return nil, err
		}
		out.Parts, out.Live = append(out.Parts, part), out.Live || waits
	}
	return out, nil
}

// part shows the chat of a kind; nil is none yet. It reports whether something waits for the chat.
func (s *Chats) part(ctx context.Context, kind string, c *store.Chat) (out room.Part, waits bool, err error) {
	out = room.Part{Heading: chatNames[kind], Half: true, Note: "Nothing is written into a chat of this kind yet."}
	at := s.At + kind
	if c != nil {
		state, err := s.Store.StateOf(ctx, c.ID)
		if err != nil {
			return out, false, err
		}
		waits = state.Waiting > 0
		out.Note, out.Mood = chatState(&state)
		out.Facts = []room.Fact{{Name: "Chat", Cell: room.Text(c.Shown)}, {Name: "Last message", Cell: room.WhenOr(state.SentAt, "none within a day")},
			{Name: "Set by", Cell: room.Text(madeBy(c.MadeBy))}, {Name: "Set", Cell: room.When(c.MadeAt)}}
	}
	if !s.May {
		return out, waits, nil
	}
	if c != nil {
		out.Forms = []room.Form{{Action: at + "/topics", Verb: "Save", Fields: []room.Field{s.topics(c)}},
			{Action: at + "/test", Verb: "Send a test", Quiet: true},
			{Action: at + "/remove", Verb: "Remove", Danger: true, Confirm: "Remove this chat? What waits for it is not sent."}}
	}
	verb := "Set the chat"
	if c != nil {
		verb = "Replace the chat"
	}
	out.Forms = append(out.Forms, room.Form{Action: at, Verb: verb, Fields: append(chatFields(kind), s.topics(c)), Note: "It is sealed and not shown again."})
	return out, waits, nil
}

// madeBy is an actor as people read it.
func madeBy(actor string) string {
	if email, person := people.ActorEmail(actor); person {
		return email
	}
	return actor
}

// chatState says how messages to a chat fare.
func chatState(s *store.ReceiverState) (note, mood string) {
	switch {
	case s.Failed != nil && (s.SentAt == nil || s.Failed.After(*s.SentAt)):
		return "The last message was not taken: " + s.Why + ".", "bad"
	case s.Trouble != "":
		return "A message waits: " + s.Trouble + ". It is tried again.", "warn"
	case s.Waiting > 0:
		return "A message is on its way.", ""
	}
	return "What happens is written here, within seconds.", ""
}

func chatFields(kind string) []room.Field {
	if kind == message.Slack {
		return []room.Field{{Name: "secret", Label: "Address of an incoming webhook", Kind: "password", Required: true, Hint: "https://hooks.slack.com/services/…"}}
	}
	return []room.Field{{Name: "secret", Label: "Token of your bot", Kind: "password", Required: true, Hint: "as BotFather gives it"},
		{Name: "to", Label: "Chat", Kind: "text", Required: true, Hint: "a number, or @channel; the bot must be a member"}}
}

// topics are the switches of a chat; of a new one, each is on.
func (s *Chats) topics(c *store.Chat) room.Field {
	f := room.Field{Name: "topics", Label: "Tell it of", Kind: "checks"}
	for _, t := range message.ForChats(s.Merchant == admin.OfOperators) {
		f.Options = append(f.Options, room.Option{Value: string(t.Topic), Text: t.Words, Chosen: c == nil || !slices.Contains(c.Quiet, string(t.Topic))})
	}
	return f
}

// setChat has the merchant told in a chat.
func setChat(v *visit) (outcome, error) {
	return outcome{said: "The chat is set. Send a test to see whether it takes messages."},
		v.admin().SetChat(v.Context(), v.Merchant, v.PathValue("kind"), v.given("secret"), v.given("to"), v.PostForm["topics"])
}

func setChatTopics(v *visit) (outcome, error) {
	return outcome{said: "Your choice was saved."}, v.admin().SetChatTopics(v.Context(), v.Merchant, v.PathValue("kind"), v.PostForm["topics"])
}

func testChat(v *visit) (outcome, error) {
	return outcome{said: "The test goes out within seconds. This page says whether it was taken."}, v.admin().TestChat(v.Context(), v.Merchant, v.PathValue("kind"))
}

func dropChat(v *visit) (outcome, error) {
	return outcome{said: "The chat was removed."}, v.admin().DropChat(v.Context(), v.Merchant, v.PathValue("kind"))
}
