package onchain

// HotWallet is where a network's payouts are sent from, and where the operator puts the money for them.
type HotWallet struct {
	Network string `json:"network"`
	Kind    string `json:"kind"` // sandbox is simulated: real money sent there is lost
	Coin    string `json:"coin"` // for fees
	Address string `json:"address"`
}

// HotWallets lists the hot wallets of all configured networks.
func (o *Operator) HotWallets() []HotWallet {
	out := []HotWallet{}
	for _, n := range o.Networks.All() {
		out = append(out, HotWallet{Network: n.Name, Kind: n.Kind, Coin: n.Coin, Address: n.HotAddress()})
	}
	return out
}
