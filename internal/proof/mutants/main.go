package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	only := flag.String("run", ".", "the mutants whose names match")
	flag.Parse()
	wanted, err := regexp.Compile(*only)
	if err == nil {
		err = hunt(wanted)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// hunt tries every mutant and fails when one survives.
func hunt(wanted *regexp.Regexp) error {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return fmt.Errorf("find the module: %w", err)
	}
	var survivors []string
	for _, m := range mutants {
		if !wanted.MatchString(m.name) {
			continue
		}
		start := time.Now()
		caught, err := m.try(strings.TrimSpace(string(root)))
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		if caught == "" {
			caught = "SURVIVED"
			survivors = append(survivors, m.name)
		}
		fmt.Printf("%-34s %-60s %4.0f s\n", m.name, caught, time.Since(start).Seconds())
	}
	if len(survivors) > 0 {
		return fmt.Errorf("no test notices: %s", strings.Join(survivors, ", "))
	}
	return nil
}

// try builds the mutant and returns the failing test, or nothing when none fails.
func (m mutant) try(root string) (caught string, err error) {
	folder, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	overlay, err := m.overlay(root, folder)
	if err != nil {
		return "", err
	}
	for _, args := range m.tests {
		if out, err := goTest(root, overlay, args[0], "-run", "^$"); err != nil {
			return "", fmt.Errorf("it does not build: %w\n%s", err, out)
		}
		out, err := goTest(root, overlay, args...)
		var failed *exec.ExitError
		if !errors.As(err, &failed) && err != nil {
			return "", err
		}
		if caught := firstFailure(out); err != nil && caught != "" {
			return caught, nil
		}
		if err != nil { // it was stopped, and says nothing about the mutant
			return "", fmt.Errorf("%w\n%s", err, out)
		}
	}
	return "", nil
}

func goTest(root, overlay string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", append([]string{"test", "-count=1", "-timeout", "30m", "-overlay", overlay}, args...)...)
	cmd.Dir = root
	return cmd.CombinedOutput()
}

var failure = regexp.MustCompile(`(?m)^ *--- FAIL: (\S+)`)

// firstFailure names the failed test, the innermost one, or nothing when none has failed.
func firstFailure(out []byte) string {
	name := ""
	for _, found := range failure.FindAllSubmatch(out, -1) {
		if name = string(found[1]); bytes.Contains(found[1], []byte("/")) {
			break
		}
	}
	return name
}

// overlay writes the changed files to a folder, with the file laying them over the sources.
func (m mutant) overlay(root, folder string) (string, error) {
	changed := map[string]string{}
	for _, e := range m.edits {
		if _, ok := changed[e.file]; !ok {
			content, err := os.ReadFile(filepath.Join(root, e.file))
			if err != nil {
				return "", err
			}
			changed[e.file] = string(content)
		}
		n := strings.Count(changed[e.file], e.old)
		if n == 0 || n > 1 && !e.everywhere {
			return "", fmt.Errorf("%s has %d times %q: the mutant is out of date", e.file, n, e.old)
		}
		changed[e.file] = strings.ReplaceAll(changed[e.file], e.old, e.new)
	}
	replace := map[string]string{}
	for file, content := range changed {
		path := filepath.Join(folder, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(root, file)] = path
	}
	body, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "overlay.json")
	return path, os.WriteFile(path, body, 0o600)
}
