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
			shown.Value = shownText(reflect.Zero(f.Type).Interface(), text)
		}
		out = append(out, shown)
	}
	return out
}

// ShowCold returns the cold address of each network of the networks file that has one. There is none while the file cannot be read.
func (s *Settings) ShowCold() (out []ShownSetting) {
	file, err := s.ReadNetworks()
	if err != nil {
		return nil
	}
	for _, c := range file.Live {
		if c.Cold != "" {
			out = append(out, ShownSetting{Name: c.Name + " cold", Value: c.Cold, Source: "NETWORKS_FILE",
				Meaning: "the operator's address for what the hot wallet does not need"})
		}
	}
	return out
}

// shownText is the text of a setting without its secret, which the setting's type tells.
func shownText(setting any, text string) string {
	switch setting.(type) {
	case SecretsKey, passwords:
		return Mask
	case DatabaseURL, RedisURL, SMTPServer:
		return MaskedAddress(text)
	default:
		return text
	}
}

// Mask stands for a secret.
const Mask = "********"

// MaskedAddress is an address without its password.
func MaskedAddress(address string) string {
	before, hosts, after := cutHosts(address)
	u, err := url.Parse(before + after) // several hosts are no host to it
	if err != nil {
		return Mask
	}
	u.Host = hosts
	if _, has := u.User.Password(); has {
		u.User = url.UserPassword(u.User.Username(), "xxxxx")
	}
	query := u.Query()
	for _, name := range []string{"password", "sslpassword", "sentinel_password"} {
		if query.Has(name) {
			query.Set(name, "xxxxx")
			u.RawQuery = query.Encode()
		}
	}
	return u.String()
}
