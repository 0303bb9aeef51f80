// Package guides holds the guides for integrators: Markdown files, served by the API's port as pages at /docs. In them
// X-Service stands for the header prefix, and {base_url} for the address of the API.
package guides

import "embed"

// Files are the guides by file name.
//
//go:embed *.md
var Files embed.FS

// Order is the guides' order, by file name without its end.
var Order = []string{"first-payin", "checkout-button", "first-payout", "webhooks", "signing", "idempotency", "shop", "marketplace", "exchange", "going-live", "assistant", "go", "python", "typescript", "php"}
