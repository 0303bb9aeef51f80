package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"causeway/internal/cli/command"
	"causeway/internal/cli/commandtest"
	"causeway/internal/cli/settings"
)

// Covers operator §Settings: causeway config prints
// Covers operator §Roles: causeway config
func TestConfigMasksSecrets(t *testing.T) {
	t.Parallel()
	for i, form := range [][]string{{"config"}, {"config", "--json"}, {"config"}} {
		address := []string{"redis://:hunter2@r", "redis-cluster://:hunter2@r1:7000,r2:7000", "redis-sentinel://me:hunter2@r1,r2:26380/0?master=m&sentinel_password=hunter2"}[i]
		p, stdout, _ := programIn("", "DATABASE_URL=postgres://me:hunter2@db/x?password=hunter2", "REDIS_URL="+address,
			"SECRETS_KEY="+commandtest.SecretsKey, "SEAL_KEY="+commandtest.SecretsKey, "DATABASE_PASSWORDS=api:hunter2hunter2hunter2",
			"OPERATOR_DATABASE_URL=postgres://me:hunter2@db/x", "DATABASE_READ_URL=postgres://me:hunter2@replica/x",
			"SANDBOX_OPERATOR_DATABASE_URL=postgres://me:hunter2@db/y",
			"SANDBOX_DATABASE_URL=postgres://me:hunter2@db/y", "SANDBOX_REDIS_URL=redis://:hunter2@s", "SANDBOX_SECRETS_KEY="+commandtest.SecretsKey, "NETWORKS_FILE="+besideFile(t))
		if code := p.run(t.Context(), append(form, "--data-dir", t.TempDir())); code != command.ExitOK {
			t.Fatalf("exit code %d", code)
		}
		text := stdout.String()
		if i > 0 && !strings.Contains(text, "@r1") {
			t.Errorf("the addresses of Redis are not shown:\n%s", text)
		}
		if strings.Contains(text, "hunter2") || strings.Contains(text, commandtest.SecretsKey) {
			t.Errorf("a secret is shown:\n%s", text)
		}
		for f := range reflect.TypeFor[settings.Settings]().Fields() {
			if name := f.Tag.Get("env"); name != "-" && !strings.Contains(text, name) {
				t.Errorf("%s is missing", name)
			}
			if f.Tag.Get("env") != "" && f.Tag.Get("env") != "-" && f.Tag.Get("about") == "" {
				t.Errorf("%s has no meaning", f.Name)
			}
		}
	}
}

// The cold addresses of the networks file are shown with the settings.
//
// Covers operator §Settings: cold is written here alone
func TestConfigShowsColdAddresses(t *testing.T) {
	t.Parallel()
	const cold = "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb"
	file := filepath.Join(t.TempDir(), "networks.yaml")
	must(t, os.WriteFile(file, []byte("networks: {Ethereum: {rpc: 'http://127.0.0.1:1', xpub: "+testXPub+", cold: '"+cold+"'}}\n"), 0o600))
	p, stdout, _ := programIn("", "DATABASE_URL=postgres://me@db/x", "REDIS_URL=redis://r", "SECRETS_KEY="+commandtest.SecretsKey, "NETWORKS_FILE="+file)
	if code := p.run(t.Context(), []string{"config", "--data-dir", t.TempDir()}); code != command.ExitOK {
		t.Fatalf("exit code %d", code)
	}
	if line := stdout.String(); !strings.Contains(line, cold) || !strings.Contains(line, "Ethereum cold") {
		t.Errorf("the cold address is not shown:\n%s", line)
	}
}

// Settings unfit for any role are refused, in one line about the setting, below the list of settings.
//
// Covers operator §Settings: From the environment
func TestConfigRefusesWhatNoRoleStartsWith(t *testing.T) {
	t.Parallel()
	whole := []string{"DATABASE_URL=postgres://me@db/x", "REDIS_URL=redis://r", "SECRETS_KEY=" + commandtest.SecretsKey}
	for _, c := range []struct {
		environ []string
		says    string
	}{
		{whole[1:], "DATABASE_URL is not set"},
		{[]string{whole[0], whole[2]}, "REDIS_URL is not set"},
		{whole[:2], "SECRETS_KEY is not set"},
		{append(whole[:3:3], "LISTEN_ADDR=127.0.0.1:9", "OPERATOR_ADDR=127.0.0.1:9"), "OPERATOR_ADDR is LISTEN_ADDR"},
	} {
		p, stdout, stderr := programIn("", c.environ...)
		code := p.run(t.Context(), []string{"config", "--data-dir", t.TempDir()})
		if code != command.ExitFailed || !strings.Contains(stdout.String(), "OPERATOR_ADDR") || !strings.Contains(stderr.String(), c.says) || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%s: exit code %d, %q", c.says, code, stderr)
		}
	}
	p, _, stderr := programIn("", whole...)
	if code := p.run(t.Context(), []string{"config", "--data-dir", t.TempDir()}); code != command.ExitOK {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}

// Probable mistakes in settings fit for every role are told on standard error, by the line in the roles' logs; the settings
// are printed.
//
// Covers operator §Settings: From the environment
// Covers operator §Settings: PRICE_SOURCES
func TestConfigWarns(t *testing.T) {
	t.Parallel()
	whole := []string{"DATABASE_URL=postgres://me@db/x", "SECRETS_KEY=" + commandtest.SecretsKey}
	real, beside := "NETWORKS_FILE="+besideFile(t), "SANDBOX_DATABASE_URL=postgres://me@db/y"
	for says, environ := range map[string][]string{
		"": {"REDIS_URL=redis://r/15", "PRICE_SOURCES=frankfurter,kraken", real},
		"causeway: warning: REDIS_URL names a database above 15": {"REDIS_URL=redis://r/16"},
		"causeway: warning: SANDBOX_REDIS_URL names a database above 15": {"REDIS_URL=redis://r",
			"PRICE_SOURCES=kraken", real, beside, "SANDBOX_REDIS_URL=redis://r/99"},
		"causeway: warning: PRICE_SOURCES is not set: real networks (Ethereum)": {"REDIS_URL=redis://r", real},
		"causeway: warning: PRICE_SOURCES names no source that has prices of tokens (coinbase, coingecko, kraken)": {"REDIS_URL=redis://r",
			"PRICE_SOURCES=frankfurter"},
	} {
		p, stdout, stderr := programIn("", append(environ, whole...)...)
		code := p.run(t.Context(), []string{"config", "--json", "--data-dir", t.TempDir()})
		lines := 1
		if says == "" {
			lines = 0
		}
		if code != command.ExitOK || stdout.Len() == 0 || !strings.HasPrefix(stderr.String(), says) || strings.Count(stderr.String(), "\n") != lines {
			t.Errorf("%q: exit code %d, %q", says, code, stderr)
		}
	}
}
