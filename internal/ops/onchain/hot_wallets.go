package onchain

// HotWallet is where a network's payouts are sent from, and where the operator puts the money for them.
type HotWallet struct {
	Network string `json:"network"`
	Kind    string `json:"kind"` // sandbox is simulated: real money sent there is lost
	Coin    string `json:"coin"` // that fees are paid in
	Address string `json:"address"`
}

// HotWallets lists those of all networks that are configured.
func (o *Operator) HotWallets() []HotWallet {
	out := []HotWallet{}
	for _, n := range o.Networks.All() {
		out = append(out, HotWallet{Network: n.Name, Kind: n.Kind, Coin: n.Coin, Address: n.HotAddress()})
	}
	return out
}
