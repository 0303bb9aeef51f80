// Package api is the /v1 front: it authenticates, decodes, validates, records, rings and answers (api-v1). Route is the
// table of contents, New builds the handler from it, Call is what an operation works with, and one function turns errors
// into the contract's answers.
package api
