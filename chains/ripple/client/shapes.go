package client

// Bytes are in hex.

// Info is the answer to server_info.
type Info struct {
	Info struct {
		Network   *int64 `json:"network_id"`
		Complete  string `json:"complete_ledgers"`
		State     string `json:"server_state"`
		Validated struct {
			BaseFee   float64 `json:"base_fee_xrp"`
			Reserve   float64 `json:"reserve_base_xrp"`
			Increment float64 `json:"reserve_inc_xrp"`
		} `json:"validated_ledger"`
	} `json:"info"`
}

// Ledger is the answer to ledger, in binary.
type Ledger struct {
	Hash      string `json:"ledger_hash"`
	Index     int64  `json:"ledger_index"`
	Validated bool   `json:"validated"`
	Ledger    struct {
		Data         string        `json:"ledger_data"`
		Transactions []Transaction `json:"transactions"`
	} `json:"ledger"`
}

// Transaction is a transaction of a ledger, or the answer to tx.
type Transaction struct {
	Blob      string `json:"tx_blob"`
	Meta      string `json:"meta_blob"`
	Hash      string `json:"hash"`
	Index     int64  `json:"ledger_index"` // of its ledger, of tx
	Validated bool   `json:"validated"`    // of tx
}

// Account is the answer to account_info.
type Account struct {
	Index     int64 `json:"ledger_index"`
	Validated bool  `json:"validated"`
	Data      struct {
		Account  string `json:"Account"`
		Balance  string `json:"Balance"` // in drops
		Flags    uint32 `json:"Flags"`
		Owners   int64  `json:"OwnerCount"`
		Sequence uint32 `json:"Sequence"`
		AMM      string `json:"AMMID"` // of a pool of tokens, which nobody pays
		Vault    string `json:"VaultID"`
		Broker   string `json:"LoanBrokerID"`
	} `json:"account_data"`
	Queue struct {
		Count   int64  `json:"txn_count"`
		Highest uint32 `json:"highest_sequence"`
	} `json:"queue_data"`
}

// Fee is the answer to fee.
type Fee struct {
	Drops struct {
		Base    string `json:"base_fee"`
		Minimum string `json:"minimum_fee"`
		Open    string `json:"open_ledger_fee"`
	} `json:"drops"`
}

// Sent is the answer to submit.
type Sent struct {
	Result  string `json:"engine_result"`
	Message string `json:"engine_result_message"`
}

// Authorized is the answer to deposit_authorized.
type Authorized struct {
	Authorized bool `json:"deposit_authorized"`
}
