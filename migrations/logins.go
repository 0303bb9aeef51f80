package migrations

import (
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"

	"github.com/uptrace/bun"
)

// Roles are the database roles made by UpFor: the beginning of their names, and the passwords of those allowed to log
// in.
type Roles struct {
	Prefix    string
	Passwords map[Role]string
}

// CanLogIn reports whether a role may be given a password.
func CanLogIn(role Role) bool {
	return slices.ContainsFunc(members, func(m member) bool { return m.role == role })
}

// letIn lets roles log in by their passwords. The server is sent only the verifier of a password, so its log never has
// a password.
func letIn(ctx context.Context, conn bun.IConn, roles Roles) error {
	for _, role := range slices.Sorted(maps.Keys(roles.Passwords)) {
		kept, err := verifier(roles.Passwords[role])
		if err != nil {
			return err
		}
		name := RoleName(roles.Prefix, role)
		if err := missing(ctx, conn, "select true", nil, "alter role "+name+" login password '"+kept+"'"); err != nil {
			return fmt.Errorf("let the database role %s log in: %w", name, err)
		}
	}
	return nil
}

// verifier returns a password in PostgreSQL's stored form, as RFC 5803 has it for SCRAM-SHA-256.
func verifier(password string) (string, error) {
	const rounds = 4096
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	salted, err := pbkdf2.Key(sha256.New, password, salt, rounds, sha256.Size)
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	under := func(word string) []byte {
		mac := hmac.New(sha256.New, salted)
		mac.Write([]byte(word))
		return mac.Sum(nil)
	}
	stored, text := sha256.Sum256(under("Client Key")), base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", rounds, text(salt), text(stored[:]), text(under("Server Key"))), nil
}
