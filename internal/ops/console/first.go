package console

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"causeway/internal/ops/admin"
	"causeway/internal/web/room"
)

// firstPath is the address of the page to make the first operator, below Prefix.
const firstPath = "first"

// FirstLink returns the path and query of a link to make the first operator of live books. It is good once, and for a day. There is
// none when there is an operator, when another link is good, or on other books.
func (c *Console) FirstLink(ctx context.Context) (link string, err error) {
	if !c.LiveBooks {
		return "", nil
	}
	token := room.NewToken()
	if offered, err := c.Store.OfferFirst(ctx, room.HashOf(token)); err != nil || !offered {
		return "", err
	}
	return Prefix + firstPath + "?token=" + token, nil
}

// firstPage asks for the name and password of the first operator.
func (c *Console) firstPage(w http.ResponseWriter, r *http.Request) {
	c.first(w, r, http.StatusOK, entrance{Token: r.URL.Query().Get("token")})
}

// first shows the page for the first operator while its link is good, and the login afterwards.
func (c *Console) first(w http.ResponseWriter, r *http.Request, status int, e entrance) {
	good, err := c.Store.FirstOffered(r.Context(), room.HashOf(e.Token))
	switch {
	case err != nil:
		c.failed(w, r, err)
		return
	case !good:
		c.problem(w, r, http.StatusNotFound, "This link no longer works",
			"It works once, within a day, and only until there is an operator. To create one, run this on the machine that runs Causeway: causeway admin operator create NAME --role admin")
		return
	}
	e.Title, e.First = "The first operator", true
	c.write(w, status, "login.html", e)
}

// makeFirst makes the first operator, and leads to the login.
func (c *Console) makeFirst(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, largestForm)
	e := entrance{Token: r.PostFormValue("token"), Name: strings.TrimSpace(r.PostFormValue("name"))}
	a := &admin.Admin{Store: c.Store, Vault: c.Vault, Actor: e.Name}
	_, err := a.CreateFirstOperator(r.Context(), e.Name, r.PostFormValue("password"), room.HashOf(e.Token))
	var refused admin.Refusal
	switch {
	case errors.As(err, &refused):
		e.Wrong = refused.Error() + "."
		c.first(w, r, http.StatusUnprocessableEntity, e)
	case err != nil:
		c.failed(w, r, err)
	default:
		http.Redirect(w, r, Prefix+"login", http.StatusSeeOther)
	}
}
