package client

import "encoding/json"

// Chain is the answer to getblockchaininfo.
type Chain struct {
	Chain   string `json:"chain"`
	Blocks  int64  `json:"blocks"`
	Headers int64  `json:"headers"`
	Best    string `json:"bestblockhash"`
	Syncing bool   `json:"initialblockdownload"`
}

// Header is the answer to getblockheader.
type Header struct {
	Hash          string `json:"hash"`
	Confirmations int64  `json:"confirmations"` // below one of a block outside the best chain
	Height        int64  `json:"height"`
	Time          int64  `json:"time"`
	Parent        string `json:"previousblockhash"`
}

// Block is the answer to getblock with verbosity 2.
type Block struct {
	Header
	Tx []Tx `json:"tx"`
}

// Tx is a transaction in words. Nodes before version 1.14.7 of Dogecoin and some others have other members, which are not read.
type Tx struct {
	Txid          string `json:"txid"`
	Vin           []In   `json:"vin"`
	Vout          []Out  `json:"vout"`
	BlockHash     string `json:"blockhash"` // of getrawtransaction alone; empty in the mempool
	Confirmations int64  `json:"confirmations"`
}

// In is an input. MWEB inputs of Litecoin have no txid.
type In struct {
	Coinbase string   `json:"coinbase"`
	Txid     string   `json:"txid"`
	Vout     uint32   `json:"vout"`
	Witness  []string `json:"txinwitness"`
	MWEB     bool     `json:"ismweb"`
	Script   struct {
		Hex string `json:"hex"`
	} `json:"scriptSig"`
}

// Out is an output. Value is in whole coins, as the node writes it.
type Out struct {
	Value  json.Number `json:"value"`
	N      *uint32     `json:"n"`
	Script struct {
		Hex string `json:"hex"`
	} `json:"scriptPubKey"`
	MWEB bool `json:"ismweb"`
}

// Mempool is the answer to getmempoolinfo, in whole coins for a thousand bytes.
type Mempool struct {
	MinFee   json.Number `json:"mempoolminfee"`
	RelayFee json.Number `json:"minrelaytxfee"`
}

// Estimate is the answer to estimatesmartfee. A node without an estimate has no rate, or one below zero.
type Estimate struct {
	Rate json.Number `json:"feerate"`
}

// Scan is the answer to scantxoutset.
type Scan struct {
	Success  bool   `json:"success"`
	Height   int64  `json:"height"`
	Best     string `json:"bestblock"`
	Unspents []struct {
		Txid     string      `json:"txid"`
		Vout     uint32      `json:"vout"`
		Script   string      `json:"scriptPubKey"`
		Amount   json.Number `json:"amount"`
		Height   int64       `json:"height"`
		Coinbase *bool       `json:"coinbase"`

		Tokens json.RawMessage `json:"tokenData"` // of BitcoinCash: who spends it as plain coin loses them
	} `json:"unspents"`
}
