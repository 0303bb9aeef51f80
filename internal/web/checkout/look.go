package checkout

import (
	"bytes"
	"net/http"
	"path"
	"strings"
	"time"

	"causeway/internal/web/look"
)

// LookPrefix begins the addresses of logos and colours of merchants.
const LookPrefix = Prefix + "look/"

const keptForGood = "public, max-age=31536000, immutable" // the address names the content

// look answers the logo of a hash, or the style sheet of a colour.
func (c *Checkout) look(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	kind := path.Ext(name)
	stem := strings.TrimSuffix(name, kind)
	var content []byte
	switch colour, ok := look.ReadColour(stem); {
	case kind == ".css" && ok && colour.String() == stem:
		content = []byte(look.Styles(colour))
	case kind == ".png":
		var err error
		if content, err = c.Store.Logo(r.Context(), stem); err != nil {
			c.failed(w, r, err)
			return
		}
	default:
		c.problem(w, r, http.StatusNotFound, "missing")
		return
	}
	w.Header().Set("Cache-Control", keptForGood)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}
