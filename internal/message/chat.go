package message

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"
	"unicode/utf16"
)

// The kinds of chats.
const (
	Slack    = "slack"
	Telegram = "telegram"
)

// Chats lists the kinds of chats.
var Chats = []string{Slack, Telegram}

// ChatTest is the topic of a test of a chat, sent by a person. Nobody switches it off.
const ChatTest Topic = "chat-test"

// Chat is where messages go beside e-mail. Each kind has one host, so no text of a person names another.
type Chat struct {
	Kind   string `json:"kind"`
	Secret string `json:"secret"`       // of Slack the path of an incoming webhook, of Telegram the token of a bot
	To     string `json:"to,omitempty"` // of Telegram, the chat
}

const (
	slackHost    = "https://hooks.slack.com"
	telegramHost = "https://api.telegram.org"
)

var (
	slackPath     = regexp.MustCompile(`^/services/[A-Za-z0-9]{1,32}/[A-Za-z0-9]{1,32}/[A-Za-z0-9]{1,64}$`)
	telegramToken = regexp.MustCompile(`^[0-9]{1,20}:[A-Za-z0-9_-]{20,80}$`)
	telegramChat  = regexp.MustCompile(`^(-?[0-9]{1,20}|@[A-Za-z][A-Za-z0-9_]{3,31})$`)
)

// The refusals of an address or a token.
var (
	errSlack    = errors.New("the address must be that of an incoming webhook, as https://hooks.slack.com/services/T…/B…/…")
	errToken    = errors.New("the token must be that of a bot, as 123456:ABC…")
	errTelegram = errors.New("the chat must be the number of a chat, or the name of a channel as @example")
)

// ReadChat reads a person's words for a chat: of Slack the address of an incoming webhook, of Telegram the token of a bot and the chat.
// Its errors show nothing of these.
func ReadChat(kind, secret, to string) (*Chat, error) {
	c := &Chat{Kind: kind, Secret: secret, To: to}
	path, ours := strings.CutPrefix(secret, slackHost)
	switch kind {
	case Slack:
		if c.Secret, c.To = path, ""; !ours || !slackPath.MatchString(path) {
			return nil, errSlack
		}
	case Telegram:
		if !telegramToken.MatchString(secret) {
			return nil, errToken
		}
		if !telegramChat.MatchString(to) {
			return nil, errTelegram
		}
	default:
		return nil, errors.New("there is no such kind of chat")
	}
	return c, nil
}

// Shown names the chat without its secret.
func (c *Chat) Shown() string {
	if c.Kind == Slack {
		parts := strings.Split(c.Secret, "/")
		return slackHost + "/services/" + parts[2] + "/" + parts[3] + "/…"
	}
	bot, _, _ := strings.Cut(c.Secret, ":")
	return c.To + ", by the bot " + bot
}

// Post is the address and the body of the request to write a text into the chat.
func (c *Chat) Post(text string) (address string, body []byte, err error) {
	if c.Kind == Slack {
		body, err = json.Marshal(map[string]any{"text": slackEscapes.Replace(text), "unfurl_links": false})
		return slackHost + c.Secret, body, err
	}
	body, err = json.Marshal(map[string]any{"chat_id": c.To, "text": text, "link_preview_options": map[string]any{"is_disabled": true}})
	return telegramHost + "/bot" + c.Secret + "/sendMessage", body, err
}

// slackEscapes writes the three signs with a meaning for Slack.
var slackEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// Later is the refusal of a text for a time.
type Later struct{ After time.Duration }

func (l *Later) Error() string { return "the chat asks for fewer messages" }

// Judge reads an answer of the chat's service: its status, the beginning of its body, and the wait asked for. Nil is taken. An
// error of ErrRefused is for good, a *Later names a wait, and after any other error the text may have been taken all the same.
func (c *Chat) Judge(status int, body string, wait time.Duration) error {
	var said struct {
		Description string `json:"description"`
		Parameters  struct {
			RetryAfter int `json:"retry_after"`
		} `json:"parameters"`
	}
	why := strings.TrimSpace(body)
	if c.Kind == Telegram {
		_ = json.Unmarshal([]byte(body), &said) // another body says nothing
		why, wait = said.Description, max(wait, time.Duration(min(said.Parameters.RetryAfter, 24*60*60))*time.Second)
	}
	if !plainWords.MatchString(why) {
		why = ""
	}
	switch {
	case status >= 200 && status <= 299:
		return nil
	case status == http.StatusTooManyRequests:
		return &Later{wait}
	case status == http.StatusBadRequest, status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusNotFound, status == http.StatusGone:
		return fmt.Errorf("%w: HTTP status %d %s", ErrChat, status, why)
	}
	return fmt.Errorf("HTTP status %d %s", status, why)
}

// ErrChat is ErrRefused of a chat.
var ErrChat = fmt.Errorf("%w by the chat", ErrRefused)

// plainWords is a reason fit to be shown.
var plainWords = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9 _:,.'-]{0,120}$`)

// A text for a chat names fewer facts than a mail, and is cut below the 4,096 units of UTF-16 taken by Telegram.
const (
	mostChatLines = 10
	longestText   = 3500
)

// ChatText makes the text of one or more facts, as plain text.
func ChatText(lines []Line) string {
	var b strings.Builder
	shown, length := 0, 0
	for _, l := range lines[:min(len(lines), mostChatLines)] {
		title := l.Title
		if l.Merchant != "" {
			title += " (" + l.Merchant + ")"
		}
		text := title + "\n" + l.Text + "\n"
		if l.Link != "" {
			text += l.Link + "\n"
		}
		if length += len(utf16.Encode([]rune(text))) + 1; length > longestText {
			break
		}
		if shown++; shown > 1 {
			b.WriteString("\n")
		}
		b.WriteString(text)
	}
	if rest := len(lines) - shown; rest > 0 {
		fmt.Fprintf(&b, "\nAnd %d more: look at the pages of this service.\n", rest)
	}
	return b.String()
}
