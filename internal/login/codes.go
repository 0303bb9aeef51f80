package login

import (
	"fmt"
	"net/url"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"
)

// issuer stands beside a name in an authenticator app.
const issuer = "Causeway"

// codeSeconds is how long one code is current; the one before and the one after are taken as well (RFC 6238 §5.2).
const codeSeconds = 30

// WrongCodesInARow is how many wrong codes lock a person: no more guesses than these to somebody with the password.
const WrongCodesInARow = 50

// NewCodeSecret makes a secret for the authenticator app of somebody.
func NewCodeSecret(name string) (string, error) {
	fresh, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: name})
	if err != nil {
		return "", fmt.Errorf("make a TOTP secret: %w", err)
	}
	return fresh.Secret(), nil
}

// CodeURL is a secret as a QR code shows it to an authenticator app: otpauth://.
func CodeURL(name, secret string) string {
	return "otpauth://totp/" + issuer + ":" + url.PathEscape(name) + "?secret=" + secret + "&issuer=" + issuer
}

// CodeFits returns the time step of a code. Steps up to used are spent.
func CodeFits(secret, code string, used int64, now time.Time) (step int64, fits bool) {
	current := now.Unix() / codeSeconds
	for step := current - 1; step <= current+1; step++ {
		counter := uint64(step) //nolint:gosec // time has passed 1970
		good, err := hotp.ValidateCustom(code, counter, secret, hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err == nil && good && step > used {
			return step, true
		}
	}
	return 0, false
}
