// Package repo finds files of this repository, and the programs that its scripts have fetched, for tests and demonstrations.
package repo

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Dir returns the directory of go.mod, at the working directory or above it.
func Dir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		switch {
		case err == nil:
			return dir, nil
		case !errors.Is(err, os.ErrNotExist) || dir == filepath.Dir(dir):
			return "", errors.New("not in a checkout: no go.mod above")
		}
		dir = filepath.Dir(dir)
	}
}

// Program returns the path of a program of scripts/nodes: the newest below .cache of the checkout, else the machine's own.
func Program(name string) (string, error) {
	dir, err := Dir()
	if err != nil {
		return "", err
	}
	sought := filepath.Join(".cache", name+"-*", name)
	found, err := filepath.Glob(filepath.Join(dir, sought))
	if err == nil && len(found) > 0 {
		return found[len(found)-1], nil
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is missing (scripts/nodes fetches it)", sought)
	}
	return path, nil
}
