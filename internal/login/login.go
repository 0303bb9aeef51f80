// Package login is how people are let in, operators and people of merchants alike: passwords, codes of an authenticator app, and the
// limit of failed logins. The rows of the two are apart.
package login

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// How often logins may fail, under one name and from one address, before nobody is let in for the rest of the time. An address with
// a recent login of the name counts apart from the other addresses of the name.
const (
	failuresWithin    = 15 * time.Minute
	failuresOfName    = 10
	failuresOfAddress = 20
)

// KnownFor is how long an address has a count of its own after somebody logged in from it.
const KnownFor = 30 * 24 * time.Hour

// Errors of a login that lets nobody in. They say no more: a guesser must not learn which part was right.
var (
	ErrNoLogin  = errors.New("name, password or code is wrong")
	ErrTooOften = errors.New("too many failed logins: try again in 15 minutes")
)

// Tries are the logins of one kind of people, failed or under way.
type Tries interface {
	// BeginTry notes a login under each of its subjects.
	BeginTry(ctx context.Context, try uuid.UUID, subjects ...string) error
	// ForgetTry takes a login out of the count.
	ForgetTry(ctx context.Context, try uuid.UUID) error
	// Tries counts the logins of a subject within a time.
	Tries(ctx context.Context, subject string, within time.Duration) (int, error)
	// LoggedInFrom reports whether a name was let in from an address within a time.
	LoggedInFrom(ctx context.Context, name, address string, within time.Duration) (bool, error)
	// AuditFailedLogin writes the audit row of a failed login, and takes as long for an unknown name.
	AuditFailedLogin(ctx context.Context, name, address string, known bool) error
}

// Try lets a login be tried unless too many have failed. It counts the login from its beginning, so many at once are no more than
// one after the other. A login is no longer counted if it ends otherwise than with ErrNoLogin.
func Try(ctx context.Context, t Tries, name, address string, login func() (known bool, err error)) error {
	try, ofName, ofAddress := uuid.New(), "name:"+name, "ip:"+address
	own, err := t.LoggedInFrom(ctx, name, address, KnownFor)
	if err != nil {
		return err
	}
	if own { // guesses from elsewhere must not keep the person out
		ofName += " " + ofAddress
	}
	if err := t.BeginTry(ctx, try, ofName, ofAddress); err != nil {
		return err
	}
	err = tooOften(ctx, t, ofName, ofAddress)
	known := false
	if err == nil {
		known, err = login()
	}
	if !errors.Is(err, ErrNoLogin) {
		return errors.Join(err, t.ForgetTry(context.WithoutCancel(ctx), try))
	}
	// An unknown name is left out: with it anybody could write into the audit. A caller hanging up is in it as well.
	return errors.Join(err, t.AuditFailedLogin(context.WithoutCancel(ctx), name, address, known))
}

// tooOften reports whether more logins than allowed have failed, the one under way included.
func tooOften(ctx context.Context, t Tries, ofName, ofAddress string) error {
	for subject, most := range map[string]int{ofName: failuresOfName, ofAddress: failuresOfAddress} {
		n, err := t.Tries(ctx, subject, failuresWithin)
		if err != nil {
			return err
		}
		if n > most {
			return ErrTooOften
		}
	}
	return nil
}

const shortestPassword = 10

// LongestPassword is how many bytes a password has at most.
const LongestPassword = 200

// PasswordProblem says why a password is refused; empty for a good one.
func PasswordProblem(password string) string {
	if n := utf8.RuneCountInString(password); n < shortestPassword || len(password) > LongestPassword || !utf8.ValidString(password) {
		return fmt.Sprintf("a password has at least %d characters and at most %d bytes", shortestPassword, LongestPassword)
	}
	return ""
}
