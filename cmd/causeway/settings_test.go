package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"causeway/api"
)

var testSecretsKey = base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))

// TestMain is the product itself where a test starts it as a process. Else it takes our settings out of the environment, so that only what a test says holds.
func TestMain(m *testing.M) {
	if os.Getenv(asCauseway) != "" {
		main()
		return
	}
	for f := range reflect.TypeFor[Settings]().Fields() {
		os.Unsetenv(f.Tag.Get("env"))
	}
	os.Exit(m.Run())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// programIn is a program whose data directory is dir.
func programIn(dir string, environ ...string) (p *program, stdout, stderr *bytes.Buffer) {
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	p = newProgram(environ, stdout, stderr)
	p.dataDir = dir
	return p, stdout, stderr
}

// Covers operator §Settings: LISTEN_ADDR
// Covers operator §Settings: OPERATOR_ADDR
// Covers operator §Settings: SANDBOX_BLOCK_TIME
// Covers operator §Settings: LOG_LEVEL
func TestDefaults(t *testing.T) {
	t.Parallel()
	p, _, _ := programIn("")
	p.environ = []string{"DATA_DIR=" + t.TempDir(), "LOG_LEVEL="}
	s, err := p.settings()
	must(t, err)
	if s.ListenAddr != ":8080" || s.OperatorAddr != "127.0.0.1:8081" || s.HeaderPrefix != "X-Service" || s.LogFormat != "json" {
		t.Errorf("addresses and names: %+v", s)
	}
	if s.RateLimit.Quota != (api.Quota{Requests: 1000, Window: time.Minute}) {
		t.Errorf("rate limit %+v", s.RateLimit)
	}
	if s.AuthFailures.FailureRule != (api.FailureRule{Failures: 10, Within: 5 * time.Minute, Block: 15 * time.Minute}) {
		t.Errorf("failures %+v", s.AuthFailures)
	}
	if s.blockTime() != time.Second || s.LogLevel.Level != logrus.InfoLevel || s.AllowedHosts != nil || s.Dev != nil {
		t.Errorf("rest: %+v", s)
	}
	if s.Source("LOG_LEVEL") != fromDefault || s.Source("DATABASE_URL") != notSet {
		t.Errorf("sources %v", s.sources)
	}
}

// Covers operator §Settings: From the environment
// Covers operator §Settings: WORKER_CONCURRENCY
// Covers operator §Settings: SANDBOX_BLOCK_TIME
// Covers operator §Settings: LOG_LEVEL
func TestSettingsAreRead(t *testing.T) {
	t.Parallel()
	p, _, _ := programIn(t.TempDir(), "TRUSTED_PROXIES=10.0.0.0/8, ::1", "WEBHOOK_ALLOWED_HOSTS=a.test,b.test", "SANDBOX_BLOCK_TIME=0",
		"SECRETS_KEY="+testSecretsKey+","+strings.TrimRight(testSecretsKey, "="), "RATE_LIMIT=0/1", "WORKER_CONCURRENCY=3", "LOG_LEVEL=debug")
	s, err := p.settings("SECRETS_KEY")
	must(t, err)
	if len(s.TrustedProxies) != 2 || s.TrustedProxies[1].Bits() != 128 || len(s.AllowedHosts) != 2 || s.blockTime() != 0 {
		t.Errorf("lists: %+v", s)
	}
	if len(s.SecretsKey) != 2 || len(s.SecretsKey[1]) != 32 || s.RateLimit.Requests != 0 || s.WorkerConcurrency != 3 {
		t.Errorf("keys: %+v", s)
	}
}

// Covers operator §Settings: A value that cannot be read
// Covers operator §Settings: What they name is read too
// Covers operator §Settings: NETWORKS_FILE
func TestUnreadableSettingsAreNamed(t *testing.T) {
	t.Parallel()
	for name, values := range map[string][]string{
		"DATABASE_URL":          {"localhost", "mysql://x", "host=a password=hunter2", "%zz", "postgres://a:hunter2@b/c?sslmode=d", "postgres://a:hunter2@b/c?sslrootcert=/none"},
		"REDIS_URL":             {"localhost:6379", "http://x", "redis://hunter2@a/b/c"},
		"LISTEN_ADDR":           {"8080", "1.2.3.4", ":x", ":99999"},
		"OPERATOR_ADDR":         {"here"},
		"PUBLIC_BASE_URL":       {"pay.example.com", "ftp://a.test", "https://", "https://u:hunter2@a.test", "https://a.test?q=1", "https://a.test/#f", "https://:443", "%zz"},
		"HEADER_PREFIX":         {"X Service", "X-", "-X", "X:Y"},
		"TRUSTED_PROXIES":       {"proxy", "10.0.0.0/33", "1.2.3.4,nope"},
		"SECRETS_KEY":           {"hunter2", "aHVudGVyMg==", testSecretsKey + ",hunter2", ","},
		"WEBHOOK_ALLOWED_HOSTS": {"http://localhost", "a@b", "*", "a.test,localhost:80", "-a"},
		"RATE_LIMIT":            {"1000", "1000/0", "-1/60", "1e3/60", "1/2/3", "9999999999999/1"},
		"AUTH_FAILURES":         {"10/300", "0/300/900", "10/300/900/1", "a/b/c"},
		"SANDBOX_DATABASE_URL":  {"localhost", "postgres://u:hunter2@h/db?sslmode=sometimes"},
		"SANDBOX_REDIS_URL":     {"localhost:6379", "redis://hunter2@a/b/c"},
		"SANDBOX_OPERATOR_ADDR": {"here", "8082"},
		"SANDBOX_SECRETS_KEY":   {"hunter2", ","},
		"SANDBOX_BLOCK_TIME":    {"1", "-1s", "soon"},
		"NETWORKS_FILE":         {"/none/networks.yaml", "/", "settings.go"},
		"PRICE_SOURCES":         {"hunter", "kraken,kraken"},
		"DATA_DIR":              {"settings.go"},
		"LOG_LEVEL":             {"loud"},
		"LOG_FORMAT":            {"xml"},
		"WORKER_CONCURRENCY":    {"0", "-3", "many", "1000000"},
	} {
		for _, value := range values {
			p, _, stderr := programIn("", name+"="+value)
			args := []string{"config", "--data-dir", t.TempDir()}
			if name == "DATA_DIR" {
				args = args[:1]
			}
			if code := p.run(t.Context(), args); code != exitFailed {
				t.Errorf("%s=%s: exit code %d", name, value, code)
			}
			line := stderr.String()
			if !strings.HasPrefix(line, "causeway: "+name+": ") || strings.Count(line, "\n") != 1 || strings.Contains(line, "hunter2") {
				t.Errorf("%s=%s: %q", name, value, line)
			}
		}
	}
}

// A setting that is added has its unreadable values here, or cannot have one.
func TestEverySettingCanBeUnreadable(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("settings_test.go")
	must(t, err)
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
	dev := &DevFile{DatabaseURL: "postgres://dev", RedisURL: "redis://dev", SecretsKey: testSecretsKey}
	must(t, dev.Write(dir))
	p, _, _ := programIn(dir, "REDIS_URL=redis://own")
	s, err := p.settings("DATABASE_URL", "REDIS_URL", "SECRETS_KEY")
	must(t, err)
	if s.DatabaseURL != "postgres://dev" || s.RedisURL != "redis://own" || len(s.SecretsKey) != 1 || len(s.AllowedHosts) != 3 {
		t.Errorf("settings %+v", s)
	}
	if s.Source("DATABASE_URL") != devFileName || s.Source("REDIS_URL") != fromEnvironment || s.Source("DATA_DIR") != fromFlag {
		t.Errorf("sources %v", s.sources)
	}
}

// Covers operator §dev: All other commands take
func TestDevCommandIsNotCompletedByItsOwnFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, (&DevFile{DatabaseURL: "postgres://dev", SecretsKey: testSecretsKey}).Write(dir))
	p, _, _ := programIn(dir)
	s, err := p.devSettings()
	must(t, err)
	if s.Source("DATABASE_URL") != notSet || s.Dev == nil || s.Dev.SecretsKey != testSecretsKey || len(s.AllowedHosts) != 3 {
		t.Errorf("settings %+v", s)
	}
}

func TestSecretsKeyOfAnotherDatabaseIsNotTaken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, (&DevFile{DatabaseURL: "postgres://dev", SecretsKey: testSecretsKey}).Write(dir))
	p, _, _ := programIn(dir, "DATABASE_URL=postgres://production")
	_, err := p.settings("SECRETS_KEY")
	if err == nil || !strings.Contains(err.Error(), "SECRETS_KEY is not set") || !strings.Contains(err.Error(), "another database") {
		t.Errorf("error %v", err)
	}
}

// Covers operator §dev: <data-dir>/dev.json
func TestDevFileIsPrivateAndStrict(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole := &DevFile{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14"}
	must(t, (&DevFile{}).Write(dir))
	must(t, whole.Write(dir))
	info, err := os.Stat(filepath.Join(dir, devFileName))
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	read, err := ReadDevFile(dir)
	must(t, err)
	if *read != *whole {
		t.Errorf("read back %+v", read)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("left behind %v", files)
	}
	must(t, os.WriteFile(filepath.Join(dir, devFileName), []byte(`{"api_uri": ""}`), 0o600))
	if _, err := ReadDevFile(dir); err == nil || !strings.Contains(err.Error(), "api_uri") {
		t.Errorf("unknown key: %v", err)
	}
}

// Covers operator §Settings: causeway config prints
// Covers operator §Roles: causeway config
func TestConfigMasksSecrets(t *testing.T) {
	t.Parallel()
	for _, form := range [][]string{{"config"}, {"config", "--json"}} {
		p, stdout, _ := programIn("", "DATABASE_URL=postgres://me:hunter2@db/x?password=hunter2", "REDIS_URL=redis://:hunter2@r", "SECRETS_KEY="+testSecretsKey,
			"SANDBOX_DATABASE_URL=postgres://me:hunter2@db/y", "SANDBOX_REDIS_URL=redis://:hunter2@s", "SANDBOX_SECRETS_KEY="+testSecretsKey, "NETWORKS_FILE="+besideFile(t))
		if code := p.run(t.Context(), append(form, "--data-dir", t.TempDir())); code != exitOK {
			t.Fatalf("exit code %d", code)
		}
		text := stdout.String()
		if strings.Contains(text, "hunter2") || strings.Contains(text, testSecretsKey) {
			t.Errorf("a secret is shown:\n%s", text)
		}
		for f := range reflect.TypeFor[Settings]().Fields() {
			if name := f.Tag.Get("env"); name != "-" && !strings.Contains(text, name) {
				t.Errorf("%s is missing", name)
			}
			if f.Tag.Get("env") != "" && f.Tag.Get("env") != "-" && f.Tag.Get("about") == "" {
				t.Errorf("%s has no meaning", f.Name)
			}
		}
	}
}

// Covers operator §Settings: LOG_FORMAT
func TestLogMasksSecrets(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"json", "text"} {
		p, _, _ := programIn(t.TempDir(), "LOG_FORMAT="+format)
		s, err := p.settings()
		must(t, err)
		var out bytes.Buffer
		fields := logrus.Fields{"password": "hunter2", "url": "postgres://me:hunter2@db", "merchant_id": "m1"}
		s.newLog(&out).WithFields(fields).Info("a key cw_live_hunter2hunter2, one cw_test_hunter2, and whsec_hunter2")
		if strings.Contains(out.String(), "hunter2") || !strings.Contains(out.String(), "m1") || !strings.Contains(out.String(), "info") {
			t.Errorf("logged %s", out.String())
		}
		if json.Valid(out.Bytes()) != (format == "json") {
			t.Errorf("%s is logged as %s", format, out.String())
		}
		if fields["password"] != "hunter2" {
			t.Error("the caller's fields were changed")
		}
	}
}
