// Package rolelog makes the log of a role.
package rolelog

import (
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/sirupsen/logrus"

	"causeway/internal/cli/settings"
	"causeway/internal/vault"
)

// New makes the log of a role. It masks whatever looks like a secret, by name or by form.
func New(s *settings.Settings, out io.Writer) *logrus.Logger {
	log := logrus.New()
	log.SetOutput(out)
	log.SetLevel(s.LogLevel.Level)
	var inner logrus.Formatter = &logrus.JSONFormatter{}
	if s.LogFormat == "text" {
		inner = &logrus.TextFormatter{FullTimestamp: true}
	}
	log.SetFormatter(masking{inner, s.Sandbox})
	return log
}

// masking formats entries without their secrets, and marks the entries of a sandbox beside live networks.
type masking struct {
	logrus.Formatter
	sandbox bool
}

var (
	secretNames = []string{"api_key", "authorization", "passphrase", "password", "raw", "seed", "secret", "secrets_key", "signing_secret",
		"webhook_secret"}
	secretForms = regexp.MustCompile(`(?:` + strings.Join([]string{vault.LiveMark, vault.SandboxMark, vault.WebhookSecretMark,
		vault.SigningSecretMark}, "|") +
		`)[0-9A-Za-z]+|://[^/\s:@]*:[^/\s@]+@|xprv[0-9A-Za-z]{20,}`)
)

// Format implements logrus.Formatter.
func (m masking) Format(e *logrus.Entry) ([]byte, error) {
	shown := *e
	shown.Data = maps.Clone(e.Data)
	for name := range shown.Data {
		if slices.Contains(secretNames, name) {
			shown.Data[name] = settings.Mask
		}
	}
	if m.sandbox {
		shown.Data["books"] = "sandbox"
	}
	line, err := m.Formatter.Format(&shown)
	return secretForms.ReplaceAllFunc(line, maskForm), err
}

func maskForm(found []byte) []byte {
	if found[0] == ':' {
		return []byte("://" + settings.Mask + "@")
	}
	return []byte(settings.Mask)
}
