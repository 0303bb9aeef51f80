package workers_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/lists"
	"causeway/internal/pay"
)

// wallet assigns a fixed wallet of a network's type to a customer, as the API does.
func (w *world) wallet(network, customer string) *pay.Wallet {
	w.t.Helper()
	ctx := context.Background()
	n, _ := w.registry.Network(network)
	index, err := w.store.NextAddressIndex(ctx)
	require.NoError(w.t, err)
	address, err := n.Addresser.Derive(ctx, uint32(index))
	require.NoError(w.t, err)
	wallet := &pay.Wallet{ID: uuid.Must(uuid.NewV7()), MerchantID: w.merchant, Family: n.Family, CustomerInfo: customer, Wallet: address,
		Origin: pay.OriginAPI, Status: pay.WalletAssigned}
	require.NoError(w.t, w.store.AddWallet(ctx, wallet,
		&pay.Address{Family: n.Family, Match: n.Addresser.Match(address), Address: address, Position: index, WalletID: &wallet.ID}))
	return wallet
}

// payinsOf returns the payins of a fixed wallet, newest first.
func (w *world) payinsOf(wallet *pay.Wallet) (out []pay.Payin) {
	w.t.Helper()
	all, err := lists.PayinsAcross(context.Background(), w.store, lists.AcrossFilter{Merchants: []uuid.UUID{w.merchant}, Limit: 100})
	require.NoError(w.t, err)
	for _, p := range all {
		if p.WalletID != nil && *p.WalletID == wallet.ID {
			out = append(out, p)
		}
	}
	return out
}

// Covers api-v1 §What the service does: Fixed wallets
// Covers api-v1 §Payin: transfer to a fixed wallet
// Covers api-v1 §Account summary: receipt_rate
// Covers api-v1 §Events: payment_detected
// Covers api-v1 §Events: payment_confirmed
// Covers api-v1 §Events: 2
// Covers addendum §13: The payin of a transfer to a fixed wallet is there
func TestTransfersToAFixedWalletAreCompletedPayins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.exec("update merchants set receipt_rate = 1, deposit_rate = 5, payment_rate = 7, wallets_webhook_url = ?", w.receiver.URL+"/fixed")
	wallet := w.wallet("Tron", "customer-7")
	w.pays("Tron", "USDT", wallet.Wallet, "10")
	w.pays("Tron", "USDT", wallet.Wallet, "2.5")
	w.mine("Tron", 1)
	require.Equal(t, []string{"payment_detected:pending", "payment_detected:pending"}, w.receiver.got())
	for _, p := range w.payinsOf(wallet) {
		require.Equal(t, pay.PayinPending, p.Status)
	}
	w.mine("Tron", 1)

	payins := w.payinsOf(wallet)
	require.Len(t, payins, 2)
	sum := dec("0")
	for _, p := range payins {
		require.Equal(t, pay.PayinCompleted, p.Status)
		require.Equal(t, p.ID.String(), p.ReferenceID)
		require.Equal(t, "customer-7", *p.CustomerInfo)
		require.Equal(t, wallet.Wallet, p.Wallet)
		w.equal("1", p.PercentRate)
		w.equal(p.Amount.String(), p.Received)
		sum = sum.Add(p.Received)
	}
	w.equal("12.5", sum)
	w.equal("12.375", w.balance("USDT").Locked)
	w.fixedNotices(wallet, payins)
}

// fixedNotices checks the receiver's notices of the payins of a wallet.
func (w *world) fixedNotices(wallet *pay.Wallet, payins []pay.Payin) {
	w.t.Helper()
	told := map[string]map[string]note{}
	for _, n := range w.receiver.at("/fixed") {
		id, _ := n.Data["internal_reference"].(string)
		if told[id] == nil {
			told[id] = map[string]note{}
		}
		told[id][n.Event] = n
	}
	for _, p := range payins {
		id := p.ID.String()
		require.Len(w.t, told[id], 2)
		require.Contains(w.t, told[id], "payment_detected")
		data := told[id]["payment_confirmed"].Data
		for name, want := range map[string]any{"status": "success", "funds_available": false, "finality_status": "pending", "wallet": wallet.Wallet,
			"customer_info": "customer-7", "network": "Tron", "crypto_currency": "USDT", "crypto_amount": p.Amount.String(),
			"received_amount": p.Amount.String(), "reference_id": id, "is_wallet_fixed": true, "is_duplicated": false} {
			require.Equal(w.t, want, data[name], name)
		}
	}
}

// Covers api-v1 §Account summary: deposit_rate
func TestWalletsOfThePanelTakeItsRate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.exec("update merchants set receipt_rate = 1, deposit_rate = 5, user_pays_receipt_network_fee = false, user_pays_deposit_network_fee = true")
	wallet := w.wallet("Tron", "customer-7")
	w.exec("update wallets set origin = 'panel'")
	w.pays("Tron", "USDT", wallet.Wallet, "10")
	w.mine("Tron", 4)
	w.equal("8.5", w.balance("USDT").Available) // 10 less 5 % and the network fee of 1
	w.exec("update tokens set network_fee = 0")
	w.pays("Tron", "USDT", wallet.Wallet, "20")
	w.mine("Tron", 4)
	payins := w.payinsOf(wallet)
	require.Len(t, payins, 2)
	require.True(t, payins[0].PaysNetworkFee && payins[0].NetworkFee.IsZero() && payins[1].PaysNetworkFee, "who pays is settled with each")
}

// Covers api-v1 §Events: Webhooks of a payin or payout
func TestWithoutTheirAddressFixedWalletsTellNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	wallet := w.wallet("Tron", "customer-7")
	w.payin("Tron", "USDT", "5") // another payin has an address, not theirs
	w.pays("Tron", "USDT", wallet.Wallet, "10")
	w.mine("Tron", 4)
	require.Len(t, w.payinsOf(wallet), 1)
	w.equal("10", w.balance("USDT").Available)
	require.Empty(t, w.receiver.got())
}

// A payin of a fixed wallet tells the address set when there is something to tell.
//
// Covers api-v1 §Events: Webhooks of a payin or payout
// Covers api-v1 §Other operations: GET, PUT /v1/fixed-wallets/config
func TestFixedWalletsTellTheAddressOfNow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Litecoin")
	set := func(url string) { w.exec("update merchants set wallets_webhook_url = ?", url) }
	wallet := w.wallet("Litecoin", "customer-7")
	set(w.receiver.URL + "/old")
	txid := w.pays("Litecoin", "LTC", wallet.Wallet, "1")
	w.mine("Litecoin", 1)
	require.Equal(t, []string{"payment_detected:pending"}, w.receiver.events("/old"))
	set(w.receiver.URL + "/new")
	w.mine("Litecoin", 1)
	require.Equal(t, []string{"payment_confirmed:success"}, w.receiver.events("/new"))
	set("")
	_, err := w.chain.Reorg(context.Background(), "Litecoin", 3, txid)
	require.NoError(t, err)
	w.work()
	require.Equal(t, pay.PayinReversed, w.payinsOf(wallet)[0].Status)
	require.Len(t, w.receiver.got(), 2)
}

// The worth of a transfer is cut nowhere: 0.01 to the last unit makes a payin, and the unit below it does not.
//
// Covers api-v1 §Payin: transfer to a fixed wallet
// Covers api-v1 §Events: 2
// Covers api-v1 §Limits: Least transfer
func TestSmallTransfersToAFixedWalletAreIgnored(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.exec("update merchants set wallets_webhook_url = ?", w.receiver.URL)
	dollars := w.wallet("Tron", "dollars")
	w.pays("Tron", "TRX", dollars.Wallet, "0.039999") // of 0.25 US dollars
	w.pays("Tron", "TRX", dollars.Wallet, "0.04")
	w.mine("Tron", 4)
	payins := w.payinsOf(dollars)
	require.Len(t, payins, 1)
	w.equal("0.04", payins[0].Received)
	w.equal("0.04", w.balance("TRX").Available)
	require.Len(t, w.receiver.got(), 2)
	require.Equal(t, 1, w.count("select count(*) from transfers where status = 'ignored' and amount = 0.039999"))

	w.exec("update merchants set preferred_fiat = 'BRL'")
	reais := w.wallet("Tron", "reais")
	w.pays("Tron", "USDT", reais.Wallet, "0.001851") // of 5.4 Brazilian reais
	w.pays("Tron", "USDT", reais.Wallet, "0.001852")
	w.mine("Tron", 4)
	payins = w.payinsOf(reais)
	require.Len(t, payins, 1)
	require.Equal(t, "BRL", payins[0].FiatCurrency)
	w.equal("0.01000080", payins[0].FiatAmount.Decimal)
}

// A transfer worthless by a price is only ignored when its amount is little, too: a price may be wrong. A transfer without a price is
// a payin like any other.
//
// Covers addendum §8: A price may be wrong
func TestABrokenPriceMakesNoDust(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ receipt, withdrawal, dust, much string }{
		"the least payin":      {"1", "2", "0.999999", "1"},
		"the least payout":     {"50", "0.5", "0.499999", "0.5"},
		"only one has a least": {"0", "3", "2.999999", "1000000"},
		"neither has a least":  {"0", "0", "0.999999", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Tron")
			wallet := w.wallet("Tron", "customer-7")
			w.exec("update tokens set min_receipt = ?, min_withdrawal = ? where symbol = 'USDT' and network = 'Tron'", c.receipt, c.withdrawal)
			w.exec("update prices set price = 0.000000000000000001 where base = 'USDT'")
			w.pays("Tron", "USDT", wallet.Wallet, c.dust)
			w.pays("Tron", "USDT", wallet.Wallet, c.much)
			w.mine("Tron", 4)
			require.Empty(t, w.payinsOf(wallet))
			require.Equal(t, 1, w.count("select count(*) from transfers where status = 'ignored' and amount = ?", dec(c.dust)))
			unclaimed, err := w.store.UnclaimedTransfers(t.Context(), uuid.Nil, 10)
			require.NoError(t, err)
			require.Len(t, unclaimed, 1)
			w.equal(c.much, unclaimed[0].Amount)
			require.Contains(t, *unclaimed[0].Reason, "hard to believe")

			w.exec("delete from prices where base = 'USDT'")
			w.pays("Tron", "USDT", wallet.Wallet, c.dust)
			w.mine("Tron", 4)
			require.Len(t, w.payinsOf(wallet), 1)
			w.equal(c.dust, w.balance("USDT").Total())
		})
	}
}

// A transfer takes an announced revocation back; a revoked wallet takes nothing any more.
//
// Covers api-v1 §Fixed wallet: STATUS_ASSIGNED until
// Covers api-v1 §Fixed wallet: pending_revocation and revoke_at
// Covers addendum §9: Inactivity
// Covers addendum §8: A token that is not accepted
func TestIdleWalletIsAnnouncedSavedAndRevoked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	wallet := w.wallet("Tron", "customer-7")
	now := func() (out pay.Wallet) {
		require.NoError(t, w.db.NewSelect().Model(&out).Where("id = ?", wallet.ID).Scan(context.Background()))
		return out
	}
	w.exec("update wallets set created_at = now() - interval '181 days'")
	w.work()
	require.Equal(t, pay.WalletAssigned, now().Status)
	require.WithinDuration(t, time.Now().Add(30*24*time.Hour), *now().RevokeAt, time.Hour)

	w.pays("Tron", "USDT", wallet.Wallet, "10")
	w.mine("Tron", 1)
	require.Nil(t, now().RevokeAt)
	require.WithinDuration(t, time.Now(), *now().LastTransactionAt, time.Hour)
	w.mine("Tron", 4)

	w.exec("update wallets set last_transaction_at = now() - interval '181 days'")
	w.work()
	require.NotNil(t, now().RevokeAt)
	w.exec("update wallets set revoke_at = now() - interval '1 second'")
	w.work()
	require.Equal(t, pay.WalletRevoked, now().Status)

	w.pays("Tron", "USDT", wallet.Wallet, "3")
	w.mine("Tron", 4)
	w.equal("10", w.balance("USDT").Total())
	unclaimed, err := w.store.UnclaimedTransfers(context.Background(), uuid.Nil, 10)
	require.NoError(t, err)
	require.Len(t, unclaimed, 1)
	require.Equal(t, "the fixed wallet is revoked", *unclaimed[0].Reason)
}

// A transfer without a payin shows as well that the wallet is in use: a little one, one hard to believe, or one of a token not taken.
//
// Covers addendum §9: Inactivity
func TestWhatMakesNoPayinSavesItsWallet(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, amount string }{
		"little":          {"", "0.001"},
		"hard to believe": {"update prices set price = 0.000000000000000001 where base = 'USDT'", "1000"},
		"not taken":       {"update tokens set deposits = false where symbol = 'USDT'", "5"},
		"off":             {"update tokens set active = false where symbol = 'USDT'", "5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Tron")
			wallet := w.wallet("Tron", "customer-7")
			w.exec("update wallets set created_at = now() - interval '181 days'")
			w.work()
			require.Equal(t, 1, w.count("select count(*) from wallets where revoke_at is not null"))
			if c.before != "" {
				w.exec(c.before)
			}
			w.pays("Tron", "USDT", wallet.Wallet, c.amount)
			w.mine("Tron", 4)
			require.Empty(t, w.payinsOf(wallet))
			require.Equal(t, 1, w.count("select count(*) from wallets where revoke_at is null and last_transaction_at > now() - interval '1 hour'"))
		})
	}
}

// Covers addendum §9: Types: evm, bitcoin
func TestAWalletServesAllNetworksOfItsType(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum", "Polygon", "Base")
	wallet := w.wallet("Ethereum", "customer-7")
	for _, network := range []string{"Ethereum", "Polygon", "Base"} {
		w.pays(network, "USDT", wallet.Wallet, "10")
		w.mine(network, 2)
	}
	payins := w.payinsOf(wallet)
	require.Len(t, payins, 3)
	for i, network := range []string{"Base", "Polygon", "Ethereum"} {
		require.Equal(t, network, payins[i].Network)
		require.Equal(t, pay.PayinCompleted, payins[i].Status)
	}
}
