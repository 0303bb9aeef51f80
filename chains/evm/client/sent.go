package client

import (
	"errors"
	"strings"
)

// Verdict is what an answer to eth_sendRawTransaction means for the bytes that were sent.
type Verdict int

// The verdicts. Unsure is the one for every answer that proves nothing.
const (
	Unsure    Verdict = iota // send the same bytes again later
	Taken                    // the node has them, now or already before
	NonceUsed                // the nonce is spent: perhaps by these very bytes, so they must be looked up
	Invalid                  // the node says that they can never be valid, which the caller checks for itself
)

// Sent reads the answer to eth_sendRawTransaction in the dialects of geth (bor, bsc, coreth, op-geth, nitro), anvil and
// reth, Nethermind, Erigon, Besu and Ethermint (Cronos).
func Sent(err error) Verdict {
	var e *Error
	switch {
	case err == nil:
		return Taken
	case !errors.As(err, &e) || !e.Answer:
		return Unsure
	}
	text := strings.ToLower(e.Text)
	switch {
	case says(text, "unknown transaction"): // a type that the node does not know; "known transaction" is in it
		return Unsure
	case says(text,
		"already known",                // geth, reth, erigon
		"already imported",             // anvil, openethereum
		"alreadyknown",                 // nethermind
		"known transaction",            // besu, old geth
		"already exists",               // erigon, ethermint
		"already in mempool",           // ethermint
		"already in the mempool",       // ethermint
		"transaction_already_known",    // besu
		"tx with same hash",            // erigon
		"transaction already in pool"): // parity's heirs
		return Taken
	case says(text,
		"nonce too low",           // geth, anvil, reth, erigon, besu
		"nonce is too low",        // parity's heirs
		"nonce_too_low",           // besu
		"oldnonce",                // nethermind
		"nonce below",             // besu
		"account sequence",        // ethermint
		"invalid sequence",        // ethermint
		"invalid nonce; got",      // ethermint
		"nonce has already been"): // relays
		return NonceUsed
	case says(text,
		"invalid sender",                          // geth
		"invalid chain id",                        // geth, anvil
		"wrong chainid",                           // besu
		"chain id mismatch",                       // reth
		"invalidtxchainid",                        // nethermind
		"chainid mismatch",                        // coreth
		"incorrect chain",                         // relays
		"intrinsic gas too low",                   // geth, anvil, reth, erigon
		"intrinsic gas exceeds",                   // besu
		"intrinsic_gas_exceeds",                   // besu
		"gaslimitbelowintrinsicgas",               // nethermind
		"invalid signature", "invalidtxsignature", // reth, nethermind
		"invalid_transaction_signature",        // besu
		"failedtoresolvesender",                // nethermind
		"failed to recover",                    // anvil
		"failed to decode", "could not decode", // anvil, besu
		"rlp:", "rlp ", "typed transaction too short", // geth, erigon, nethermind
		"invalid transaction v, r, s"): // geth
		return Invalid
	default: // insufficient funds, underpriced, pool full, fee cap, rate limits, syncing, anything new
		return Unsure
	}
}
