package settings

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"causeway/internal/vault"
)

// The files of a data directory.
const (
	DevFileName      = "dev.json"
	StartingFileName = "dev.starting.json" // the same until the first start is through: no key is lost on the way
)

// DevFile is the message of `causeway dev` to every other command, and to the person at its start (operator §dev).
type DevFile struct {
	APIURL        string `json:"api_url"`
	PublicBaseURL string `json:"public_base_url"` // of links that commands print
	OperatorURL   string `json:"operator_url"`
	DatabaseURL   string `json:"database_url"`
	RedisURL      string `json:"redis_url"`
	MerchantID    string `json:"merchant_id"`
	APIKey        string `json:"api_key"` // all scopes
	ReadOnlyKey   string `json:"read_only_key"`
	SignedKey     string `json:"signed_key"`
	SigningSecret string `json:"signing_secret"`
	WebhookSecret string `json:"webhook_secret"`
	SecretsKey    string `json:"secrets_key"`
	SealKey       string `json:"seal_key"`
	InboxURL      string `json:"inbox_url"`
	HeaderPrefix  string `json:"header_prefix"`
	OperatorName  string `json:"operator_name"` // of the console
	OperatorPass  string `json:"operator_password"`
}

// ReadDevFile reads a data directory's dev.json; nil when there is none. An unknown key is an error.
func ReadDevFile(dir string) (*DevFile, error) { return readDevFile(dir, DevFileName) }

// ReadStarting reads the file left in a data directory by an unfinished first start; nil when there is none.
func ReadStarting(dir string) (*DevFile, error) { return readDevFile(dir, StartingFileName) }

func readDevFile(dir, name string) (*DevFile, error) {
	path := filepath.Join(dir, name)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("DATA_DIR: %w", err)
	}
	d := new(DevFile)
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(d); err != nil {
		return nil, fmt.Errorf("DATA_DIR: %s: %w", path, err)
	}
	return d, nil
}

// KeepKeys uses the keys of an earlier start, or makes them.
func (s *Settings) KeepKeys() error {
	var dev DevFile
	if s.Dev != nil {
		dev = *s.Dev
	}
	return errors.Join(s.SecretsKey.keep(dev.SecretsKey), s.SealKey.keep(dev.SealKey))
}

// keep leaves a set key alone, uses the key kept by an earlier start, or makes one.
func (k *SecretsKey) keep(kept string) error {
	switch {
	case len(*k) > 0:
		return nil
	case kept != "":
		return k.UnmarshalText([]byte(kept))
	}
	key := make([]byte, vault.KeySize)
	_, err := rand.Read(key)
	*k = SecretsKey{key}
	return err
}

// Text is the newest key as SECRETS_KEY says it.
func (k SecretsKey) Text() string { return base64.StdEncoding.EncodeToString(k[0]) }

// Write writes dev.json of a data directory, whole or not at all; only its owner can read it.
func (d *DevFile) Write(dir string) error { return d.writeAs(dir, DevFileName) }

// WriteStarting writes the same while a first start is on its way.
func (d *DevFile) WriteStarting(dir string) error { return d.writeAs(dir, StartingFileName) }

func (d *DevFile) writeAs(dir, name string) error {
	content, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	fresh, err := os.CreateTemp(dir, name+".*") // of mode 0600
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = fresh.Write(append(content, '\n'))
	err = errors.Join(err, fresh.Sync(), fresh.Close())
	if err == nil {
		err = os.Rename(fresh.Name(), filepath.Join(dir, name))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", name, err), os.Remove(fresh.Name()))
	}
	return nil
}
