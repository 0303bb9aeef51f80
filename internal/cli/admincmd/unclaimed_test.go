package admincmd

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/cli/command"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
)

// unclaimed records a transfer waiting for the operator.
func (s *site) unclaimed(txid, amount string) *pay.Transfer {
	s.Helper()
	reason, height := "the fixed wallet is revoked", int64(9)
	tr := &pay.Transfer{ID: uuid.Must(uuid.NewV7()), Network: "Ethereum", Txid: txid, Token: "ETH", Address: "0xabc",
		Amount: decimal.RequireFromString(amount),
		Status: pay.TransferUnclaimed, Height: &height, Credits: 1, Reason: &reason}
	err := store.New(s.DB).InTx(s.Context(), func(tx *store.Store) error {
		if _, err := ledger.Post(s.Context(), tx.Q, ledger.UnclaimedHeld("ETH", tr)); err != nil {
			return err
		}
		return tx.SaveTransfers(s.Context(), []pay.Transfer{*tr})
	})
	require.NoError(s.T, err)
	s.Exec("insert into addresses (family, match, address, position) values ('evm', '0xabc', '0xAbC', 1)")
	return tr
}

// Covers addendum §13: Any other unclaimed transfer
// Covers operator §Admin: causeway admin unclaimed list
// Covers operator §Admin: causeway admin unclaimed assign
// Covers operator §Admin: causeway admin unclaimed ignore
// Covers operator §Admin: unclaimed assign makes
func TestUnclaimedCommands(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	merchant := s.Merchant()
	big, dust := s.unclaimed("0x1", "1.0000000000000005"), s.unclaimed("0x2", "0.000000001")
	type shown struct {
		ID, Status, Amount, Reason string
		Payin                      *string `json:"payin_id"`
	}
	var list []shown
	s.Do(&list, "admin", "unclaimed", "list")
	if len(list) != 2 || list[0].Amount != "1.0000000000000005" || list[0].Reason == "" {
		t.Fatalf("list %+v", list)
	}
	s.Refused(command.ExitFailed, "precision", "admin", "unclaimed", "assign", dust.ID.String(), "--merchant", merchant)
	s.Refused(command.ExitFailed, "no merchant", "admin", "unclaimed", "assign", big.ID.String(), "--merchant", uuid.NewString())
	s.Refused(command.ExitFailed, "no unclaimed", "admin", "unclaimed", "assign", uuid.NewString(), "--merchant", merchant)
	s.Refused(command.ExitUsage, "merchant", "admin", "unclaimed", "assign", big.ID.String())

	var ignored, assigned shown
	s.Do(&ignored, "admin", "unclaimed", "ignore", dust.ID.String())
	s.Do(&assigned, "admin", "unclaimed", "assign", big.ID.String(), "--merchant", merchant)
	s.Do(&list, "admin", "unclaimed", "list")
	if ignored.Status != "ignored" || assigned.Status != "credited" || assigned.Payin == nil || len(list) != 0 {
		t.Fatalf("ignored %+v, assigned %+v, left %+v", ignored, assigned, list)
	}
	s.Refused(command.ExitFailed, "not unclaimed", "admin", "unclaimed", "assign", big.ID.String(), "--merchant", merchant)
	s.Exec("delete from prices where base = 'ETH'")
	unpriced := s.unclaimed("0x3", "1")
	s.Do(&ignored, "admin", "unclaimed", "ignore", unpriced.ID.String()) // it can be assigned all the same
	s.Exec("insert into wallets (id, merchant_id, family, customer_info, wallet, status) values (gen_random_uuid(), ?, 'evm', 'c', '0xAbC', 'STATUS_REVOKED')", merchant)
	s.Exec("update addresses set wallet_id = (select id from wallets)")
	other := s.Merchant()
	s.Refused(command.ExitFailed, "--although-anothers", "admin", "unclaimed", "assign", unpriced.ID.String(), "--merchant", other)
	s.Do(&ignored, "admin", "unclaimed", "assign", unpriced.ID.String(), "--merchant", other, "--although-anothers")
	if p, err := store.New(s.DB).Payin(t.Context(), uuid.MustParse(*ignored.Payin)); err != nil || p.FiatAmount.Valid || p.Price.Valid {
		t.Errorf("without a price: %+v, %v", p, err)
	}
	s.isPayin(*assigned.Payin, merchant)

	balances, err := ledger.Balances(t.Context(), s.DB, uuid.MustParse(merchant))
	require.NoError(t, err)
	if b := balances["ETH"]; b.Locked.String() != "1" || !b.Available.IsZero() {
		t.Errorf("balance %+v", b)
	}
	differences, err := store.New(s.DB).LedgerDifferences(t.Context())
	require.NoError(t, err)
	if len(differences) != 0 {
		t.Errorf("the ledger differs: %+v", differences)
	}
}

// isPayin checks the payin of an assigned transfer, and its way back by a reorganisation.
func (s *site) isPayin(id, merchant string) {
	s.Helper()
	db := store.New(s.DB)
	p, err := db.Payin(s.Context(), uuid.MustParse(id))
	require.NoError(s.T, err)
	if p.MerchantID.String() != merchant || p.Status != pay.PayinCompleted || p.Received.String() != "1" || p.Wallet != "0xAbC" ||
		p.CreatedAt.After(time.Now().Add(time.Minute)) {
		s.Errorf("payin %+v", p)
	}
	if p.FiatCurrency != "USD" || !p.FiatAmount.Valid || p.FiatAmount.Decimal.StringFixed(8) != "3000.00000000" ||
		p.Price.Decimal.String() != "3000" {
		s.Errorf("the payin is worth %v %s at %v", p.FiatAmount, p.FiatCurrency, p.Price)
	}
	transfers, err := db.TransfersOf(s.Context(), p.ID)
	require.NoError(s.T, err)
	if len(transfers[p.ID].Shown) != 1 {
		s.Fatalf("transfers %+v", transfers)
	}
	back := ledger.PayinReversed(p.MerchantID, "ETH", &transfers[p.ID].Shown[0])
	sum := decimal.Zero
	for _, posting := range back.Postings {
		sum = sum.Add(posting.Amount)
	}
	if sum.String() != "1.0000000000000005" || !slices.ContainsFunc(back.Postings,
		func(x ledger.Posting) bool { return x.From == ledger.Locked(p.MerchantID) }) {
		s.Errorf("taken back by %+v", back.Postings)
	}
}
