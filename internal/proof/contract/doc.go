// Package contract holds the API's traffic in tests against its OpenAPI document: every request answered 2xx, and every
// answer. It also lets a test name the sentences of the contract it covers. Only test files import it.
package contract
