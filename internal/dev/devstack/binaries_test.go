package devstack

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNewestPostgresFirst(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, version := range []string{"9.6", "17", "15"} {
		if err := os.MkdirAll(filepath.Join(root, version, "bin"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	dirs := highestFirst(filepath.Join(root, "*", "bin"))
	var versions []string
	for _, dir := range dirs {
		versions = append(versions, filepath.Base(filepath.Dir(dir)))
	}
	if got := strings.Join(versions, " "); got != "17 15 9.6" {
		t.Errorf("order is %s", got)
	}
}

func TestDataOfAnotherVersionIsNotTouched(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if bin, err := findPostgres(data); err != nil || postgresMajor(bin) == "" {
		t.Fatalf("without data: %s, %v", bin, err)
	}
	if err := os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte("7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := findPostgres(data); err == nil || !strings.Contains(err.Error(), "PostgreSQL 7") {
		t.Errorf("with data of version 7: %v", err)
	}
}

// Covers operator §dev: DATABASE_URL and REDIS_URL are used
func TestMissingProgramsAreNamed(t *testing.T) {
	t.Setenv("REDIS_SERVER", "")
	t.Setenv("PATH", t.TempDir())
	err := missing("Redis server program", "redis-server", "redis", "REDIS_SERVER to its path")
	for _, word := range []string{"Redis server program", "install", "REDIS_SERVER"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not mention %q", err, word)
		}
	}
}

func TestLongSocketPathsAreAvoided(t *testing.T) {
	t.Parallel()
	who, err := ordinaryUser()
	if err != nil {
		t.Fatal(err)
	}
	p := &place{dir: "/" + strings.Repeat("deep/", 60)}
	dir, err := socketDir(who, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(dir) })
	if len(dir) > 80 || !who.owns(dir) {
		t.Errorf("socket directory %s is too long or open to others", dir)
	}
	if again, err := socketDir(who, p); err != nil || again != dir {
		t.Errorf("second start uses %s, %v", again, err)
	}
}
