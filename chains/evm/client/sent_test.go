package client

import (
	"errors"
	"testing"
)

// TestSent is the dialects of nodes, as they were seen.
func TestSent(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]Verdict{
		"already known":                                       Taken,
		"ALREADY_EXISTS: already known":                       Taken,
		"transaction already imported":                        Taken,
		"AlreadyKnown":                                        Taken,
		"Known transaction":                                   Taken,
		"unknown transaction type":                            Hindered,
		"tx already in mempool":                               Taken,
		"existing tx with same hash":                          Taken,
		"nonce too low: next nonce 5, tx nonce 4":             NonceUsed,
		"nonce too low: address 0x1, tx: 4 state: 5":          NonceUsed,
		"Nonce too low":                                       NonceUsed,
		"OldNonce, Current nonce: 5, nonce of rejected tx: 4": NonceUsed,
		"invalid nonce; got 4, expected 5: invalid sequence: invalid sequence":     NonceUsed,
		"account sequence mismatch, expected 5, got 4: incorrect account sequence": NonceUsed,
		"invalid sender": Invalid,
		"invalid chain id for signer: have 5 want 1":             Invalid,
		"intrinsic gas too low: gas 20999, minimum needed 21000": Invalid,
		"Intrinsic gas exceeds gas limit":                        Invalid,
		"InvalidTxChainId: expected 1, actual 5":                 Invalid,
		"Failed to decode signed transaction":                    Invalid,
		"rlp: value size exceeds available input length":         Invalid,
		"nonce too high":                                            Hindered,
		"replacement transaction underpriced":                       Underpriced,
		"ReplacementNotAllowed":                                     Underpriced,
		"transaction underpriced: tip needed 1000, tip permitted 1": Underpriced,
		"FeeTooLow, MaxFeePerGas too low":                           Underpriced,
		"insufficient funds for gas * price + value: balance 0, tx cost 1, overshot 1":                Hindered,
		"Insufficient funds for gas * price + value":                                                  Hindered,
		"Upfront cost exceeds account balance":                                                        Hindered,
		"max fee per gas less than block base fee":                                                    Underpriced,
		"tx fee (1.50 ether) exceeds the configured cap (1.00 ether)":                                 Hindered,
		"exceeds block gas limit":                                                                     Hindered,
		"Gas price below current base fee":                                                            Underpriced,
		"GAS_PRICE_BELOW_CURRENT_BASE_FEE":                                                            Underpriced,
		"insufficient fee; got: 1aevmos required: 2aevmos":                                            Underpriced,
		"Transaction gas price is too low. There is another transaction with same nonce in the queue": Underpriced,
		"NonceGap, Future nonce. Expected nonce: 4":                                                   Hindered,
		"Transaction nonce is too distant from current sender nonce":                                  Hindered,
		"the node is syncing":                                                                         Hindered,
		"txpool is full":                                                                              Unsure,
		"Too Many Requests":                                                                           Hindered,
		"daily request count exceeded, request rate limited":                                          Hindered,
		"something new": Unsure,
	} {
		if got := Sent(&Error{Text: words, Answer: true}); got != want {
			t.Errorf("%q is %d, want %d", words, got, want)
		}
		if got := Sent(&Error{Text: words}); got != Unsure {
			t.Errorf("%q without an answer is %d, want unsure", words, got)
		}
	}
	if Sent(nil) != Taken || Sent(errors.New("already known")) != Unsure {
		t.Error("no error is taken, and a foreign one proves nothing")
	}
}

func TestClassify(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method string
		code   int
		words  string
		want   Class
	}{
		{"eth_getLogs", -32005, "query returned more than 10000 results", Limit},
		{"eth_getLogs", -32005, "Too many logs requested. Max logs per response is 20000.", Limit}, // Nethermind
		{"eth_getLogs", -32000, "exceed maximum block range: 5000", Limit},
		{"eth_getLogs", -32602, "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range", Limit},
		{"eth_getLogs", -32600, "ranges over 10000 blocks are not supported on freetier", Limit},
		{"eth_getLogs", -32000, "query timeout exceeded", Limit},
		{"eth_getLogs", -32005, "daily request count exceeded, request rate limited", Busy},
		{"eth_getLogs", -32000, "unknown block", NoBlock},
		{"", -32600, "batch requests are not supported", Limit},
		{"eth_getBlockByNumber", -32003, "response size exceeded", Limit},
		{"eth_estimateGas", -32000, "gas required exceeds allowance (30000000)", Exhausted},
		{"eth_call", -32000, "out of gas", Exhausted},
		{"eth_call", -32003, "EVM error OutOfGas", Exhausted},
		{"eth_estimateGas", -32000, "Cannot estimate gas, gas spent exceeded transaction and block gas limit", Exhausted},
		{"eth_estimateGas", 3, "execution reverted: no", Reverted},
		{"eth_call", -32000, "VM execution error.", Reverted},
		{"eth_estimateGas", -32000, "insufficient funds for transfer", Short},
		{"eth_getBlockReceipts", -32601, "the method eth_getBlockReceipts does not exist/is not available", Unsupported},
		{"eth_getBlockByNumber", -39001, "Unknown block", NoBlock},
		{"eth_getBlockByNumber", -32000, "safe block not found", NoBlock},
		{"eth_blockNumber", -32000, "internal error", Down},
	} {
		if got := classify(c.method, c.code, c.words); got != c.want {
			t.Errorf("%s: %q is %d, want %d", c.method, c.words, got, c.want)
		}
	}
}

// FuzzDecode: no answer makes the client panic or leaves a question open.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`[{"id":1,"result":"0x1"},{"id":2,"error":{"code":3,"message":"no","data":"0x08c379a0"}}]`, `[{"id":2,"result":null},{"id":1,"result":{}}]`,
		`{"id":null,"error":{"code":-32600,"message":"batch too large"}}`, `[{"id":1},{"id":1}]`, `[null]`, `{}`, `[]`, ``,
		`[{"id":"1","result":[]}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		var block *Block
		var logs []Log
		questions := []*Question{Ask(&block, "eth_getBlockByNumber"), Ask(&logs, "eth_getLogs")}
		if err := decode(answer, questions); err != nil && err.Error() == "" {
			t.Error("a failure without words")
		}
	})
}
