package settings

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus"
	"github.com/stretchr/testify/require"

	"causeway/api"
)

var someKey = base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))

// Covers operator §Settings: LISTEN_ADDR
// Covers operator §Settings: OPERATOR_ADDR
// Covers operator §Settings: SANDBOX_BLOCK_TIME
// Covers operator §Settings: SANDBOX_FUNDS
// Covers operator §Settings: LOG_LEVEL
func TestDefaults(t *testing.T) {
	t.Parallel()
	s, err := Read([]string{"DATA_DIR=" + t.TempDir(), "LOG_LEVEL="}, "")
	require.NoError(t, err)
	if s.ListenAddr != ":8080" || s.OperatorAddr != "127.0.0.1:8081" || s.HeaderPrefix != "X-Service" || s.LogFormat != "json" {
		t.Errorf("addresses and names: %+v", s)
	}
	if s.RateLimit.Quota != (api.Quota{Requests: 1000, Window: time.Minute}) {
		t.Errorf("rate limit %+v", s.RateLimit)
	}
	if s.AuthFailures.FailureRule != (api.FailureRule{Failures: 10, Within: 5 * time.Minute, Block: 15 * time.Minute}) {
		t.Errorf("failures %+v", s.AuthFailures)
	}
	if s.BlockTime() != time.Second || !s.SandboxFunds.Equal(decimal.New(100_000, 0)) || s.LogLevel.Level != logrus.InfoLevel || s.AllowedHosts != nil || s.Dev != nil {
		t.Errorf("rest: %+v", s)
	}
	if s.Source("LOG_LEVEL") != FromDefault || s.Source("DATABASE_URL") != notSet {
		t.Errorf("sources %v", s.sources)
	}
}

// An empty value is none: docker-compose.yml passes on every setting, whether .env says it or not.
func TestEmptySettingsAreDefaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want, err := Read(nil, dir)
	require.NoError(t, err)
	var empty []string
	for _, shown := range want.Show() {
		if shown.Name != "DATA_DIR" {
			empty = append(empty, shown.Name+"=")
		}
	}
	require.Contains(t, empty, "PRICE_SOURCES=")
	got, err := Read(empty, dir)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// Covers operator §Settings: From the environment
// Covers operator §Settings: WORKER_CONCURRENCY
// Covers operator §Settings: WEBHOOKS_KEPT_DAYS
// Covers operator §Settings: SANDBOX_BLOCK_TIME
// Covers operator §Settings: SANDBOX_FUNDS
// Covers operator §Settings: LOG_LEVEL
// Covers operator §Settings: CUSTOMER_EMAILS_KEPT_DAYS
func TestSettingsAreRead(t *testing.T) {
	t.Parallel()
	s, err := Read([]string{"TRUSTED_PROXIES=10.0.0.0/8, ::1", "WEBHOOK_ALLOWED_HOSTS=a.test,b.test", "SANDBOX_BLOCK_TIME=0", "SANDBOX_FUNDS=2500.5",
		"SECRETS_KEY=" + someKey + "," + strings.TrimRight(someKey, "="), "RATE_LIMIT=0/1", "WORKER_CONCURRENCY=3", "WEBHOOKS_KEPT_DAYS=30", "LOG_LEVEL=debug",
		"CUSTOMER_EMAILS_KEPT_DAYS=45"}, t.TempDir())
	require.NoError(t, err)
	require.NoError(t, s.Need("SECRETS_KEY"))
	if len(s.TrustedProxies) != 2 || s.TrustedProxies[1].Bits() != 128 || len(s.AllowedHosts) != 2 || s.BlockTime() != 0 || s.SandboxFunds.String() != "2500.5" {
		t.Errorf("lists: %+v", s)
	}
	require.EqualValues(t, 45, s.EmailsKept)
	if len(s.SecretsKey) != 2 || len(s.SecretsKey[1]) != 32 || s.RateLimit.Requests != 0 || s.WorkerConcurrency != 3 || s.WebhooksKept != 30 {
		t.Errorf("keys: %+v", s)
	}
}

// Covers operator §Settings: A value that is unknown
// Covers operator §Settings: What they name is read too
// Covers operator §Settings: NETWORKS_FILE
func TestUnreadableSettingsAreNamed(t *testing.T) {
	t.Parallel()
	for name, values := range map[string][]string{
		"DATABASE_URL": {"localhost", "mysql://x", "host=a password=hunter2", "%zz", "postgres://a:hunter2@b/c?sslmode=d",
			"postgres://a:hunter2@b/c?sslrootcert=/none"},
		"OPERATOR_DATABASE_URL":         {"localhost", "postgres://a:hunter2@b/c?sslmode=d"},
		"DATABASE_READ_URL":             {"localhost", "postgres://a:hunter2@b/c?sslmode=d"},
		"SANDBOX_OPERATOR_DATABASE_URL": {"localhost", "postgres://a:hunter2@b/c?sslmode=d"},
		"DATABASE_ROLES":                {"Causeway", "a-b", "1a", "a b"},
		"DATABASE_PASSWORDS":            {"hunter2", "api:hunter2", "nobody:hunter2hunter2hunter2", "api:hunter2hunter2'hunter2"},
		"REDIS_URL": {"localhost:6379", "http://x", "redis://hunter2@a/b/c", "redis://hunter2@a/-1", "unix:///a?db=-2",
			"redis-sentinel://:hunter2@a,b/0", "redis-sentinel://:hunter2@a,/0?master=m", "redis-sentinel://:hunter2@a/x?master=m", "redis-sentinel://a/-1?master=m",
			"redis-sentinel://?master=m", "redis-sentinel://a?master=m&route_randomly=true", "redis-sentinel://a?master=m&password=hunter2",
			"redis-sentinel://a?master=m&hunter2=1", "redis-sentinel://:hunter2%zz@a?master=m", "redis-cluster://:hunter2@a/0", "redis-cluster://", "redis-cluster://a?master=m",
			"redis-cluster://a:1:2", "redis-cluster://a:", "redis-cluster://a,:7000", "rediss-cluster://a?read_only=true", "redis-cluster://a?addr=b:1", "redis-cluster://a#b",
			"redis-Cluster://a", "s-cluster://a"},
		"SMTP_URL":                  {"mail.example.com", "http://x", "smtp://hunter2@mail.example.com", "smtp://u:hunter2@h/p"},
		"MAIL_FROM":                 {"hunter2", "a@b c", "<>"},
		"CUSTOMER_EMAILS_KEPT_DAYS": {"29", "-1", "36501", "90d"},
		"LISTEN_ADDR":               {"8080", "1.2.3.4", ":x", ":99999"},
		"OPERATOR_ADDR":             {"here"},
		"PUBLIC_BASE_URL": {"pay.example.com", "ftp://a.test", "https://", "https://u:hunter2@a.test", "https://a.test?q=1",
			"https://a.test/#f", "https://:443", "%zz"},
		"CONSOLE_BASE_URL":      {"ops.example.com", "https://u:hunter2@a.test"},
		"HEADER_PREFIX":         {"X Service", "X-", "-X", "X:Y"},
		"TRUSTED_PROXIES":       {"proxy", "10.0.0.0/33", "1.2.3.4,nope"},
		"SECRETS_KEY":           {"hunter2", "aHVudGVyMg==", someKey + ",hunter2", ","},
		"WEBHOOK_ALLOWED_HOSTS": {"http://localhost", "a@b", "*", "a.test,localhost:80", "-a"},
		"RATE_LIMIT":            {"1000", "1000/0", "-1/60", "1e3/60", "1/2/3", "9999999999999/1"},
		"AUTH_FAILURES":         {"10/300", "0/300/900", "10/300/900/1", "a/b/c"},
		"SANDBOX_DATABASE_URL":  {"localhost", "postgres://u:hunter2@h/db?sslmode=sometimes"},
		"SANDBOX_REDIS_URL":     {"localhost:6379", "redis://hunter2@a/b/c", "redis://hunter2@a/-1"},
		"SANDBOX_OPERATOR_ADDR": {"here", "8082"},
		"SANDBOX_SECRETS_KEY":   {"hunter2", ","},
		"SEAL_KEY":              {"hunter2", "aHVudGVyMg==", someKey + ",hunter2", ","},
		"SANDBOX_BLOCK_TIME":    {"1", "-1s", "soon", "1ns", "9ms"},
		"SANDBOX_FUNDS":         {"0", "-5", "0.5", "1e16", "much", "100000 USD"},
		"NETWORKS_FILE":         {"/none/networks.yaml", "/", "settings.go"},
		"PRICE_SOURCES":         {"hunter", "kraken,kraken"},
		"DATA_DIR":              {"settings.go"},
		"LOG_LEVEL":             {"loud"},
		"LOG_FORMAT":            {"xml"},
		"WORKER_CONCURRENCY":    {"0", "-3", "many", "1000000"},
		"WEBHOOKS_KEPT_DAYS":    {"6", "-30", "30d", "99999"},
	} {
		for _, value := range values {
			dir := t.TempDir()
			if name == "DATA_DIR" {
				dir = ""
			}
			s, err := Read([]string{name + "=" + value}, dir)
			if err == nil {
				_, err = s.ReadNetworks()
			}
			if err == nil || !strings.HasPrefix(err.Error(), name+": ") || strings.Contains(err.Error(), "\n") ||
				strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s=%s: %v", name, value, err)
			}
		}
	}
}

// A new setting has its unreadable values here, or cannot have one.
func TestEverySettingCanBeUnreadable(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("settings_test.go")
	require.NoError(t, err)
	for f := range reflect.TypeFor[Settings]().Fields() {
		if name := f.Tag.Get("env"); name != "" && name != "-" && !strings.Contains(string(content), "\t\""+name+"\":") {
			t.Errorf("%s has no unreadable value in TestUnreadableSettingsAreNamed", name)
		}
	}
}

// Covers operator §dev: All other commands take
func TestDevFileCompletesTheEnvironment(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dev := &DevFile{DatabaseURL: "postgres://dev", RedisURL: "redis://dev", SecretsKey: someKey, HeaderPrefix: "X-Acme", PublicBaseURL: "http://127.0.0.1:8080"}
	require.NoError(t, dev.Write(dir))
	s, err := Read([]string{"REDIS_URL=redis://own"}, dir)
	require.NoError(t, err)
	require.NoError(t, s.Need("DATABASE_URL", "REDIS_URL", "SECRETS_KEY"))
	if s.DatabaseURL != "postgres://dev" || s.RedisURL != "redis://own" || len(s.SecretsKey) != 1 || len(s.AllowedHosts) != 3 ||
		s.HeaderPrefix != "X-Acme" || s.PublicBaseURL != "http://127.0.0.1:8080" {
		t.Errorf("settings %+v", s)
	}
	if s.Source("DATABASE_URL") != DevFileName || s.Source("REDIS_URL") != fromEnvironment || s.Source("DATA_DIR") != fromFlag {
		t.Errorf("sources %v", s.sources)
	}
}

// Covers operator §dev: All other commands take
func TestDevCommandIsNotCompletedByItsOwnFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, (&DevFile{DatabaseURL: "postgres://dev", SecretsKey: someKey}).Write(dir))
	s, err := ReadAlone(nil, dir)
	require.NoError(t, err)
	if s.Source("DATABASE_URL") != notSet || s.Dev == nil || s.Dev.SecretsKey != someKey || len(s.AllowedHosts) != 3 {
		t.Errorf("settings %+v", s)
	}
}

func TestSecretsKeyOfAnotherDatabaseIsNotTaken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, (&DevFile{DatabaseURL: "postgres://dev", RedisURL: "redis://dev", SecretsKey: someKey, HeaderPrefix: "X-Acme"}).Write(dir))
	s, err := Read([]string{"DATABASE_URL=postgres://production"}, dir)
	require.NoError(t, err)
	require.ErrorContains(t, s.Need("REDIS_URL"), "REDIS_URL is not set", "the workers of two databases would take each other's tasks")
	require.EqualValues(t, "X-Service", s.HeaderPrefix, "nor are the names of its headers")
	err = s.Need("SECRETS_KEY")
	if err == nil || !strings.Contains(err.Error(), "SECRETS_KEY is not set") || !strings.Contains(err.Error(), "another database") {
		t.Errorf("error %v", err)
	}
}

// Covers operator §dev: <data-dir>/dev.json
func TestDevFileIsPrivateAndStrict(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole := &DevFile{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17"}
	require.NoError(t, (&DevFile{}).Write(dir))
	require.NoError(t, whole.Write(dir))
	info, err := os.Stat(filepath.Join(dir, DevFileName))
	require.NoError(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	read, err := ReadDevFile(dir)
	require.NoError(t, err)
	if *read != *whole {
		t.Errorf("read back %+v", read)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("left behind %v", files)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, DevFileName), []byte(`{"api_uri": ""}`), 0o600))
	if _, err := ReadDevFile(dir); err == nil || !strings.Contains(err.Error(), "api_uri") {
		t.Errorf("unknown key: %v", err)
	}
}
