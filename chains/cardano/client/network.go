package client

import (
	"context"
	"time"
)

// Genesis is what a network began with.
type Genesis struct {
	Magic int64 `json:"networkMagic"`
	Name  string
	Start time.Time
}

// Genesis returns the network of the node.
func (s *Session) Genesis(ctx context.Context) (g Genesis, err error) {
	var told struct {
		NetworkMagic *int64
		Network      string
	}
	const method = "queryNetwork/genesisConfiguration"
	if err := s.Ask(ctx, &told, method, map[string]any{"era": "shelley"}); err != nil {
		return g, s.down(err)
	}
	if err := s.Ask(ctx, &g.Start, "queryNetwork/startTime", nil); err != nil {
		return g, s.down(err)
	}
	if told.NetworkMagic == nil {
		return g, s.odd(method)
	}
	g.Magic, g.Name = *told.NetworkMagic, told.Network
	return g, nil
}

// Era is how long slots take from one on.
type Era struct {
	Slot   int64         // the first
	Begins time.Duration // since the network began
	Length time.Duration // of a slot
}

// Eras returns the eras of the network, the oldest first.
func (s *Session) Eras(ctx context.Context) (out []Era, err error) {
	var told []struct {
		Start struct {
			Time struct{ Seconds int64 }
			Slot int64
		}
		Parameters struct{ SlotLength struct{ Milliseconds int64 } }
	}
	const method = "queryLedgerState/eraSummaries"
	if err := s.Ask(ctx, &told, method, nil); err != nil {
		return nil, s.down(err)
	}
	for _, e := range told {
		one := Era{e.Start.Slot, time.Duration(e.Start.Time.Seconds) * time.Second, time.Duration(e.Parameters.SlotLength.Milliseconds) * time.Millisecond}
		if one.Slot < 0 || one.Begins < 0 || one.Length <= 0 || len(out) > 0 && one.Slot < out[len(out)-1].Slot {
			return nil, s.odd(method)
		}
		out = append(out, one)
	}
	if len(out) == 0 {
		return nil, s.odd(method)
	}
	return out, nil
}

// Params are the parameters of the protocol that fees and outputs depend on, in lovelace and bytes.
type Params struct {
	Fee, PerByte  int64 // of a transaction: Fee, and PerByte for each byte
	OutputPerByte int64 // the least of an output
	MostBytes     int64
}

// Params returns the parameters in force.
func (s *Session) Params(ctx context.Context) (p Params, err error) {
	var told struct {
		MinFeeCoefficient         int64
		MinFeeConstant            Value
		MinUTXODepositCoefficient int64 `json:"minUtxoDepositCoefficient"`
		MaxTransactionSize        struct{ Bytes int64 }
	}
	const method, most = "queryLedgerState/protocolParameters", 1 << 20
	if err := s.Ask(ctx, &told, method, nil); err != nil {
		return p, s.down(err)
	}
	fee, ok := told.MinFeeConstant.Lovelace()
	p = Params{Fee: fee, PerByte: told.MinFeeCoefficient, OutputPerByte: told.MinUTXODepositCoefficient, MostBytes: told.MaxTransactionSize.Bytes}
	if !ok || p.PerByte < 0 || p.PerByte > most || p.OutputPerByte < 0 || p.OutputPerByte > most || p.MostBytes <= 0 || p.Fee > Supply {
		return p, s.odd(method)
	}
	return p, nil
}

// Slot returns the slot of the newest block.
func (s *Session) Slot(ctx context.Context) (int64, error) {
	var p Point
	if err := s.Ask(ctx, &p, "queryLedgerState/tip", nil); err != nil {
		return 0, s.down(err)
	}
	return p.Slot, nil
}
