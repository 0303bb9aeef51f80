package api

import (
	"testing"

	"causeway/client"
)

func TestClientReads(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	c := s.client()
	s.allow("wallets_mode = 'global', wallets_limit = 5")
	ctx := t.Context()
	balances, err := c.GetBalances(ctx)
	if err != nil || balances.Available["USDT"] != "0.00000000" {
		t.Errorf("%+v %v", balances, err)
	}
	summary, err := c.GetSummary(ctx)
	if err != nil || len(summary.AcceptedTokens) == 0 || summary.NetworkRates == nil || len(summary.NetworkRates) != 0 {
		t.Errorf("%+v %v", summary, err)
	}
	tokens, err := c.GetTokens(ctx)
	if err != nil || len(tokens) != summary.SummaryStats.TotalTokens {
		t.Errorf("%d tokens, %v", len(tokens), err)
	}
	fiats, err := c.GetFiats(ctx)
	if err != nil || len(fiats) != summary.SummaryStats.TotalFiats {
		t.Errorf("%d fiats, %v", len(fiats), err)
	}
	price, err := c.GetPrice(ctx, "USDT", "USD")
	if err != nil || price.Price != "1,00" {
		t.Errorf("%+v %v", price, err)
	}
	if all, err := c.GetCurrencies(ctx); err != nil || len(all.Tokens) == 0 || len(all.Fiats) == 0 {
		t.Errorf("%+v %v", all, err)
	}
	types, err := c.ListFixedWalletTypes(ctx)
	if err != nil || types.Allowance.Remaining != 5 {
		t.Errorf("%+v %v", types, err)
	}
	if lines, err := c.ListStatements(ctx, client.StatementFilter{Direction: "in", From: client.DayOf(s.clock())}); err != nil ||
		lines.Meta.Total != 0 {
		t.Errorf("%+v %v", lines, err)
	}
	if sums, err := c.SummarizeStatements(ctx, client.StatementFilter{Page: 3}); err != nil || len(sums) != 0 {
		t.Errorf("%+v %v", sums, err)
	}
	if _, err := c.ListStatements(ctx, client.StatementFilter{Direction: "up"}); !client.Is(err, "invalid_format") {
		t.Error(err)
	}
}

func TestClientMovesMoney(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	c := s.client()
	ctx := t.Context()
	payin, err := c.CreatePayin(ctx, client.Payin{ReferenceID: "order/0000001", CryptoCurrency: "USDT", Network: "trc20",
		ProcessBy: client.ByFiat, FiatAmount: "12.5", FiatCurrency: "usd", WebhookURL: "https://hooks.test/x", ExpiresAt: 60})
	if err != nil {
		t.Fatal(err)
	}
	record, err := c.CheckPayin(ctx, "order/0000001")
	if err != nil || record.InternalReference != payin.InternalReference || record.ExpiresAt.Sub(record.CreatedAt.Time).Seconds() != 60 {
		t.Errorf("%+v %v", record, err)
	}
	payins, err := c.ListPayins(ctx, client.ListFilter{Network: "Tron", Status: "pending", PerPage: 1, Page: 1, From: client.DayOf(s.clock())})
	if err != nil || payins.Summary.TotalPending != 1 || payins.Deposits[0].Wallet != payin.Wallet {
		t.Errorf("%+v %v", payins, err)
	}
	payout := client.Payout{ReferenceID: "salary-1", Wallet: evmWallet, CryptoCurrency: "USDT", Network: "Ethereum",
		ProcessBy: client.ByCrypto, CryptoAmount: "10", WebhookURL: "https://hooks.test/x"}
	if _, err := c.CreatePayout(ctx, "key-1", payout); !client.Is(err, "insufficient_total_balance") {
		t.Errorf("without money: %v", err)
	}
	s.fund(s.merchant, "USDT", "100")
	made, err := c.CreatePayout(ctx, "key-1", payout)
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.CreatePayout(ctx, "key-1", payout)
	if err != nil || again.InternalReference != made.InternalReference {
		t.Errorf("%+v %v", again, err)
	}
	both, err := c.CreatePayouts(ctx, "", []client.Payout{payout, {ReferenceID: "salary-2"}})
	if err != nil || both.Summary.Failed != 2 || !client.Is(both.Results[0].Error, "duplicate_payment_reference") ||
		both.Results[0].InternalReference != made.InternalReference {
		t.Errorf("%+v %v", both, err)
	}
	found, err := c.CheckPayout(ctx, made.InternalReference)
	if err != nil || found.ReferenceID != "salary-1" || found.Status != "pending" {
		t.Errorf("%+v %v", found, err)
	}
	if payouts, err := c.ListPayouts(ctx, client.ListFilter{ReferenceID: "salary-1"}); err != nil || payouts.Meta.Total != 1 {
		t.Errorf("%+v %v", payouts, err)
	}
	if _, err := c.CheckPayout(ctx, "not-a-payout"); !client.Is(err, "record_not_found") {
		t.Error(err)
	}
}

func TestClientKeepsWallets(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	c := s.client()
	s.allow("wallets_mode = 'per_type', wallets_limits = '{\"tron\": 1}'")
	ctx := t.Context()
	made, err := c.CreateFixedWallet(ctx, "tron", "customer-7")
	if err != nil || !made.New || made.Allowance.Items[0].Remaining != 0 {
		t.Fatalf("%+v %v", made, err)
	}
	if again, err := c.CreateFixedWallet(ctx, "tron", "customer-7"); err != nil || again.New || again.Wallet.Wallet != made.Wallet.Wallet {
		t.Errorf("%+v %v", again, err)
	}
	if _, err := c.CreateFixedWallet(ctx, "tron", "customer-8"); !client.Is(err, "limit_reached") {
		t.Error(err)
	}
	wallets, err := c.ListFixedWallets(ctx, client.WalletFilter{Type: "tron", CustomerInfo: "customer-7", Limit: 10})
	if err != nil || wallets.Count != 1 || wallets.Wallets[0].Networks[0] != "Tron" {
		t.Errorf("%+v %v", wallets, err)
	}
	hook := "https://hooks.test/fixed"
	if _, err := c.SetFixedWalletConfig(ctx, client.WalletConfig{WebhookURL: &hook}); err != nil {
		t.Error(err)
	}
	if config, err := c.GetFixedWalletConfig(ctx); err != nil || *config.WebhookURL != hook {
		t.Errorf("%+v %v", config, err)
	}
	if config, err := c.SetFixedWalletConfig(ctx, client.WalletConfig{}); err != nil || config.WebhookURL != nil {
		t.Errorf("%+v %v", config, err)
	}
}
