package admin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"slices"
	"strings"
	"time"

	"causeway/internal/message"
	"causeway/internal/people"
	"causeway/internal/store"
)

// A code that confirms an e-mail address of an operator: how long it is good, and how many wrong ones end it.
const (
	mailCodeTime  = time.Hour
	mailCodeTries = 5
	mailCodeChars = 8
)

// OperatorMail is where an operator is sent messages, and what of.
type OperatorMail struct {
	Mail    string // empty without a confirmed address
	Offered string // an address that waits for its code
	Quiet   []string
}

// OwnMail returns where the operator of this name is sent messages.
func (a *Admin) OwnMail(ctx context.Context, name string) (*OperatorMail, error) {
	o, err := a.Store.OperatorNamed(ctx, name)
	if err != nil {
		return nil, named(err, "operator %q", name)
	}
	m, err := a.Store.OperatorMail(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	out := &OperatorMail{Mail: m.Mail, Quiet: m.Quiet}
	if m.Hash != nil && time.Since(m.At) < mailCodeTime {
		out.Offered = m.Offered
	}
	return out, nil
}

// OfferOwnMail sends a code to an e-mail address. It becomes the operator's by ConfirmOwnMail, and until then nothing else is sent there.
// An empty address takes the operator's away.
func (a *Admin) OfferOwnMail(ctx context.Context, name, address string, session []byte) error {
	mail := people.Address(address)
	if address != "" && mail == "" {
		return misread("%q is not an e-mail address", address)
	}
	return a.changeMail(ctx, "operator.mail-offer", name, session, func(tx *store.Store, m *store.OperatorMail) error {
		if mail == "" {
			m.Mail, m.Offered, m.Hash, m.Tries = "", "", nil, 0
			return nil
		}
		code := mailCode()
		m.Offered, m.Hash, m.Tries = mail, hashOfCode(code), 0
		return tx.Tell(ctx, &store.Message{Receiver: store.MailReceiver + mail, Topic: string(message.Confirm), Title: "Confirm your e-mail address",
			Line: "The code is " + code + ". Give it on your own page of the console within an hour. If you have not asked for it, do nothing."})
	})
}

// ConfirmOwnMail makes the offered address the operator's, if the code is the one that was sent there. Wrong ones are counted.
func (a *Admin) ConfirmOwnMail(ctx context.Context, name, code string, session []byte) error {
	wrong := false
	err := a.changeMail(ctx, "operator.mail", name, session, func(_ *store.Store, m *store.OperatorMail) error {
		if m.Hash == nil || m.Tries >= mailCodeTries || time.Since(m.At) >= mailCodeTime {
			return refuse("there is no code to be given: ask for a new one")
		}
		if wrong = subtle.ConstantTimeCompare(hashOfCode(strings.ToUpper(strings.TrimSpace(code))), m.Hash) != 1; wrong {
			m.Tries++
			return nil
		}
		m.Mail, m.Offered, m.Hash, m.Tries = m.Offered, "", nil, 0
		return nil
	})
	if err == nil && wrong {
		err = refuse("the code is wrong")
	}
	return err
}

// SetOwnTopics has an operator told of these topics, and of no others.
func (a *Admin) SetOwnTopics(ctx context.Context, name string, on []string, session []byte) error {
	return a.changeMail(ctx, "operator.messages", name, session, func(_ *store.Store, m *store.OperatorMail) error {
		m.Quiet = []string{}
		for _, t := range message.OfOperators {
			if !slices.Contains(on, string(t.Topic)) {
				m.Quiet = append(m.Quiet, string(t.Topic))
			}
		}
		return nil
	})
}

// changeMail changes where an operator is sent messages, by the operator of a session.
func (a *Admin) changeMail(ctx context.Context, action, name string, session []byte, work func(*store.Store, *store.OperatorMail) error) error {
	return a.inSession(ctx, name, session, func(own *Admin) error {
		return own.Change(ctx, action, "operator:"+name, func(tx *store.Store) (before, after any, err error) {
			o, err := tx.OperatorForUpdate(ctx, name)
			if err != nil {
				return nil, nil, err
			}
			m, err := tx.OperatorMail(ctx, o.ID)
			if err != nil {
				return nil, nil, err
			}
			before = OperatorMail{m.Mail, m.Offered, m.Quiet}
			if err := work(tx, m); err != nil {
				return nil, nil, err
			}
			return before, OperatorMail{m.Mail, m.Offered, m.Quiet}, tx.SetOperatorMail(ctx, o.ID, m)
		})
	})
}

// mailCode makes a code that people type.
func mailCode() string { return rand.Text()[:mailCodeChars] }

func hashOfCode(code string) []byte {
	sum := sha256.Sum256([]byte(code))
	return sum[:]
}
