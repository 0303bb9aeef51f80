// Package openapi writes the OpenAPI 3.1 document of the API from its route table: the parameters, body and answers of each
// operation, with the error codes of each status. It knows nothing of how they work.
package openapi
