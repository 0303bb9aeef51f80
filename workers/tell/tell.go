// Package tell sends messages to people: one try for each attempt of a job.
package tell

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"causeway/internal/message"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/workers/desk"
)

// How messages to one receiver are bounded, and how long they are tried.
const (
	MostMails  = 10              // within an hour; what comes meanwhile waits, and goes out together
	perHour    = time.Hour       // the time of MostMails
	together   = 500             // messages in one mail; it names the first of them
	whenFull   = 5 * time.Minute // until a message that waits for room looks again
	firstPause = time.Minute     // after a try that came to nothing; each next one is twice as long
	longest    = time.Hour       // the longest of these pauses
	GivenUp    = 48 * time.Hour  // after the message was recorded
)

// Mailer hands mails to a server. It is told apart by message.ErrRefused what is never taken.
type Mailer interface {
	Send(ctx context.Context, m message.Mail) error
	Sender() string
}

// Worker sends messages.
type Worker struct {
	*desk.Desk
	Secrets *vault.Vault // opens links that are secrets, and the addresses of chats
	Mail    Mailer       // nil = this service sends no mail, and mails are dropped
	Chats   Poster       // nil = it writes into no chat, and messages to chats are dropped
	Base    string       // PUBLIC_BASE_URL; empty = messages have no links
	Console string       // CONSOLE_BASE_URL; empty = those to operators have none
}

// Send makes one try of a message, together with all that wait for its receiver. The mail has the same id and the same text at each try.
func (w *Worker) Send(ctx context.Context, j store.DueJob) error {
	var head *store.Message
	err := w.Store.InTx(ctx, func(tx *store.Store) (err error) {
		if err := desk.Start(ctx, tx, j); err != nil {
			return err
		}
		head, err = w.gather(ctx, tx, j)
		return err
	})
	if err != nil || head == nil {
		return err
	}
	lines, switches, failed := w.lines(ctx, head)
	if failed != nil && !errors.Is(failed, message.ErrRefused) {
		return failed
	}
	if failed == nil {
		if failed = w.hand(ctx, head, lines, switches); errors.Is(failed, errNotTried) {
			return failed
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), desk.NoteWithin)
	defer cancel()
	return w.note(ctx, j, head, failed)
}

// gather decides with which message a job's message goes out. It returns the message to be sent now, as the head of all that wait for its
// receiver, or nil: then the job has ended, or waits.
func (w *Worker) gather(ctx context.Context, tx *store.Store, j store.DueJob) (*store.Message, error) {
	m, err := tx.Message(ctx, j.Ref)
	if errors.Is(err, pay.ErrNotFound) {
		return nil, desk.Fenced(tx.FinishJob(ctx, j))
	}
	if err != nil {
		return nil, err
	}
	heard, err := w.hears(ctx, tx, m.Receiver)
	if err != nil {
		return nil, err
	}
	if !heard {
		if err := tx.DropMessage(ctx, m.ID); err != nil {
			return nil, err
		}
		return nil, desk.Fenced(tx.FinishJob(ctx, j))
	}
	if err := tx.LockReceiver(ctx, m.Receiver); err != nil {
		return nil, err
	}
	if m, err = tx.Message(ctx, j.Ref); err != nil { // another message may have taken it along meanwhile
		return nil, err
	}
	switch {
	case m.EndedAt != nil || m.Head.Valid && m.Head.UUID != m.ID:
		return nil, desk.Fenced(tx.FinishJob(ctx, j))
	case m.Head.Valid:
		return m, nil
	}
	out, err := tx.HeadsOf(ctx, m.Receiver, perHour)
	if err != nil {
		return nil, err
	}
	if out >= MostMails {
		return nil, desk.Fenced(tx.RetryJob(ctx, j, whenFull, "the receiver has had as many mails as one may have in an hour"))
	}
	if isPayer(m) {
		return m, tx.GatherMessages(ctx, m, message.MostReceipts)
	}
	return m, tx.GatherMessages(ctx, m, together)
}

// errNotTried is a failure of ours before any try.
var errNotTried = errors.New("the message was not tried")

// hears reports whether somebody takes messages to a receiver.
func (w *Worker) hears(ctx context.Context, tx *store.Store, receiver string) (bool, error) {
	if strings.HasPrefix(receiver, store.MailReceiver) || strings.HasPrefix(receiver, store.PayerReceiver) {
		return w.Mail != nil, nil
	}
	if w.Chats == nil {
		return false, nil
	}
	_, err := tx.Chat(ctx, receiver)
	if errors.Is(err, pay.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// hand hands the facts of a head to the mail server, or to the chat.
func (w *Worker) hand(ctx context.Context, head *store.Message, lines []message.Line, switches string) error {
	to, mailed := strings.CutPrefix(head.Receiver, store.MailReceiver)
	payer, paid := strings.CutPrefix(head.Receiver, store.PayerReceiver)
	if !mailed && !paid {
		return w.post(ctx, head, lines)
	}
	texts, err := message.Write(w.Mail.Sender(), switches, lines)
	if paid {
		to = payer
		texts, err = message.WriteReceipts(w.Mail.Sender(), lines)
	}
	if err != nil {
		return fmt.Errorf("%w: write a mail: %w", errNotTried, err)
	}
	return w.Mail.Send(ctx, message.Mail{ID: head.ID, To: to, Subject: texts.Subject, Text: texts.Text, HTML: texts.HTML, At: head.MadeAt})
}

// lines are the facts of a head, and the page with the switches. Their order is always the same, so the mail is the same at each try.
func (w *Worker) lines(ctx context.Context, head *store.Message) (lines []message.Line, switches string, err error) {
	all, err := w.Store.MessagesWith(ctx, head.ID)
	if err != nil {
		return nil, "", err
	}
	names, err := w.merchants(ctx, all)
	if err != nil {
		return nil, "", err
	}
	lines = make([]message.Line, len(all))
	for i, m := range all {
		if isPayer(head) {
			if lines[i], err = w.receipt(&m, names[m.MerchantID.UUID]); err != nil {
				return nil, "", err
			}
			continue
		}
		link, err := w.linkOf(&m)
		if err != nil {
			return nil, "", err
		}
		switch topic := message.Topic(m.Topic); {
		case !m.MerchantID.Valid && (message.OfOperator(topic) || topic == message.ChatTest): // told to operators
			link, switches = at(w.Console, message.ConsolePage(topic)), at(w.Console, message.ConsoleSwitches)
		case message.Switched(topic):
			switches = w.link(message.SwitchesPage)
		}
		lines[i] = message.Line{Title: m.Title, Text: m.Line, Link: link, Merchant: names[m.MerchantID.UUID]}
	}
	return lines, switches, nil
}

// merchants returns the names of the merchants that messages are about.
func (w *Worker) merchants(ctx context.Context, all []store.Message) (map[uuid.UUID]string, error) {
	asked := map[uuid.UUID]bool{}
	for _, m := range all {
		if m.MerchantID.Valid {
			asked[m.MerchantID.UUID] = true
		}
	}
	found, err := w.Store.Merchants(ctx, store.InOrder(asked))
	names := make(map[uuid.UUID]string, len(found))
	for id, m := range found {
		names[id] = m.Name
	}
	return names, err
}

// linkOf is the whole address of a message's page. A secret one that cannot be written is message.ErrRefused: no later try could.
func (w *Worker) linkOf(m *store.Message) (string, error) {
	if m.Sealed == nil {
		return w.link(m.Page), nil
	}
	page, err := w.Secrets.Open(m.Sealed, vault.MessagePlace(m.ID.String()))
	if err == nil && w.Base == "" {
		err = errors.New("PUBLIC_BASE_URL is not set for workers")
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", message.ErrRefused, err)
	}
	return w.link(string(page)), nil
}

// link is the whole address of a page of the panel; empty where it is not known, or there is no page.
func (w *Worker) link(page string) string { return at(w.Base, page) }

func at(base, page string) string {
	if base == "" || page == "" {
		return ""
	}
	return base + page
}

// note records the outcome of a try: sent, given up, or to be tried again.
func (w *Worker) note(ctx context.Context, j store.DueJob, head *store.Message, failed error) error {
	return w.Store.InTx(ctx, func(tx *store.Store) error {
		if err := desk.Start(ctx, tx, j); err != nil {
			return err
		}
		if failed == nil || errors.Is(failed, message.ErrRefused) || time.Since(head.MadeAt) > GivenUp {
			why := ""
			if failed != nil {
				why = withoutAddresses(desk.ReasonOf(failed))
			}
			if err := tx.EndMessages(ctx, head.ID, why); err != nil {
				return err
			}
			return desk.Fenced(tx.FinishJob(ctx, j))
		}
		if err := tx.NoteMessageTry(ctx, head.ID); err != nil {
			return err
		}
		wait, later := pause(head.Tries), new(message.Later)
		if errors.As(failed, &later) {
			wait = max(wait, later.After)
		}
		return desk.Fenced(tx.RetryJob(ctx, j, wait, withoutAddresses(desk.ReasonOf(failed))))
	})
}

// pause is the time to the next try after so many that came to nothing before the last one.
func pause(tries int) time.Duration {
	return min(firstPause<<min(tries, 10), longest)
}
