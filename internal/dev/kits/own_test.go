package main

import (
	"archive/zip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// own are the commands for the own tests of each kit, in its folder.
var own = map[string][]string{
	"python": {"python3", "-B", "-m", "unittest", "discover", "-s", "tests"},
}

// Each kit passes its own tests, among them the cases of clients/vectors.json.
func TestOwnTests(t *testing.T) {
	t.Parallel()
	for name, command := range own {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runs(t, filepath.Join(clients, name), []string{"PYTHONPATH=.", "NO_PROXY=127.0.0.1"}, command...)
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

func runs(t *testing.T, dir string, environment []string, command ...string) {
	t.Helper()
	run := exec.CommandContext(t.Context(), command[0], command[1:]...)
	run.Dir = dir
	run.Env = append(os.Environ(), environment...)
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("%v: %v\n%s", command, err, out)
	}
}
