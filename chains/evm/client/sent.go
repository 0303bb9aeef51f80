package client

import (
	"errors"
	"strings"
)

// Verdict is the meaning of an answer to eth_sendRawTransaction for the sent bytes.
type Verdict int

// The verdicts. Unsure stands for every answer without a proof.
const (
	Unsure      Verdict = iota // send the same bytes again later
	Taken                      // the node has them, now or already before
	NonceUsed                  // the nonce is spent: perhaps by these very bytes, so they must be looked up
	Invalid                    // the node says they can never be valid; the caller checks this for itself
	Underpriced                // they offer less than the node asks for
	Hindered                   // unsure, for a reason no higher fee helps against
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
	case says(text, "unknown transaction"): // a type unknown to the node; "known transaction" is in this text
		return Hindered
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
	default:
		return notTaken(text)
	}
}

// notTaken reads a node's reason for not taking bytes now, as far as it says whether a higher fee helps.
func notTaken(text string) Verdict {
	switch {
	case says(text,
		"underpriced",                              // geth, reth, erigon, besu
		"less than block base fee",                 // geth, anvil, nitro
		"below_current_base_fee", "below base fee", // besu, relays
		"fee too low", "feetoolow", "fee is too low", // erigon, nethermind, parity's heirs
		"replacementnotallowed",                                                 // nethermind
		"price too low", "price_too_low", "price is too low", "gas price below", // op-geth, besu, parity's heirs
		"insufficient fee"): // ethermint
		return Underpriced
	case says(text,
		"insufficient funds", "insufficientfunds", "insufficient balance", // geth, nethermind
		"exceeds account balance", "exceeds_account_balance", "exceeds balance", "exceeds_balance", // besu
		"configured cap",                                                         // geth: it costs too much
		"nonce too high", "nonce_too_high", "nonce gap", "noncegap", "nonce_gap", // anvil, besu, nethermind
		"too far in the future", "too_far_in_future", "too distant", // nethermind, besu
		"gas limit", "gaslimit", "gas_limit", // of blocks
		"too many requests", "rate limit", "request count", // relays
		"sync", "unsupported", "not supported",
		"eoa", "already reserved", "in-flight transaction limit"): // geth: the sender has code, or delegates
		return Hindered
	default: // a full pool, anything new
		return Unsure
	}
}
