package onchain

import (
	"context"
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

// HotWallet is where a network's payouts are sent from, and where the operator puts the money for them.
type HotWallet struct {
	Network  string    `json:"network"`
	Kind     string    `json:"kind"` // sandbox is simulated: real money sent there is lost
	Coin     string    `json:"coin"` // for fees
	Address  string    `json:"address"`
	Holdings []Holding `json:"holdings"` // by asset; empty before the first whole look
	// Resources are what it has beside its coin. Nil where the chain has fees alone, or its node does not answer.
	Resources *chains.Resources `json:"resources,omitempty"`
}

// Holding is what there is of an asset to pay with, by the last whole look, and what payouts ask for.
type Holding struct {
	Asset     string          `json:"asset"`
	Hot       decimal.Decimal `json:"hot"`        // on the hot wallet
	Cold      decimal.Decimal `json:"cold"`       // on the cold addresses
	Deposits  decimal.Decimal `json:"deposits"`   // on all other used addresses
	Payable   decimal.Decimal `json:"payable"`    // what payouts can be paid from: hot, or the coins for payouts where coins are spent whole
	Moving    decimal.Decimal `json:"moving"`     // by signed moves that are not final; it is in one of the others
	Awaited   decimal.Decimal `json:"awaited"`    // by queued payouts
	Missing   decimal.Decimal `json:"missing"`    // from payable, for these
	LastsDays *float64        `json:"lasts_days"` // at the rate of the last seven days; null: nothing was paid
	AgeMS     int64           `json:"age_ms"`     // since the look began
}

// HotWallets lists the hot wallets of all configured networks, with their holdings.
func (o *Operator) HotWallets(ctx context.Context) ([]HotWallet, error) {
	held, err := o.Store.WalletVitals(ctx)
	if err != nil {
		return nil, err
	}
	of := map[string][]Holding{}
	for i := range held {
		v := &held[i]
		if !v.Seen {
			continue
		}
		h := Holding{Asset: v.Asset, Hot: v.Hot, Cold: v.Cold, Deposits: v.Deposits, Payable: v.Payable, Moving: v.Moving, Awaited: v.Awaited, Missing: v.Missing, AgeMS: v.AgeMS}
		if days, known := v.LastsDays(); known {
			h.LastsDays = &days
		}
		of[v.Network] = append(of[v.Network], h)
	}
	out := []HotWallet{}
	for _, n := range o.Networks.All() {
		out = append(out, HotWallet{Network: n.Name, Kind: n.Kind, Coin: n.Coin, Address: n.HotAddress(), Holdings: append([]Holding{}, of[n.Name]...),
			Resources: resourcesOf(ctx, n)})
	}
	return out, nil
}

// answersIn is how long a network may take to tell the resources of its hot wallet.
const answersIn = 5 * time.Second

// resourcesOf asks for the resources of a hot wallet.
func resourcesOf(ctx context.Context, n *chains.Network) *chains.Resources {
	if n.Resources == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, answersIn)
	defer cancel()
	found, err := n.Resources(ctx)
	if err != nil {
		return nil
	}
	return found
}
