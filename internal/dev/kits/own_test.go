package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// own are the commands for the own tests of each kit, in its folder.
var own = map[string]func(t *testing.T) []string{
	"php": func(*testing.T) []string { return []string{"php", "tests/client.php"} },
	"python": func(*testing.T) []string {
		return []string{"python3", "-B", "-m", "unittest", "discover", "-s", "tests"}
	},
	"typescript": func(t *testing.T) []string {
		compiled := t.TempDir()
		runs(t, clients, nil, "../scripts/typescript", compiled)
		return []string{"node", "--test", filepath.Join(compiled, "tests", "client.test.js")}
	},
}

// Each kit passes its own tests, among them the cases of clients/vectors.json.
func TestOwnTests(t *testing.T) {
	t.Parallel()
	for name, command := range own {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runs(t, filepath.Join(clients, name), []string{"PYTHONPATH=.", "NO_PROXY=127.0.0.1"}, command(t)...)
		})
	}
	if len(own) != len(kits) {
		t.Errorf("%d kits have tests of their own, of %d", len(own), len(kits))
	}
}

// The Python package becomes a wheel, with its types and its README in it.
func TestWheel(t *testing.T) {
	t.Parallel()
	source, wheels := t.TempDir(), t.TempDir()
	if err := os.CopyFS(source, os.DirFS(filepath.Join(clients, "python"))); err != nil {
		t.Fatal(err)
	}
	runs(t, source, nil, builder(t), "-c", "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])", wheels)
	archive, err := zip.OpenReader(filepath.Join(wheels, "causeway_client-0.1.0-py3-none-any.whl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	var names []string
	for _, file := range archive.File {
		names = append(names, file.Name)
	}
	for _, name := range []string{"__init__.py", "client.py", "errors.py", "py.typed", "signing.py", "transport.py", "types.py", "webhooks.py"} {
		if !slices.Contains(names, "causeway/"+name) {
			t.Errorf("the wheel has no %s: %v", name, names)
		}
	}
	if slices.ContainsFunc(names, func(name string) bool { return filepath.Dir(name) == "tests" }) {
		t.Errorf("the wheel has tests: %v", names)
	}
}

// The TypeScript package becomes a tarball, compiled, with its types and its README in it.
func TestTarball(t *testing.T) {
	t.Parallel()
	source := t.TempDir()
	if err := os.CopyFS(source, os.DirFS(filepath.Join(clients, "typescript"))); err != nil {
		t.Fatal(err)
	}
	installed := strings.TrimSpace(runs(t, clients, nil, "../scripts/typescript"))
	if err := os.Symlink(filepath.Join(installed, "node_modules"), filepath.Join(source, "node_modules")); err != nil {
		t.Fatal(err)
	}
	runs(t, source, nil, "npm", "pack", "--silent", "--offline")
	names := strings.Fields(runs(t, source, nil, "tar", "-tzf", "causeway-client-0.1.0.tgz"))
	for _, name := range []string{"README.md", "package.json", "dist/index.js", "dist/index.d.ts", "dist/client.js", "dist/client.d.ts",
		"dist/errors.js", "dist/signing.js", "dist/transport.js", "dist/types.d.ts", "dist/webhooks.js"} {
		if !slices.Contains(names, "package/"+name) {
			t.Errorf("the tarball has no %s: %v", name, names)
		}
	}
	if slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, "test") }) {
		t.Errorf("the tarball has tests: %v", names)
	}
}

// The PHP package is described for composer: each class is where its autoloader looks for it.
func TestComposerPackage(t *testing.T) {
	t.Parallel()
	var described struct {
		Name, Type, License, Description string
		Require                          map[string]string
		Autoload                         struct {
			PSR4 map[string]string `json:"psr-4"`
		}
	}
	text, err := os.ReadFile(filepath.Join(clients, "php", "composer.json"))
	if err == nil {
		err = json.Unmarshal(text, &described)
	}
	if err != nil || described.Name != "causeway/client" || described.Type != "library" || described.License != "Apache-2.0" || described.Description == "" {
		t.Fatalf("%+v %v", described, err)
	}
	sources, err := filepath.Glob(filepath.Join(clients, "php", described.Autoload.PSR4["Causeway\\"], "*.php"))
	if err != nil || len(sources) < 10 || described.Require["php"] != ">=8.1" || described.Require["ext-curl"] == "" {
		t.Fatal(len(sources), described.Require, err)
	}
	for _, source := range sources {
		text, err := os.ReadFile(source)
		name := strings.TrimSuffix(filepath.Base(source), ".php")
		declared := regexp.MustCompile(`(?m)^(?:final )?(?:class|interface) ` + name + `\b`)
		if err != nil || !strings.Contains(string(text), "\nnamespace Causeway;\n") || !declared.Match(text) {
			t.Errorf("%s declares no %s of its namespace: %v", source, name, err)
		}
	}
}

// builder is a Python with setuptools and wheel: the first on the path, or the system's own.
func builder(t *testing.T) string {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), python, "-c", "import setuptools, wheel").Run() == nil {
			return python
		}
	}
	t.Fatal("no python3 has setuptools and wheel (scripts/bootstrap --snippets)")
	return ""
}

// runs runs a command in a directory, and returns its standard output.
func runs(t *testing.T, dir string, environment []string, command ...string) string {
	t.Helper()
	var out, said bytes.Buffer
	run := exec.CommandContext(t.Context(), command[0], command[1:]...)
	run.Dir, run.Stdout, run.Stderr = dir, &out, &said
	run.Env = append(os.Environ(), environment...)
	if err := run.Run(); err != nil {
		t.Fatalf("%v: %v\n%s%s", command, err, out.String(), said.String())
	}
	return out.String()
}
