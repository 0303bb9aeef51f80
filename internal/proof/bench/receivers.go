package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// receivers are merchants' servers: they answer 200 after a while, and count.
type receivers struct {
	urls    []string
	servers []*http.Server
	hit     func()
	delay   time.Duration
}

const receiverHosts = 16

func newReceivers(delay time.Duration, hit func()) (*receivers, error) {
	r := &receivers{hit: hit, delay: delay}
	for range receiverHosts {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, errors.Join(err, r.close())
		}
		server := &http.Server{Handler: r, ReadHeaderTimeout: 5 * time.Second}
		r.servers, r.urls = append(r.servers, server), append(r.urls, fmt.Sprintf("http://%s/hook", listener.Addr()))
		go func() { _ = server.Serve(listener) }()
	}
	return r, nil
}

// ServeHTTP implements http.Handler.
func (r *receivers) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	_, _ = io.Copy(io.Discard, request.Body)
	if r.delay > 0 {
		wait(r.delay)
	}
	w.WriteHeader(http.StatusOK)
	r.hit()
}

func (r *receivers) url(n int) string { return r.urls[n%len(r.urls)] }

func (r *receivers) close() (err error) {
	for _, server := range r.servers {
		err = errors.Join(err, server.Close())
	}
	return err
}
