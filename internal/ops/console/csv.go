package console

import (
	"strings"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/web/room"
)

const payinColumns = `internal_reference created_at_utc merchant_id merchant reference_id status payment_status network token amount received
	rate_fee network_fee fiat_currency fiat_amount wallet memo txid customer_info expires_at_utc reversed_at_utc`

// payinSheet shows the fees of credits in the payin's own token. A payment in another token has its fees in its own token.
func payinSheet(v *visit, found []pay.Payin, called map[uuid.UUID]string) (*room.Sheet, error) {
	ids := make([]uuid.UUID, len(found))
	for i := range found {
		ids[i] = found[i].ID
	}
	transfers, err := v.Store.TransfersOf(v.Context(), ids...)
	if err != nil {
		return nil, err
	}
	return room.SheetOf(found, payinColumns, func(p *pay.Payin) []string {
		of := transfers[p.ID]
		rate, fee := of.Rest.RateFee, of.Rest.NetworkFee
		var txids []string
		for i := range of.Shown {
			t := &of.Shown[i]
			if t.OnBalance() && t.Token == p.Token {
				rate, fee = rate.Add(t.RateFee), fee.Add(t.NetworkFee)
			}
			if t.Credits > 0 {
				txids = append(txids, t.Txid)
			}
		}
		return []string{p.ID.String(), moment(p.CreatedAt), p.MerchantID.String(), called[p.MerchantID], p.ReferenceID, string(p.Status),
			or(p.PaymentStatus(of), ""), p.Network, p.Token, p.Amount.String(), p.Received.String(), rate.String(), fee.String(),
			p.FiatCurrency, plain(p.FiatAmount), p.Wallet, or(p.Memo, ""), strings.Join(txids, " "), or(p.CustomerInfo, ""),
			moment(p.ExpiresAt), momentOr(p.ReversedAt)}
	}), nil
}

const payoutColumns = `internal_reference created_at_utc merchant_id merchant reference_id status cancelling network token amount debit
	rate_fee network_fee fiat_currency fiat_amount wallet memo txid reason updated_at_utc`

// payoutSheet shows the debited fees: amount, rate_fee and network_fee together are the debit.
func payoutSheet(found []pay.Payout, called map[uuid.UUID]string) *room.Sheet {
	return room.SheetOf(found, payoutColumns, func(p *pay.Payout) []string {
		return []string{p.ID.String(), moment(p.CreatedAt), p.MerchantID.String(), called[p.MerchantID], p.ReferenceID, string(p.Status),
			yesNo(p.Cancelling), p.Network, p.Token, p.Amount.String(), p.Debit.String(), p.RateFee.String(),
			p.Debit.Sub(p.Amount).Sub(p.RateFee).String(), p.FiatCurrency, plain(p.FiatAmount), p.Wallet, or(p.Memo, ""), or(p.Txid, ""),
			or(p.Reason, ""), moment(p.UpdatedAt)}
	})
}
