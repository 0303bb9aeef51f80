package console

import (
	"context"
	"errors"
	"net/http"

	"causeway/internal/pay"
	"causeway/internal/web/room"
)

// export answers a whole list as CSV.
func (c *Console) export(w http.ResponseWriter, r *http.Request, p *page, make pageFunc) {
	err := room.Export(w, r, p, func(below string) (*page, error) { return c.piece(r, below, make) })
	if err != nil {
		c.brokenOff(r, err)
		panic(http.ErrAbortHandler)
	}
}

// brokenOff logs a file without its end: a warning, unless its client has hung up.
func (c *Console) brokenOff(r *http.Request, err error) {
	log := c.Log.WithError(err).WithField("path", r.URL.Path)
	if errors.Is(r.Context().Err(), context.Canceled) {
		log.Debug("the client hung up")
		return
	}
	log.Warn("a file was broken off")
}

// piece reads a file's rows below a row, for somebody still logged in.
func (c *Console) piece(r *http.Request, below string, make pageFunc) (*page, error) {
	r, cancel := bounded(r)
	defer cancel()
	v, err := c.known(r)
	if err != nil {
		return nil, err
	}
	if !v.session.Passed {
		return nil, pay.ErrNotFound
	}
	v.All, v.After = true, below
	p, err := make(v)
	if err == nil && v.Wrong != "" {
		err = errors.New(v.Wrong)
	}
	return p, err
}
