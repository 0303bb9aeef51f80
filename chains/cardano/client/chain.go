package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"causeway/chains"
)

// Point names a block. The zero value is the origin, before the first block.
type Point struct {
	Slot int64
	ID   string
}

// MarshalJSON implements json.Marshaler.
func (p Point) MarshalJSON() ([]byte, error) {
	if p.ID == "" {
		return []byte(`"origin"`), nil
	}
	return json.Marshal(map[string]any{"slot": p.Slot, "id": p.ID})
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *Point) UnmarshalJSON(text []byte) error {
	if string(text) == `"origin"` {
		*p = Point{}
		return nil
	}
	var told struct {
		Slot *int64
		ID   string
	}
	if err := json.Unmarshal(text, &told); err != nil {
		return err
	}
	if told.Slot == nil || *told.Slot < 0 || !isHash(told.ID) {
		return errors.New("not a point")
	}
	*p = Point{*told.Slot, told.ID}
	return nil
}

func isHash(text string) bool {
	if len(text) != 64 {
		return false
	}
	for _, c := range text {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Tip is the newest block. Before the first block it is the zero value.
type Tip struct {
	Point

	Height int64
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *Tip) UnmarshalJSON(text []byte) error {
	if err := t.Point.UnmarshalJSON(text); err != nil || t.ID == "" {
		t.Height = 0
		return err
	}
	var told struct{ Height *int64 }
	if err := json.Unmarshal(text, &told); err != nil {
		return err
	}
	if told.Height == nil || *told.Height < 0 {
		return errors.New("not a tip")
	}
	t.Height = *told.Height
	return nil
}

// Block is a block with its transactions.
type Block struct {
	ID, Ancestor string
	Height       *int64
	Slot         *int64
	Transactions []Transaction
}

// Transaction is a transaction as a block has it.
type Transaction struct {
	ID               string
	Spends           string // "inputs", or "collaterals" where its script has failed
	Inputs           []Reference
	Collaterals      []Reference
	Outputs          []Output
	CollateralReturn *Output
	Fee              Value
}

// Reference names an output.
type Reference struct {
	Transaction struct {
		ID string `json:"id"`
	} `json:"transaction"`
	Index uint32 `json:"index"`
}

// String names the output as people do.
func (r Reference) String() string { return fmt.Sprintf("%.64s#%d", r.Transaction.ID, r.Index) }

// Output is an output, and a coin where the node tells its reference with it.
type Output struct {
	Reference

	Address string
	Value   Value
}

// Value is how much an output is, by policy and name; the native coin is ada and lovelace.
type Value map[string]map[string]json.Number

// Lovelace returns how much of the native coin it is, not ok for anything impossible.
func (v Value) Lovelace() (units int64, ok bool) {
	units, err := v["ada"]["lovelace"].Int64()
	return units, err == nil && units >= 0 && units <= Supply
}

// Tokens reports whether there is anything beside the native coin.
func (v Value) Tokens() bool { return len(v) > 1 }

// Supply is all lovelace that there will be.
const Supply = 45_000_000_000 * 1_000_000

// Codes of Ogmios.
const (
	noIntersection = 1000
	notAcquired    = 2000
)

// errLacks says that the node has none of the points, or not the state any more.
var errLacks = errors.New("the node does not have it")

// Lacks reports whether an error says that the node does not have what was asked for.
func Lacks(err error) bool { return errors.Is(err, errLacks) }

// Intersect puts the reader at the first of some points that is in the node's chain. The error is Lacks where there is none.
func (s *Session) Intersect(ctx context.Context, points []Point) (at Point, tip Tip, err error) {
	var told struct {
		Intersection *Point
		Tip          *Tip
	}
	const method = "findIntersection"
	err = s.Ask(ctx, &told, method, map[string]any{"points": points})
	if code(err) == noIntersection {
		return at, tip, fmt.Errorf("%w: %w", chains.ErrDown, errLacks)
	}
	if err != nil {
		return at, tip, s.down(err)
	}
	if told.Intersection == nil || told.Tip == nil {
		return at, tip, s.odd(method)
	}
	return *told.Intersection, *told.Tip, nil
}

// Read reads so many blocks after the reader's place, which Intersect has just found. A chain that changes meanwhile is an error.
func (s *Session) Read(ctx context.Context, at Point, blocks int, each func(b *Block) error) error {
	const method = "nextBlock"
	first := true
	return s.Many(ctx, method, blocks+1, func(result json.RawMessage) error {
		var told struct {
			Direction string
			Point     Point
			Block     *Block
		}
		if err := json.Unmarshal(result, &told); err != nil {
			return s.odd(method)
		}
		switch {
		case first && told.Direction == "backward" && told.Point == at:
			first = false
			return nil
		case first || told.Direction != "forward" || told.Block == nil:
			return fmt.Errorf("%w: the chain has changed while it was read", chains.ErrDown)
		}
		return each(told.Block)
	})
}

// At has f ask about the state after a block. The error is Lacks where the node does not have it any more.
func (s *Session) At(ctx context.Context, p Point, f func() error) error {
	var told json.RawMessage
	err := s.Ask(ctx, &told, "acquireLedgerState", map[string]any{"point": p})
	if code(err) == notAcquired {
		return fmt.Errorf("%w: the state after block %s: %w", chains.ErrDown, p.ID, errLacks)
	}
	if err != nil {
		return s.down(err)
	}
	err = f()
	if released := s.Ask(ctx, &told, "releaseLedgerState", nil); released != nil && err == nil {
		err = s.down(released)
	}
	if err != nil {
		s.broken = true
	}
	return err
}

// coinsAtOnce is how many addresses or references one question is about.
const coinsAtOnce = 500

// Coins returns the unspent outputs of addresses.
func (s *Session) Coins(ctx context.Context, addresses []string) (out []Output, err error) {
	for some := range slices.Chunk(addresses, coinsAtOnce) {
		more, err := s.coins(ctx, map[string]any{"addresses": some})
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// CoinsNamed returns those of some outputs that are unspent.
func (s *Session) CoinsNamed(ctx context.Context, references []Reference) (out []Output, err error) {
	for some := range slices.Chunk(references, coinsAtOnce) {
		more, err := s.coins(ctx, map[string]any{"outputReferences": some})
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

func (s *Session) coins(ctx context.Context, params any) (out []Output, err error) {
	const method = "queryLedgerState/utxo"
	if err := s.Ask(ctx, &out, method, params); err != nil {
		return nil, s.down(err)
	}
	for _, o := range out {
		if _, ok := o.Value.Lovelace(); !ok || !isHash(o.Transaction.ID) {
			return nil, s.odd(method)
		}
	}
	return out, nil
}

// Has reports which transactions are in the mempool.
func (s *Session) Has(ctx context.Context, txids []string) (map[string]bool, error) {
	var told json.RawMessage
	if err := s.Ask(ctx, &told, "acquireMempool", nil); err != nil {
		return nil, s.down(err)
	}
	out := make(map[string]bool, len(txids))
	for _, txid := range txids {
		var has bool
		if err := s.Ask(ctx, &has, "hasTransaction", map[string]any{"id": txid}); err != nil {
			s.broken = true // the mempool stays acquired
			return nil, s.down(err)
		}
		out[txid] = has
	}
	return out, s.down(s.Ask(ctx, &told, "releaseMempool", nil))
}

// down has an error of the node wrap chains.ErrDown.
func (s *Session) down(err error) error {
	if told := new(Error); errors.As(err, &told) {
		return fmt.Errorf("%w: %w", chains.ErrDown, err)
	}
	return err
}

func code(err error) int {
	var told *Error
	if errors.As(err, &told) {
		return told.Code
	}
	return 0
}

// Answered reports whether an error is the answer of a node, rather than the lack of one.
func Answered(err error) bool {
	told := new(Error)
	return errors.As(err, &told) || Lacks(err)
}
