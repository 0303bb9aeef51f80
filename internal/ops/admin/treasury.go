package admin

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
)

// NewCorrection is the input of a treasury correction. Amounts are the network's surplus over the ledger; less than zero: its lack.
type NewCorrection struct {
	Network, Asset, Amount, Reason string
	Reference                      string // a UUID: it corrects once, however often it comes; empty: a new one
	Although                       string // the open difference, where the amount is another; empty: it is the amount
}

// Correction is an operator's change of the treasury.
type Correction struct {
	Network   string          `json:"network"`
	Asset     string          `json:"asset"`
	Amount    decimal.Decimal `json:"amount"` // the network's surplus over the ledger; less than zero: its lack
	Reason    string          `json:"reason"`
	Reference string          `json:"reference"`
}

// CorrectTreasury makes the ledger agree with the holdings of our addresses on a network, at the treasury's gain or cost. It mends a
// difference with a known cause and of no concern to anybody else. The difference must be from the last look at the network, and not
// corrected since: of two operators mending the same one, the second is refused. A look begun before a decision on a spend of the
// hot wallet there, or before that spend was undone, found nothing to correct.
func (a *Admin) CorrectTreasury(ctx context.Context, n NewCorrection) (*Correction, error) {
	c, open, err := n.read()
	if err != nil {
		return nil, err
	}
	err = a.Change(ctx, "treasury.correct", "asset:"+c.Asset, func(tx *store.Store) (any, any, error) {
		if _, err := assetNamed(ctx, tx, c.Asset); err != nil {
			return nil, nil, err
		}
		if err := isOn(ctx, tx, c.Network, c.Asset); err != nil {
			return nil, nil, err
		}
		found, err := tx.Correct(ctx, c.Network, c.Asset, c.Amount)
		if err != nil {
			return nil, nil, err
		}
		fresh, err := ledger.Post(ctx, tx.Q, ledger.TreasuryCorrected(c.Network, c.Asset, c.Reference, c.Amount))
		switch {
		case err == nil && fresh == 0 || errors.Is(err, ledger.ErrReferenceTaken): // it was this correction, or another one
			return nil, nil, refuse("a correction with this reference was made already")
		case err != nil:
			return nil, nil, err
		}
		if err := allDecided(ctx, tx, c.Network); err != nil {
			return nil, nil, err
		}
		if found.Decided || !found.Left().Equal(open) {
			return nil, nil, otherDifference{c, found}
		}
		return nil, c, tx.LookAgain(ctx, c.Network)
	})
	if other := (otherDifference{}); errors.As(err, &other) {
		if err := a.Store.LookAgain(ctx, c.Network); err != nil { // at a slow network at rest
			return nil, err
		}
		return nil, refuse("%s", other.Error())
	}
	return c, err
}

// allDecided refuses a correction while a spend of the hot wallet is undecided: the decision books it, with its cost, and a
// correction of the same difference would book it twice.
func allDecided(ctx context.Context, tx *store.Store, network string) error {
	open, err := tx.OpenSpends(ctx, network)
	if err == nil && len(open) > 0 {
		err = refuse("%s has moved something out of the hot wallet of %s and is not booked: "+
			"decide on it first, by wallet resume, wallet book or wallet assign",
			open[0].Txid, network)
	}
	return err
}

// isOn refuses an asset a network neither has nor held: no look would ever find the difference its correction makes.
func isOn(ctx context.Context, tx *store.Store, network, asset string) error {
	tokens, err := tx.Tokens(ctx)
	if err != nil || slices.ContainsFunc(tokens, func(t pay.Token) bool { return t.Network == network && t.BalanceKey == asset }) {
		return err
	}
	purses, err := tx.Purses(ctx)
	if err == nil && !slices.ContainsFunc(purses, func(p store.Purse) bool { return p.Account == ledger.Outside(network) && p.Asset == asset }) {
		err = refuse("there is no %s on %s", asset, network)
	}
	return err
}

// read returns the correction, and the difference expected to be open.
func (n *NewCorrection) read() (c *Correction, open decimal.Decimal, err error) {
	at, ok := pay.NetworkCalled(n.Network)
	if !ok {
		return nil, open, refuse("there is no network %q", n.Network)
	}
	c = &Correction{Network: at.Name, Asset: n.Asset, Reason: strings.TrimSpace(n.Reason)}
	if c.Reason == "" {
		return nil, open, misread("say a reason")
	}
	if c.Amount, err = SignedNumber(n.Amount); err != nil {
		return nil, open, err
	}
	if c.Amount.IsZero() {
		return nil, open, refuse("the amount must not be zero")
	}
	open = c.Amount
	if n.Although != "" {
		if open, err = SignedNumber(n.Although); err != nil {
			return nil, open, err
		}
	}
	once := uuid.Must(uuid.NewV7())
	if n.Reference != "" {
		if once, err = uuid.Parse(n.Reference); err != nil {
			return nil, open, misread("the reference is no UUID")
		}
	}
	c.Reference = once.String()
	return c, open, nil
}

// exactScale is how many decimals a network's own amounts have at most.
const exactScale = 36

// SignedNumber reads a plain decimal, as it was typed. It may be less than zero.
func SignedNumber(text string) (decimal.Decimal, error) {
	plain, minus := strings.CutPrefix(text, "-")
	value, err := number(plain, exactScale)
	if minus {
		value = value.Neg()
	}
	return value, err
}

// otherDifference refuses a correction when the open difference is another amount.
type otherDifference struct {
	*Correction
	store.OpenDifference
}

// Error implements error.
func (o otherDifference) Error() string {
	if o.Decided {
		return "the last look at " + o.Network + " began before what left the hot wallet was decided on or undone: causeway run reconcile looks again, " +
			"and a correction waits for the end of that"
	}
	why := "the last look at " + o.Network + " found " + o.Found.String() + ", and " + o.Since.String() + " was corrected since"
	if !o.Looked {
		why = "no look at " + o.Network + " has ended yet"
	}
	told := "of " + o.Asset + " a difference of " + o.Left().String() + " is open (" + why + "): causeway run reconcile looks again"
	if o.Left().IsZero() { // the books would have an amount nobody holds
		return told
	}
	return told + ", and --although " + o.Left().String() + " corrects " + o.Amount.String() + " all the same"
}
