// Package pay is the domain: merchants, keys, payins, payouts, wallets, transfers, deliveries, tokens and networks,
// their statuses and allowed moves, and the errors of the contract. It knows no database, queue or wire.
package pay
