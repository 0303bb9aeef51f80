package console

import (
	"embed"
	"net/http"
)

//go:embed pages
var files embed.FS

func (c *Console) write(w http.ResponseWriter, status int, name string, data any) {
	if err := c.pages.Write(w, status, name, data); err != nil {
		c.Log.WithError(err).Error("a page could not be written")
	}
}
