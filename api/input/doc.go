// Package input reads the bodies and queries of requests. ScanJSON refuses a body two readers could understand differently
// (addendum §4.10). Object reads the fields of a scanned body, Parameters are those of a query (addendum §13), and FieldErrors
// collects the faults of a request. The package knows no operation.
package input
