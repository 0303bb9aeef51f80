package main

import (
	"net/http"

	"causeway/api"
	"causeway/internal/web/docsite"
)

// docsite makes the pages for integrators from the API's own routes and codes.
func (h *service) docsite(routes []api.Route) http.Handler {
	prefix := string(h.settings.HeaderPrefix)
	var codes []docsite.Code
	for _, c := range api.Codes() {
		codes = append(codes, docsite.Code(c))
	}
	return docsite.New(docsite.Deps{Document: func() ([]byte, error) { return api.Document(routes, prefix) },
		Codes: codes, HeaderPrefix: prefix, BaseURL: string(h.settings.PublicBaseURL)})
}
