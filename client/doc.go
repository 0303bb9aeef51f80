// Package client speaks to a Causeway API: one method for each operation, named after its operationId. It signs requests,
// retries those safe to send twice, tells errors apart by their code, and verifies webhooks. Amounts are decimals in
// text. It is written by hand and held to the OpenAPI document by tests (docs/decisions/0018-a-client-by-hand.md).
package client
