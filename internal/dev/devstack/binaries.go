package devstack

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strconv"
	"strings"
)

// findPostgres is the directory with initdb and postgres. Data of an earlier start
// decides the major version; dataDir may not exist yet.
func findPostgres(dataDir string) (string, error) {
	candidates := postgresDirs()
	if len(candidates) == 0 {
		return "", missing("PostgreSQL server programs (initdb, postgres)", "postgresql", "postgresql@17", "PG_BIN to their directory")
	}
	content, err := os.ReadFile(filepath.Join(dataDir, "PG_VERSION"))
	if errors.Is(err, os.ErrNotExist) {
		return candidates[0], nil
	} else if err != nil {
		return "", err
	}
	wanted := strings.TrimSpace(string(content))
	for _, dir := range candidates {
		if postgresMajor(dir) == wanted {
			return dir, nil
		}
	}
	return "", fmt.Errorf("%s was written by PostgreSQL %s, which is not installed: install it, or start over with an empty data directory",
		dataDir, wanted)
}

// postgresDirs are the directories with a PostgreSQL server, best first.
func postgresDirs() []string {
	var wanted []string
	if dir := os.Getenv("PG_BIN"); dir != "" {
		wanted = append(wanted, dir)
	}
	if initdb, err := exec.LookPath("initdb"); err == nil {
		if resolved, err := filepath.EvalSymlinks(initdb); err == nil {
			wanted = append(wanted, filepath.Dir(resolved))
		}
	}
	wanted = append(wanted, highestFirst("/usr/lib/postgresql/*/bin")...)
	wanted = append(wanted, highestFirst("/opt/homebrew/opt/postgresql@*/bin")...)
	wanted = append(wanted, highestFirst("/usr/local/opt/postgresql@*/bin")...)
	wanted = append(wanted, highestFirst("/usr/pgsql-*/bin")...)
	var dirs []string
	for _, dir := range wanted {
		if executable(filepath.Join(dir, "initdb")) && executable(filepath.Join(dir, "postgres")) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// highestFirst expands a pattern of versioned directories, newest version first.
func highestFirst(pattern string) []string {
	dirs, _ := filepath.Glob(pattern)
	version := func(dir string) float64 {
		name := filepath.Base(filepath.Dir(dir))
		number, _ := strconv.ParseFloat(strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyz-@"), 64)
		return number
	}
	sort.SliceStable(dirs, func(i, j int) bool { return version(dirs[i]) > version(dirs[j]) })
	return dirs
}

// postgresMajor is the major version of the programs in dir, such as "15".
func postgresMajor(dir string) string {
	out, err := exec.Command(filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(out)) // postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)
	if len(fields) < 3 {
		return ""
	}
	end := strings.IndexFunc(fields[2]+".", func(r rune) bool { return r < '0' || r > '9' })
	return fields[2][:end]
}

// findRedis is the Redis server program, or Valkey's: to us it is the same.
func findRedis() (string, error) {
	if program := os.Getenv("REDIS_SERVER"); program != "" {
		return program, nil
	}
	for _, name := range []string{"redis-server", "valkey-server"} {
		if program, err := exec.LookPath(name); err == nil {
			return program, nil
		}
		for _, dir := range []string{"/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"} {
			if program := filepath.Join(dir, name); executable(program) {
				return program, nil
			}
		}
	}
	return "", missing("Redis server program (redis-server)", "redis-server", "redis", "REDIS_SERVER to its path")
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && info.Mode().Perm()&0o111 != 0
}

// missing names the missing program and the command to install it here.
func missing(what, debian, brew, setting string) error {
	install := "install the package " + debian
	if runtime.GOOS == "darwin" {
		install = "brew install " + brew
	} else if _, err := exec.LookPath("apt-get"); err == nil {
		install = "sudo apt-get install " + debian
	}
	return fmt.Errorf("%s not found: %s, or set %s", what, install, setting)
}
