package chains

import (
	"context"

	"github.com/shopspring/decimal"
)

// Act is what a spend of the hot wallet does with its one order in place of paying it. Only where Network.Staking is.
type Act string

// The acts. The amount of the order is of the native coin.
const (
	ActStake    Act = "stake"      // it is staked, for what payments take beside the coin
	ActUnstake  Act = "unstake"    // so much of the stake begins to come back
	ActWithdraw Act = "withdraw"   // everything that has come back can be spent again
	ActLend     Act = "delegate"   // what so much of the stake gives is lent to Spend.To
	ActTakeBack Act = "undelegate" // it is taken back from Spend.To
)

// ActPrepare makes a deposit address, which is Spend.From, ready for payers. It has no order, and moves nothing. Only where
// Network.Unprepared is.
const ActPrepare Act = "prepare"

// Staking is the ability of a connector whose hot wallet stakes the native coin for what payments take, such as energy. What is staked is
// still held: a Holder counts it.
type Staking interface {
	// Spendable returns how much of the native coin held by an address at a height is not staked.
	Spendable(ctx context.Context, address string, height int64) (decimal.Decimal, error)
	// Stake tells about the stake of the hot wallet, by final blocks.
	Stake(ctx context.Context) (*Stake, error)
	// Lending returns what a sweep of a token costs with a loan out of the stake. Nil where the stake has too little left, or a top-up is
	// cheaper.
	Lending(ctx context.Context, token string) (*Lending, error)
}

// Stake is how much of the native coin a hot wallet has staked, for the resource that tokens take.
type Stake struct {
	Staked  decimal.Decimal `json:"staked"`  // without what is lent
	Lent    decimal.Decimal `json:"lent"`    // what it gives is used by deposit addresses
	Leaving decimal.Decimal `json:"leaving"` // on its way back
	Due     decimal.Decimal `json:"due"`     // back, and to be withdrawn
	Loans   []Loan          `json:"loans"`   // those that can be taken back now
}

// Loan is a part of a stake whose resource an address uses.
type Loan struct {
	Address string          `json:"address"` // in the spelling of Addresser.Match
	Amount  decimal.Decimal `json:"amount"`  // of the native coin; it stays the hot wallet's
}

// Lending is what a sweep costs with a loan, in the native coin.
type Lending struct {
	Fee  decimal.Decimal // the most that the deposit address itself pays
	Cost decimal.Decimal // with that: the loan, and its end
}

// Offer is a loan without which a sweep is short of coin.
type Offer struct {
	Amount decimal.Decimal // of the stake
	Rest   decimal.Decimal // of the native coin, missing beside it; an address needs it first
}
