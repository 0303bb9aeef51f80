package testkit

import (
	"os"
	"path/filepath"
	"syscall"
)

const (
	memory       = "/dev/shm" // a file system in memory, on Linux
	memoryNeeded = 4 << 30    // bytes free; a run of all tests takes a few hundred million
)

// scratch returns the place of a directory with this name: in memory where there is room, since each test copies a
// database of 600 files, else among the temporary files. A directory stays where it is.
func scratch(name string) string {
	kept := filepath.Join(memory, name)
	if _, err := os.Stat(kept); err == nil || freeBytes(memory) >= memoryNeeded {
		return kept
	}
	return filepath.Join(os.TempDir(), name)
}

// freeBytes returns how much can be written to a file system, 0 when there is none.
func freeBytes(path string) uint64 {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(path, &fs); err != nil {
		return 0
	}
	return uint64(fs.Bavail) * uint64(fs.Bsize) //nolint:gosec,unconvert // a size of blocks, whose type differs by system
}
