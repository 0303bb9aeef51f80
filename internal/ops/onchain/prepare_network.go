package onchain

import (
	"context"
	"errors"
	"fmt"

	"causeway/chains"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/workers/treasury"
)

// Prepared is what a network still lacks for its payers, and the move that a signer makes to change this.
type Prepared struct {
	Network string               `json:"network"`
	Address string               `json:"address"` // shared by payins
	Lacks   string               `json:"lacks"`   // "" when it is prepared
	Moves   []admin.TreasuryMove `json:"moves"`
}

// PrepareNetwork plans to make the address that payins share ready for its payers. The signer does it; this only records the move. One that is
// ready stays as it is.
func (o *Operator) PrepareNetwork(ctx context.Context, network string) (*Prepared, error) {
	n, err := o.NetworkNamed(network)
	if err != nil {
		return nil, err
	}
	if n.Unprepared == nil {
		return nil, admin.Refuse("nothing has to be prepared on " + n.Name)
	}
	lacks, err := n.Unprepared(ctx)
	if errors.Is(err, chains.ErrShort) {
		return nil, admin.Refuse(err.Error())
	}
	if err != nil {
		return nil, fmt.Errorf("what %s lacks: %w", n.Name, err)
	}
	shared, err := n.Addresser.Derive(ctx, sharedIndex)
	if err != nil {
		return nil, err
	}
	out := &Prepared{Network: n.Name, Address: shared, Lacks: lacks, Moves: []admin.TreasuryMove{}}
	if lacks == "" {
		return out, nil
	}
	at, index := n.Addresser.Match(shared), uint32(sharedIndex)
	begun, err := o.begin(ctx, "network.prepare", n, []treasury.Planned{{Move: pay.TreasuryMove{Network: n.Name, Kind: pay.MovePrepare, Token: n.Coin,
		FromAddress: at, ToAddress: at, Index: &index}}})
	if err != nil {
		return nil, err
	}
	for i := range begun.Left {
		return nil, admin.Refuse(begun.Left[i].Left)
	}
	out.Moves = begun.Moves
	return out, nil
}

// sharedIndex is the address that payins with memos share.
const sharedIndex = 0
