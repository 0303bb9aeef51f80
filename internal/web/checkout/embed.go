package checkout

import (
	"net/http"
	"strings"
	"time"

	"causeway/internal/web/pages"
)

// EmbedPath is the address of a script for pages of shops: it opens payers' pages in a window.
const EmbedPath = Prefix + embedScript

const (
	embedScript = "embed.js"
	embedKept   = 5 * time.Minute // until browsers ask for a newer one
)

// EmbedPinned is the script's address by its content: no other content is ever kept under it.
func EmbedPinned() string {
	address, _ := written.Address(embedScript) // it is part of this program
	return Prefix + address
}

// embed answers the script at EmbedPath.
func (c *Checkout) embed(w http.ResponseWriter, r *http.Request) {
	if err := written.ServeNewest(w, r, embedScript, embedKept); err != nil {
		c.Log.WithError(err).Error("a script could not be read")
	}
}

// isFile reports whether an address is of a style or script. These requests are counted for nobody.
func isFile(path string) bool {
	return strings.HasPrefix(path, Prefix+pages.Files) || path == EmbedPath
}

// share lets pages of other sites read the script for them, also by a checksum or apart from all others.
func share(h http.Header, path string) {
	if strings.HasSuffix(path, "/"+embedScript) {
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	}
}

// frame lets the sites of a page show it. All other pages are nobody's to frame, as guard has said.
func frame(h http.Header, sites string) {
	if sites == "" {
		return
	}
	pages.GuardFramed(h, pages.OwnForms, sites)
}
