package settings

import (
	"net/url"
	"reflect"
)

// ShownSetting is one setting as `causeway config` shows it, secrets masked.
type ShownSetting struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
	Default string `json:"default"`
	Value   string `json:"value"`
	Source  string `json:"source"`
}

// Show returns every setting in the order of its declaration.
func (s *Settings) Show() []ShownSetting {
	var out []ShownSetting
	for f := range reflect.TypeFor[Settings]().Fields() {
		name := f.Tag.Get("env")
		if name == "" || name == "-" {
			continue
		}
		shown := ShownSetting{Name: name, Meaning: f.Tag.Get("about"), Default: f.Tag.Get("envDefault"), Source: s.Source(name)}
		shown.Value = shown.Default
		if text, given := s.texts[name]; given {
			shown.Value = shownText(name, text)
		}
		out = append(out, shown)
	}
	return out
}

func shownText(name, text string) string {
	switch name {
	case "SECRETS_KEY", "SEAL_KEY", "SANDBOX_SECRETS_KEY", "DATABASE_PASSWORDS":
		return Mask
	case "DATABASE_URL", "OPERATOR_DATABASE_URL", "REDIS_URL", "SANDBOX_DATABASE_URL", "SANDBOX_OPERATOR_DATABASE_URL", "SANDBOX_REDIS_URL":
		return MaskedAddress(text)
	default:
		return text
	}
}

// Mask stands for a secret.
const Mask = "********"

// MaskedAddress is an address without its password.
func MaskedAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return Mask
	}
	if _, has := u.User.Password(); has {
		u.User = url.UserPassword(u.User.Username(), "xxxxx")
	}
	query := u.Query()
	for _, name := range []string{"password", "sslpassword"} {
		if query.Has(name) {
			query.Set(name, "xxxxx")
			u.RawQuery = query.Encode()
		}
	}
	return u.String()
}
