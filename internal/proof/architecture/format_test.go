package architecture

import (
	"bytes"
	"go/build"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFormatted: the whole linter takes minutes to build and is part of `make check`; how code is laid out is looked at
// wherever tests run.
func TestFormatted(t *testing.T) {
	t.Parallel()
	files := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && entry.Name() != "..":
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		source, err := os.ReadFile(filepath.Clean(path))
		if err != nil {
			return err
		}
		files++
		if formatted, err := format.Source(source); err != nil || !bytes.Equal(source, formatted) {
			t.Errorf("%s is not as gofmt writes it", path)
		}
		return nil
	})
	if err != nil || files < 100 {
		t.Errorf("%d files: %v", files, err)
	}
}

// A test file with a name such as broadcast_windows_test.go is compiled for one system, and its tests never run elsewhere.
func TestNoTestIsForAnotherSystem(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "race_test.go") {
			return err
		}
		if built, err := build.Default.MatchFile(filepath.Dir(path), filepath.Base(path)); err != nil || !built {
			t.Errorf("%s is not compiled here: %v", path, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
