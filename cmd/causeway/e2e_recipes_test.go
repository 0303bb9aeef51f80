package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/docs/guides"
)

// TestRecipes runs the commands of each recipe against one installation, as somebody would who copies them into a shell.
func TestRecipes(t *testing.T) {
	t.Parallel()
	i := install(t, quickBlocks)
	bin := t.TempDir()
	program, err := filepath.Abs(os.Args[0])
	require.NoError(t, err)
	script := fmt.Sprintf("#!/bin/sh\nexec env %s=1 '%s' \"$@\" --data-dir '%s'\n", asCauseway, program, i.dir)
	require.NoError(t, os.WriteFile(filepath.Join(bin, "causeway"), []byte(script), 0o700))
	d := i.file()
	own := strings.NewReplacer("{base_url}", "http://"+i.listen, "cw_live_…", d.APIKey, "https://shop.example.com/webhooks", d.InboxURL, "X-Service", d.HeaderPrefix)
	running := map[string]func() ([]byte, error){}
	for _, name := range []string{"shop", "marketplace", "exchange"} {
		text, err := guides.Files.ReadFile(name + ".md")
		require.NoError(t, err)
		var commands strings.Builder
		for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
			commands.WriteString(block[1])
		}
		run := exec.CommandContext(t.Context(), "sh", "-eu", "-c", own.Replace(commands.String()))
		run.Dir = t.TempDir()
		run.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "NO_PROXY=127.0.0.1")
		said := new(bytes.Buffer)
		run.Stdout, run.Stderr = said, said
		require.NoError(t, run.Start())
		running[name] = func() ([]byte, error) { err := run.Wait(); return said.Bytes(), err }
	}
	for name, ended := range running {
		said, err := ended()
		require.NoError(t, err, "%s: %s", name, said)
	}
	i.command("reconcile")
}
