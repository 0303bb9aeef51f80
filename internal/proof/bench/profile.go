package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// profile takes a CPU profile of a role into the profiles directory while the role is being measured; the returned
// function waits for the end.
func (a *arena) profile(r *role, name string) (stop func() error) {
	if a.profiles == "" {
		return func() error { return nil }
	}
	done := make(chan error, 1)
	go func() { done <- a.fetchProfile(r, name) }()
	return func() error { return <-done }
}

func (a *arena) fetchProfile(r *role, name string) error {
	seconds := max(1, int(a.slot/time.Second))
	response, err := http.Get(fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", r.operator, seconds))
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("profile of %s: %s", r.name, response.Status)
	}
	if err := os.MkdirAll(a.profiles, 0o755); err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(a.profiles, name+".pprof"))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	_, err = io.Copy(file, response.Body)
	return err
}
