package operator

import (
	"compress/gzip"
	"net/http"
	"strings"
	"sync"
)

var zippers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// zipped compresses the answers of h for clients able to read it.
func zipped(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept-Encoding")
		if r.Method != http.MethodGet || !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.ServeHTTP(w, r)
			return
		}
		z := &zipWriter{ResponseWriter: w}
		defer z.end()
		h.ServeHTTP(z, r)
	})
}

// zipWriter compresses the body from its first byte on; an answer without one stays as it is.
type zipWriter struct {
	http.ResponseWriter
	zip     *gzip.Writer
	decided bool
}

// WriteHeader implements http.ResponseWriter.
func (z *zipWriter) WriteHeader(status int) {
	if !z.decided {
		z.decided = true
		if status != http.StatusNoContent && status != http.StatusNotModified && z.Header().Get("Content-Encoding") == "" {
			z.Header().Set("Content-Encoding", "gzip")
			z.Header().Del("Content-Length")
			z.zip = zippers.Get().(*gzip.Writer)
			z.zip.Reset(z.ResponseWriter)
		}
	}
	z.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (z *zipWriter) Write(p []byte) (int, error) {
	if !z.decided {
		if z.Header().Get("Content-Type") == "" {
			z.Header().Set("Content-Type", http.DetectContentType(p))
		}
		z.WriteHeader(http.StatusOK)
	}
	if z.zip == nil {
		return z.ResponseWriter.Write(p)
	}
	return z.zip.Write(p)
}

// Unwrap is for http.ResponseController.
func (z *zipWriter) Unwrap() http.ResponseWriter { return z.ResponseWriter }

func (z *zipWriter) end() {
	if z.zip != nil {
		_ = z.zip.Close() // the client has gone
		zippers.Put(z.zip)
	}
}
