package client

import "encoding/json"

// Bytes are in hex. An account has 21 of them: 0x41 and the 20 of the EVM.

// Header is the header of a block.
type Header struct {
	ID     string `json:"blockID"`
	Header struct {
		Raw RawHeader `json:"raw_data"`
	} `json:"block_header"`
}

// RawHeader is what the id of a block is made of.
type RawHeader struct {
	Number      int64  `json:"number"`
	Timestamp   int64  `json:"timestamp"` // in ms
	TxTrieRoot  string `json:"txTrieRoot"`
	Parent      string `json:"parentHash"`
	WitnessID   int64  `json:"witness_id"`
	Witness     string `json:"witness_address"`
	Version     int64  `json:"version"`
	AccountRoot string `json:"accountStateRoot"`
}

// Block is a block with its transactions.
type Block struct {
	Header
	Transactions []Transaction `json:"transactions"`
}

// Transaction is a transaction of a block or of the mempool. Its words are not read: RawData has them all.
type Transaction struct {
	ID        string   `json:"txID"`
	RawData   string   `json:"raw_data_hex"`
	Signature []string `json:"signature"`
	Ret       []Ret    `json:"ret"`
}

// Ret is the result of a transaction, as its block has it. Most have a ContractRet alone.
type Ret struct {
	Fee         int64  `json:"fee"`
	Ret         string `json:"ret"`
	ContractRet string `json:"contractRet"`

	AssetID        string `json:"assetIssueID"`
	WithdrawAmount int64  `json:"withdraw_amount"`
	UnfreezeAmount int64  `json:"unfreeze_amount"`
	Received       int64  `json:"exchange_received_amount"`
	Injected       int64  `json:"exchange_inject_another_amount"`
	Withdrawn      int64  `json:"exchange_withdraw_another_amount"`
	ExchangeID     int64  `json:"exchange_id"`
	ShieldedFee    int64  `json:"shielded_transaction_fee"`
	ExpireAmount   int64  `json:"withdraw_expire_amount"`
}

// Info is what a transaction did.
type Info struct {
	ID          string `json:"id"`
	Fee         int64  `json:"fee"` // in sun, of everything
	BlockNumber int64  `json:"blockNumber"`
	BlockTime   int64  `json:"blockTimeStamp"`
	Result      string `json:"result"` // FAILED, or nothing
	Message     string `json:"resMessage"`
	Receipt     struct {
		EnergyUsage int64  `json:"energy_usage_total"`
		EnergyFee   int64  `json:"energy_fee"`
		NetFee      int64  `json:"net_fee"`
		Result      string `json:"result"` // of contracts alone
	} `json:"receipt"`
	Log            []Log      `json:"log"`
	Internal       []Internal `json:"internal_transactions"`
	UnfreezeAmount int64      `json:"unfreeze_amount"`
	WithdrawAmount int64      `json:"withdraw_amount"`
	ExpireAmount   int64      `json:"withdraw_expire_amount"`
}

// Log is a log of a contract, whose address has 20 bytes.
type Log struct {
	Address string   `json:"address"`
	Topics  []string `json:"topics"`
	Data    string   `json:"data"`
}

// Internal is a call of a contract by a contract.
type Internal struct {
	Caller   string `json:"caller_address"`
	To       string `json:"transferTo_address"`
	Rejected bool   `json:"rejected"`
	Values   []struct {
		Value   int64  `json:"callValue"`
		TokenID string `json:"tokenId"`
	} `json:"callValueInfo"`
}

// Account is an account. One that was never paid to has no address.
type Account struct {
	Address string `json:"address"`
	Balance int64  `json:"balance"`
	Type    string `json:"type"` // Contract, or nothing
	// Frozen are its stakes by resource: without what it has lent.
	Frozen []struct {
		Type   string `json:"type"` // ENERGY, TRON_POWER, or nothing for bandwidth
		Amount int64  `json:"amount"`
	} `json:"frozenV2"`
	// Leaving are the parts of stakes on their way back, with the time in ms from which on they can be withdrawn.
	Leaving []struct {
		Amount int64 `json:"unfreeze_amount"`
		Due    int64 `json:"unfreeze_expire_time"`
	} `json:"unfrozenV2"`
	LentNet  int64 `json:"delegated_frozenV2_balance_for_bandwidth"`
	Resource struct {
		LentEnergy int64 `json:"delegated_frozenV2_balance_for_energy"`
	} `json:"account_resource"`
}

// Energy is the stake for energy that is not lent.
func (a *Account) Energy() int64 {
	for _, f := range a.Frozen {
		if f.Type == "ENERGY" {
			return f.Amount
		}
	}
	return 0
}

// LentTo are the accounts to which one has lent.
type LentTo struct {
	To []string `json:"toAccounts"`
}

// Loans are what one account has lent another, with the time in ms until which it stays.
type Loans struct {
	List []struct {
		Energy int64 `json:"frozen_balance_for_energy"`
		Until  int64 `json:"expire_time_for_energy"`
	} `json:"delegatedResource"`
}

// Free adds up what can be taken back at a time.
func (l *Loans) Free(now int64) (sum int64) {
	for _, one := range l.List {
		if one.Until <= now {
			sum += one.Energy
		}
	}
	return sum
}

// Lendable is how much of a stake can be lent now, in sun.
type Lendable struct {
	Most int64 `json:"max_size"`
}

// Resources are the resources of an account.
type Resources struct {
	FreeNetUsed  int64 `json:"freeNetUsed"`
	FreeNetLimit int64 `json:"freeNetLimit"`
	NetUsed      int64 `json:"NetUsed"`
	NetLimit     int64 `json:"NetLimit"`
	EnergyUsed   int64 `json:"EnergyUsed"`
	EnergyLimit  int64 `json:"EnergyLimit"`
	// AllEnergy is the energy a day for everybody, and AllStaked the TRX staked for it.
	AllEnergy int64 `json:"TotalEnergyLimit"`
	AllStaked int64 `json:"TotalEnergyWeight"`
}

// Energy is the energy that is left.
func (r *Resources) Energy() int64 { return max(0, r.EnergyLimit-r.EnergyUsed) }

// Parameters are the parameters of the chain.
type Parameters struct {
	List []struct {
		Key   string `json:"key"`
		Value int64  `json:"value"`
	} `json:"chainParameter"`
}

// Call is the answer to a trial of a contract.
type Call struct {
	Result struct {
		Result  bool   `json:"result"`
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"result"`
	EnergyUsed  int64    `json:"energy_used"`
	Constant    []string `json:"constant_result"`
	Logs        []Log    `json:"logs"`
	Transaction struct {
		Ret []Ret `json:"ret"`
	} `json:"transaction"`
}

// Sent is the answer to a broadcast.
type Sent struct {
	Result  bool   `json:"result"`
	Code    string `json:"code"`
	Txid    string `json:"txid"`
	Message string `json:"message"`
}

// Infos are the infos of a block. A node without any answers with an empty object.
type Infos []Info

// UnmarshalJSON implements json.Unmarshaler.
func (i *Infos) UnmarshalJSON(text []byte) error {
	if string(text) == "{}" {
		*i = nil
		return nil
	}
	return json.Unmarshal(text, (*[]Info)(i))
}
