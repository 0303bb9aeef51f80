package operator

import (
	"embed"
	"html/template"
	"net/http"
	"strconv"

	"github.com/sirupsen/logrus"

	"causeway/internal/ops/admin"
	"causeway/internal/web/pages"
)

//go:embed pages
var files embed.FS

var written = pages.New(files, "/", template.FuncMap{"count": count, "age": admin.Span, "plural": admin.Plural})

// menu has the links in the head of a page, beside the operator port's own pages.
type menu struct{ Console, Inbox bool }

func (d *Deps) menu() menu { return menu{Console: d.Console != nil, Inbox: d.Verify != nil} }

// paged wraps a page: guarded by its headers and compressed.
func paged(h http.Handler) http.Handler {
	return zipped(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pages.Guard(w.Header(), pages.NoForms)
		h.ServeHTTP(w, r)
	}))
}

// render answers a page, or a piece of one.
func render(w http.ResponseWriter, log logrus.FieldLogger, name string, data any) {
	if err := written.Write(w, http.StatusOK, name, data); err != nil {
		log.WithError(err).Error("a page could not be written")
	}
}

func count(n int64) string { return pages.Grouped(strconv.FormatInt(n, 10)) }
