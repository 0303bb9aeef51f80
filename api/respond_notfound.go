package api

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"causeway/internal/pay"
)

var errNoRoute = pay.E(pay.NotFound, "route_not_found", "There is no operation at this path and method.")

const notFoundPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>404 Not Found</title></head>
<body><h1>404 Not Found</h1><p>There is no operation at this path and method.</p></body>
</html>
`

// writeNotFound answers an unknown route.
func writeNotFound(w http.ResponseWriter, r *http.Request) {
	writeErrorOrPage(w, r, errNoRoute, http.StatusNotFound, notFoundPage)
}

// writeErrorOrPage answers an error, or with its status a page to a client preferring HTML (addendum §4.1).
func writeErrorOrPage(w http.ResponseWriter, r *http.Request, err error, status int, page string) {
	if !prefersHTML(r.Header["Accept"]) {
		writeError(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(page))
}

// prefersHTML reports whether text/html has a higher quality than application/json in the Accept headers (RFC 9110
// §12.5.1): the most specific range counts for each, and a type outside all ranges has quality 0.
func prefersHTML(accept []string) bool {
	html, json := preferences(accept, "html")
	return html.quality > json.quality
}

// preferences are those for a kind of text and for application/json.
func preferences(accept []string, kind string) (text, json preference) {
	for _, line := range accept {
		for part := range strings.SplitSeq(line, ",") {
			media, quality := mediaRange(part)
			text.consider(media, "text", kind, quality)
			json.consider(media, "application", "json", quality)
		}
	}
	return text, json
}

// preference is the quality of the most specific range covering a media type.
type preference struct {
	specific int // 1 for */*, 2 for type/*, 3 for the type itself
	quality  int // in thousandths
}

func (p *preference) consider(media, major, minor string, quality int) {
	specific := 0
	switch media {
	case "*/*":
		specific = 1
	case major + "/*":
		specific = 2
	case major + "/" + minor:
		specific = 3
	}
	if specific > p.specific || specific > 0 && specific == p.specific && quality > p.quality {
		p.specific, p.quality = specific, quality
	}
}

// mediaRange splits one element of Accept; an unreadable quality is 0.
func mediaRange(part string) (media string, quality int) {
	media, parameters, _ := strings.Cut(part, ";")
	media, quality = strings.ToLower(strings.TrimSpace(media)), 1000
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(parameter, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			quality = thousandths(strings.TrimSpace(value))
		}
	}
	return media, quality
}

var qualityForm = regexp.MustCompile(`^(0(\.[0-9]{0,3})?|1(\.0{0,3})?)$`)

// thousandths reads a qvalue of RFC 9110 §12.4.2: "0.8" is 800.
func thousandths(text string) int {
	if !qualityForm.MatchString(text) {
		return 0
	}
	n, _ := strconv.Atoi((strings.Replace(text, ".", "", 1) + "000")[:4])
	return n
}
