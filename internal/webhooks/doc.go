// Package webhooks builds, signs and sends the notices to merchants (api-v1 §Events, addendum §2, §11), and decides
// which receiver addresses are safe to contact. It knows neither database nor queue: a caller hands over one delivery
// and gets back the outcome of one HTTP try.
package webhooks
