package panel

import (
	"errors"
	"net/http"

	"causeway/internal/pay"
	"causeway/internal/web/room"
)

// export answers a whole list as CSV, piece by piece, for a person who still acts for the merchant.
func (p *Panel) export(w http.ResponseWriter, r *http.Request, first *visit, made *room.Page, make pageFunc) {
	err := room.Export(w, r, made, func(below string) (*room.Page, error) {
		r, cancel := bounded(r)
		defer cancel()
		v, err := p.known(r)
		if err != nil {
			return nil, err
		}
		if !v.session.Passed || v.Merchant != first.Merchant {
			return nil, pay.ErrNotFound
		}
		v.All, v.After = true, below
		next, err := make(v)
		if err == nil && v.Wrong != "" {
			err = errors.New(v.Wrong)
		}
		return next, err
	})
	if err != nil {
		p.Log.WithError(err).WithField("path", r.URL.Path).Warn("a file was broken off")
		panic(http.ErrAbortHandler)
	}
}
