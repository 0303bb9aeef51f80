package client

import "encoding/json"

// Context is the block of an answer about accounts.
type Context struct{ Slot int64 }

// Account is an account. Data is base64 and its name.
type Account struct {
	Lamports uint64
	Owner    string // the program that it belongs to
	Data     [2]string
	Space    int64
}

// Accounts answers getMultipleAccounts, in the order of the question; nil where there is none.
type Accounts struct {
	Context Context
	Value   []*Account
}

// Block answers getBlock without transactions. Heights and times of old blocks may be missing.
type Block struct {
	BlockHeight, BlockTime *int64
	Blockhash              string
	PreviousBlockhash      string
	ParentSlot             int64
}

// Entry is a transaction in the list of an account, by getSignaturesForAddress.
type Entry struct {
	Signature string
	Slot      int64
	Err       json.RawMessage
}

// Transaction answers getTransaction in JSON.
type Transaction struct {
	Slot        int64
	Transaction struct {
		Signatures []string
		Message    struct {
			AccountKeys []string
			Header      struct{ NumRequiredSignatures int }
		}
	}
	Meta *Meta
}

// Meta is what a transaction did. Balances are in the order of its accounts, those of tables last.
type Meta struct {
	Err                                 json.RawMessage
	Fee                                 uint64
	PreBalances, PostBalances           []uint64
	PreTokenBalances, PostTokenBalances []TokenBalance
	LoadedAddresses                     struct{ Writable, Readonly []string }
}

// TokenBalance is what an account of a token holds.
type TokenBalance struct {
	AccountIndex  int
	Mint          string
	Owner         string
	ProgramID     string `json:"programId"`
	UITokenAmount struct{ Amount string }
}

// Status is where a transaction stands, by getSignatureStatuses; nil where the node knows nothing of it.
type Status struct {
	Slot               int64
	Err                json.RawMessage
	ConfirmationStatus string
}

// Statuses answers getSignatureStatuses.
type Statuses struct {
	Context Context
	Value   []*Status
}

// Trial answers simulateTransaction.
type Trial struct {
	Value struct {
		Err           json.RawMessage
		Logs          []string
		UnitsConsumed uint64
	}
}

// Price is what was paid in a recent slot for a unit, in micro-lamports.
type Price struct{ PrioritizationFee uint64 }

// Failed reports whether an error of a transaction is one.
func Failed(err json.RawMessage) bool { return len(err) > 0 && string(err) != "null" }
