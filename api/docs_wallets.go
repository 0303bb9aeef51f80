package api

import (
	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/web/openapi"
	"causeway/internal/webhooks"
)

var (
	sampleWalletTokens = []WalletToken{{"Tron", "USDT", "USDT"}}
	sampleFixed        = WalletRecord{CustomerInfo: "customer-7", Wallet: sampleWallet, Type: "tron", Status: "STATUS_ASSIGNED",
		Origin:    "external_api",
		CreatedAt: sampleMoment, UpdatedAt: sampleMoment, Networks: []string{"Tron"}, AcceptedTokens: sampleWalletTokens}
	sampleShared = &Allowance{Global: &GlobalAllowance{pay.WalletsGlobal, Budget{100, 1, 99}, []WalletType{{"tron", "Tron"}}}}
	sampleEach   = &Allowance{PerType: &PerTypeAllowance{pay.WalletsPerType, []TypeBudget{{WalletType{"tron", "Tron"}, Budget{10, 1, 9}}}}}
	sampleSink   = sampleHook
)

var docListWallets = Doc{
	ID: "listFixedWallets", Tag: tagWallets,
	Description: "Newest first; count is the number of items in the page. allowance is null when fixed wallets are not enabled.",
	Params: []openapi.Param{
		{Name: "type", Description: "Lower-case, exact match.", Example: "tron"},
		{Name: "status", Description: "STATUS_ASSIGNED or STATUS_REVOKED.", Example: "STATUS_ASSIGNED"},
		{Name: "customer_info", Description: "Exact match.", Example: "customer-7"},
		{Name: "limit", Description: "Default 100, clamped to 1 to 500.", Example: "100"},
		{Name: "offset", Description: "Default 0; negative is 0.", Example: "0"},
	},
	Answers: []openapi.Answer{{Status: 200, Summary: "One page",
		Sample: WalletList{"fixed_wallets_list_success", []WalletRecord{sampleFixed}, 1, sampleShared}}},
	Errors: []*pay.Error{input.Unreadable("customer_info"), errService},
}

var docCreateWallet = Doc{
	ID: "createFixedWallet", Tag: tagWallets, Body: WalletRequest{},
	Description: "One address serves every network of its type. A customer who holds one of the type gets it again.",
	Examples:    []openapi.Example{{Name: "one", Value: WalletRequest{"tron", "customer-7"}}},
	Answers: []openapi.Answer{
		{Status: 201, Summary: "A new wallet", Sample: WalletAnswer{"fixed_wallets_assign_success", sampleFixed, sampleShared}},
		{Status: 200, Summary: "The wallet that the customer holds", Sample: WalletAnswer{"fixed_wallets_already_assigned", sampleFixed, sampleEach}},
	},
	Errors: []*pay.Error{
		errFeature, input.WrongField("type", "is required"), errWalletType, errNotAllowed, errLimit.With("limit", 10).With("used", 10),
		errNoWallet, errProcessor, errAssign, errService,
	},
}

var docWalletTypes = Doc{
	ID: "listFixedWalletTypes", Tag: tagWallets,
	Answers: []openapi.Answer{{Status: 200, Summary: "The types", Sample: WalletTypesAnswer{"fixed_wallets_supported_success",
		[]WalletSupport{{WalletType{"tron", "Tron"}, []string{"Tron"}, sampleWalletTokens}}, sampleEach}}},
	Errors: []*pay.Error{errService},
}

var docWalletConfig = Doc{
	ID: "getFixedWalletConfig", Tag: tagWallets,
	Answers: []openapi.Answer{{Status: 200, Summary: "The configuration",
		Sample: WalletConfigAnswer{"fixed_wallets_config_success", WalletConfig{&sampleSink}}}},
}

var docSetWalletConfig = Doc{
	ID: "setFixedWalletConfig", Tag: tagWallets, Body: WalletConfig{},
	Description: "null or \"\" clears the address; without one no notices of fixed wallets are sent.",
	Examples:    []openapi.Example{{Name: "set", Value: WalletConfig{&sampleSink}}, {Name: "clear", Value: WalletConfig{}}},
	Answers: []openapi.Answer{{Status: 200, Summary: "The new configuration",
		Sample: WalletConfigAnswer{"fixed_wallets_config_update_success", WalletConfig{&sampleSink}}}},
	Errors: []*pay.Error{
		input.WrongField("webhook_url", "is required"), errWalletsURL.With("field", "webhook_url").With("reason", string(webhooks.NotPublic)), errNotSaved, errLookup,
	},
}
