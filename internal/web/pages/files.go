package pages

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path"
	"strconv"
	"time"
)

// Files begins the addresses of styles and scripts, after the prefix of a Set.
const Files = "files/"

// Address puts the hash of a file's content into its address, so it may be kept for good.
func (s *Set) Address(name string) (string, error) {
	content, err := s.read(name)
	return s.prefix + Files + version(content) + "/" + name, err
}

func version(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:6])
}

// ServeFile answers the style or script named by the end of a path, as Address wrote it; false when there is none, and
// nothing was answered. A file of another version here, as while versions are rolled out, is not kept.
func (s *Set) ServeFile(w http.ResponseWriter, r *http.Request) bool {
	before, name := path.Split(r.URL.Path)
	if kind := path.Ext(name); kind != ".css" && kind != ".js" {
		return false
	}
	content, err := s.read(name)
	if err != nil {
		return false
	}
	kept := "no-store"
	if path.Base(before) == version(content) {
		kept = "public, max-age=31536000, immutable"
	}
	w.Header().Set("Cache-Control", kept)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
	return true
}

// ServeNewest answers a style or script at an address without its content's hash. Browsers ask for it again after a while.
func (s *Set) ServeNewest(w http.ResponseWriter, r *http.Request, name string, kept time.Duration) error {
	content, err := s.read(name)
	if err != nil {
		http.Error(w, "This file could not be read.", http.StatusInternalServerError)
		return err
	}
	w.Header().Set("Cache-Control", "public, max-age="+strconv.Itoa(int(kept/time.Second)))
	w.Header().Set("ETag", `"`+version(content)+`"`)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
	return nil
}

// ServeHTTP is ServeFile, and 404 for all else.
func (s *Set) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.ServeFile(w, r) {
		http.NotFound(w, r)
	}
}
