// Package api is the /v1 front: it authenticates, decodes, validates, records, rings and answers (api-v1). Route is the
// table of contents, New builds the handler from it, Call is one request as an operation sees it, and one function turns
// errors into the contract's answers.
//
// Where things are, by the beginning of the file's name:
//
//   - server, route, respond, sandbox: from a connection to an operation and back
//   - operations: all of them, by their nouns; openapi, docs, codes: their document
//   - auth, callers, signature, clientip, ratelimit, visitors: the caller and its quotas
//   - decode, bodies, fields, dates: reading a request with package input; bodies: the memory they may take
//   - payins, payin: checks and recording of one; lists of them
//   - payouts, payout: the same, for up to 50 at once; recorder: writing them in groups; idempotency
//   - wallets, balances, statements, summary, prices, quotes, addresses, deliveries, redeliver: one operation or noun each
//   - lists: pages and totals; catalogue: tokens and prices as one request sees them
//
// A test of the API begins with newShop (fixture_test.go).
package api
