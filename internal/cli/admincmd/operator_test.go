package admincmd

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pquerna/otp/totp"

	"causeway/internal/cli/command"
	"causeway/internal/ops/admin"
	"causeway/internal/vault"
)

// typed runs a command with something on its standard input.
func (s *site) typed(input string, into any, args ...string) (code int, said string) {
	s.Helper()
	code, stdout, said := s.Run.Typed(s.T, input, append(args, "--data-dir", s.Dir)...)
	if code == command.ExitOK {
		require.NoError(s.T, json.Unmarshal([]byte(stdout), into))
	}
	return code, said
}

// Covers operator §Admin: operator create
// Covers operator §Admin: causeway admin operator create
// Covers operator §Admin: causeway admin operator list
// Covers operator §Admin: causeway admin operator password
// Covers operator §Admin: causeway admin operator role
// Covers operator §Admin: causeway admin operator disable
// Covers operator §Admin: causeway admin operator enable
// Covers operator §Admin: causeway admin operator unlock
func TestOperatorCommands(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var ann admin.Operator
	if code, said := s.typed("correct horse\n", &ann, "admin", "operator", "create", "ann", "--role", "operator"); code != command.ExitOK ||
		ann.Name != "ann" || ann.Role != "operator" || ann.TOTP {
		t.Fatalf("exit code %d, %s: %+v", code, said, ann)
	}
	for input, says := range map[string]string{"": "no password", "short\n": "at least 10", strings.Repeat("x", 201) + "\n": "at most 200"} {
		if code, said := s.typed(input, nil, "admin", "operator", "create", "bob"); code != command.ExitFailed || !strings.Contains(said, says) {
			t.Errorf("a password of %d bytes: exit code %d, %s", len(input), code, said)
		}
	}
	if code, said := s.typed("correct horse", nil, "admin", "operator", "create", "ann"); code != command.ExitFailed ||
		!strings.Contains(said, "already") {
		t.Errorf("the same name again: exit code %d, %s", code, said)
	}
	if code, _ := s.typed("correct horse", nil, "admin", "operator", "create", "Ann Lee"); code != command.ExitUsage {
		t.Errorf("a name that is none: exit code %d", code)
	}
	if code, _ := s.typed("correct horse", nil, "admin", "operator", "create", "bob", "--role", "god"); code != command.ExitUsage {
		t.Errorf("a role that is none: exit code %d", code)
	}
	if code, said := s.typed("another horse\n", &ann, "admin", "operator", "password", "ann"); code != command.ExitOK {
		t.Errorf("another password: %s", said)
	}
	var hash string
	require.NoError(t, s.DB.NewRaw("select password from operators where name = 'ann'").Scan(t.Context(), &hash))
	if !vault.PasswordFits("another horse", hash) || vault.PasswordFits("correct horse", hash) {
		t.Error("the password is not the one that was typed")
	}
	s.Do(&ann, "admin", "operator", "role", "ann", "admin")
	s.Refused(command.ExitFailed, "not locked", "admin", "operator", "unlock", "ann")
	s.Exec("update operators set locked_at = now(), wrong_codes = 50")
	if s.Do(&ann, "admin", "operator", "unlock", "ann"); ann.LockedAt != nil {
		t.Errorf("unlocked: %+v", ann)
	}
	s.Do(&ann, "admin", "operator", "disable", "ann")
	if ann.DisabledAt == nil || ann.Role != "admin" {
		t.Errorf("disabled: %+v", ann)
	}
	s.Refused(command.ExitFailed, "already", "admin", "operator", "disable", "ann")
	s.Do(&ann, "admin", "operator", "enable", "ann")
	s.Refused(command.ExitFailed, "no operator", "admin", "operator", "disable", "bob")
	var all []admin.Operator
	s.Do(&all, "admin", "operator", "list")
	if len(all) != 1 || all[0].DisabledAt != nil {
		t.Errorf("listed %+v", all)
	}
	if want := []string{"operator.create", "operator.password", "operator.role", "operator.unlock", "operator.disable",
		"operator.enable"}; !slices.Equal(s.Audited(), want) {
		t.Errorf("audited %q", s.Audited())
	}
	s.holdsNoSecret("correct horse", "another horse")
}

// Covers operator §Admin: causeway admin operator totp
// Covers operator §Admin: operator create and operator password
func TestOperatorCodeCommands(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var ann admin.Operator
	s.typed("correct horse\n", &ann, "admin", "operator", "create", "ann")
	var offered, again admin.OfferedCode
	s.Do(&offered, "admin", "operator", "totp", "ann")
	s.Do(&again, "admin", "operator", "totp", "ann")
	if offered != again || !strings.HasPrefix(offered.URL, "otpauth://totp/Causeway:ann?secret="+offered.Secret) {
		t.Errorf("offered %+v, then %+v", offered, again)
	}
	s.Refused(command.ExitFailed, "wrong", "admin", "operator", "totp", "ann", "--code", "000000")
	s.Refused(command.ExitFailed, "without a code", "admin", "operator", "totp", "ann", "--drop")
	code, err := totp.GenerateCode(offered.Secret, time.Now())
	require.NoError(t, err)
	s.Do(&ann, "admin", "operator", "totp", "ann", "--code", code)
	if !ann.TOTP {
		t.Errorf("with a code: %+v", ann)
	}
	s.holdsNoSecret(offered.Secret)
	s.Do(&ann, "admin", "operator", "totp", "ann", "--drop")
	if ann.TOTP {
		t.Errorf("dropped: %+v", ann)
	}
}
