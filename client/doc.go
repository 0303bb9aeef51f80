// Package client speaks to a Causeway API: one method for each operation, named after its operationId. It signs requests,
// retries what may be sent twice, tells errors apart by their code, and verifies webhooks. Amounts are decimals in text.
package client
