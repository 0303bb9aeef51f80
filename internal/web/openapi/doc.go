// Package openapi writes the OpenAPI 3.1 document of the API from its route table: what each operation takes and
// answers, with the error codes of each status. It knows nothing of what the operations do.
package openapi
