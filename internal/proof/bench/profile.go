package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"causeway/internal/ops/admin"
	"causeway/internal/store"
	"causeway/internal/web/room"
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
	request, err := http.NewRequestWithContext(a.ctx, http.MethodGet, fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", r.operator, seconds), nil)
	if err != nil {
		return err
	}
	session, err := a.viewer()
	if err != nil {
		return err
	}
	request.AddCookie(session)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if kind := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || kind != "application/octet-stream" {
		return fmt.Errorf("profile of %s: %s, %s", r.name, response.Status, kind)
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

// viewer is the session of an operator of the arena's books: on live books nobody else sees profiles.
func (a *arena) viewer() (*http.Cookie, error) {
	a.looks.Lock()
	defer a.looks.Unlock()
	if a.session == "" {
		token, o := hex.EncodeToString(random(32)), &store.Operator{ID: uuid.Must(uuid.NewV7()), Name: "bench", Role: admin.RoleViewer, Password: "none"}
		added, err := a.store.AddOperator(a.ctx, o)
		if err == nil && added {
			added, err = a.store.AddSession(a.ctx, room.HashOf(token), o, true, "127.0.0.1")
		}
		if err != nil || !added {
			return nil, errors.Join(err, errors.New("the operator who looks at profiles is not there"))
		}
		a.session = token
	}
	return &http.Cookie{Name: "causeway-console", Value: a.session}, nil
}
