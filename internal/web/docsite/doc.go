// Package docsite is the documentation for integrators on the API's port: the reference, the table of errors, the guides,
// /llms.txt and a Postman collection. All of it is written from the OpenAPI document, the table of error codes and
// docs/guides when it is first asked for, and served from memory. The pages have no scripts and ask nobody for anything
// (docs/decisions/0017-reference-without-scripts.md).
package docsite
