package migrations

// right is the rights of each role to a table. Reading is part of it: "" is reading alone, none is nothing. The letters
// are i for insert, u for update, u(a, b) for update of these columns alone, and d for delete; locking a row needs a
// right to update it. Nobody but the owner may truncate a table, or change it or its triggers. The operator has a
// worker's rights as well.
type right struct{ table, api, worker, signer, scheduler, operator string }

// none is no right at all, not even to read.
const none = "-"

// Columns changed while a payout or a transaction goes its way. A payout's recipient and amount are written once.
const (
	payoutMoves = "u(status, cancelling, reason, txid, updated_at)"
	signedMoves = "u(state, height, block, taken_by, taken_height, sent_at)"
)

// moveMoves are the columns changed while a move of the treasury goes its way. Where it goes, the signer knows by itself.
const moveMoves = "status, reason, txid, moved, cost, updated_at"

// followerMoves are the columns of a follower written by its steps. Its network stays, and nobody but an operator ends a halt.
const followerMoves = "head, chain, rule, error, passed_until, followed_from, final, clock, wallet, wallet_since, updated_at"

// spendMoves are the columns of an unknown spend seen in a block. An operator decides on spends, and dismisses them.
const spendMoves = "recipient, memo, amount, height"

// pricesMove are the columns of a price taken from sources. Nobody but an operator pins one.
const pricesMove = "price, source, updated_at"

// walletStops changes what is known of a stopped wallet. Its network and address stay: another name would end the stop.
const walletStops = "i u(ours, chain, broken_seal, forgotten_at, skipped_in)"

// rights are the rights of all tables. A table missing here cannot be used by any role, and a test fails for it.
var rights = []right{
	// table                 api                       worker        signer       scheduler operator
	{"merchants", "u(wallets_webhook_url, webhook_secret, webhook_secret_old)", "", "u(created_at)", "", "i u"}, // signing locks the row, to keep its limits as they are
	{"merchant_networks", "", "", "", "", "i u d"},
	{"keys", "u(created_at)", "", "", "", "i u"}, // revoking locks the row; add_key and revoke_key write
	{"request_nonces", "i", "d", "", "", ""},
	{"idempotency_keys", "i u d", "d", "", "", ""},

	{"audit", "i", "i", "i", "", "i"},
	{"audit_head", "u", "u", "u", "", "u"}, // audit_chained
	{"operators", none, none, none, none, "i u"},
	{"first_operator", none, none, none, none, "i u d"},
	{"operator_sessions", none, none, none, none, "i u d"},
	{"operator_tries", none, none, none, none, "i u d"},
	{"people", "i u", none, none, none, "u"}, // an operator unlocks, takes codes off, and seals again
	{"members", "i u d", none, none, none, "i u d"},
	{"invitations", "i u", none, none, none, "i u"},
	{"person_resets", "i u", none, none, none, "i u"},
	{"merchant_looks", "i u", none, none, none, ""},
	{"merchant_logos", "i d", none, none, none, ""},
	{"merchant_sites", "i d", none, none, none, ""},
	{"panel_book", "i u", "", "", "", ""},
	{"panel_rules", "i u", "", "", "", ""},
	{"panel_second_rules", "i u", "", "", "", ""},
	{"request_log", "i u", "d", "", "", ""},
	{"request_log_heads", "i u", "", "", "", ""},
	{"panel_seconds", "i u(confirmed_by, confirmed_at)", "", "", "", ""},
	{"person_passkeys", "i u d", none, none, none, "d"}, // an operator takes them off
	{"passkey_challenges", "i d", none, none, none, none},
	{"person_sessions", "i u d", none, none, none, "d"},
	{"person_tries", "i d", none, none, none, ""},
	{"messages", "i", "u d", "", "", "i"},
	{"chats", "i u d", "", none, none, "u"}, // an operator seals again
	{"operator_chats", none, "", none, none, "i u d"},
	{"payer_receipts", none, none, none, none, none}, // tell_payers writes it
	{"conditions", "", "i u(seen_at, told_at) d", "", "", ""},
	{"samples", "", "", "", "i d", ""},

	{"revisions", "u(version)", "u(version)", "", "", ""},
	{"tokens", "", "", "", "", "i u"},
	{"fiats", "", "", "", "", "u"},
	{"prices", "", "i(base, quote, " + pricesMove + ") u(" + pricesMove + ")", "", "", "i u d"}, // drop_fixed_prices drops the fixed ones
	{"price_quotes", "", "i u", "", "", ""},

	{"jobs", "i u d", "i u d", "i u d", "i u d", ""},
	{"payouts", "i", payoutMoves, payoutMoves, "", ""},
	{"payout_limits", "", "", "", "", "i u d"},
	{"payout_approvals", "", "", "i u", "", "i u"},
	{"two_people", "", "", "", "", "i u d"},
	{"payout_windows", "", "", "", "", "i d"}, // count_payouts adds to it, forget_windows deletes old rows
	{"daily_spend", "i u", "", "", "", ""},
	{"signing_nonces", "", "", "i u", "", "i u"},
	{"signed_transactions", "", signedMoves, "i " + signedMoves, "", ""},
	{"coins", "", "i u(token, amount, mixed, apart, own, deposit, position, height, slot, place, spent_by, spent_height, moved_at)", "u(slot, place)", "", "u(slot, place)"},
	{"foreign_spends", "", "i u(height)", "i u(height)", "", "u(resumed_at)"},
	{"capped_spend", "", "", "", "", ""}, // count_capped adds to it
	{"capped_payouts", "", "", "i u(why)", "", ""},
	{"contrary_transactions", "", "i d", "", "", ""}, // a reorganisation forgets some (store.UnmineSigned)
	{"stopped_wallets", "", walletStops, walletStops, "", "i u d"},
	{"unknown_spends", "", "i(network, txid, token, position, sender, " + spendMoves + ") u(undone_at, " + spendMoves + ")", "", "", "u(decision, payout_id) d"},
	{"spend_decisions", "", "i u", "", "", ""},

	{"addresses", "i", "", "", "", "i"},
	{"wallets", "i u", "u", "", "", ""},
	{"payins", "i u(given_back)", "i u", "", "", ""},        // a refund locks its payin
	{"payment_requests", "i u(expires_at)", "", "", "", ""}, // a choice locks its request
	{"payment_links", "i u(ended_at)", "", "", "", ""},      // a payer's request locks it
	{"payment_choices", "i", "", "", "", ""},
	{"refunds", "i u(payout_id, revoked_at)", "", "", "", "i u(revoked_at)"}, // an operator promises: the payout is the payer's to ask for
	{"transfers", "", "i u", "", "", "d"},
	{"asides", "", "i u(height, entries, seen_at)", "", "", ""},
	{"chain_blocks", "", "i u d", "u", "", ""},
	{"followers", "", "i(network, " + followerMoves + ") u(" + followerMoves + ")", "u(run, clear_after)", "", "u(halted)"}, // halt_network halts one
	{"deliveries", "i", "i u", "i", "", ""},
	{"failed_attempts", "", "i", "", "", ""},
	{"told_payins", "", "", "", "", ""}, // forget_deliveries writes it

	{"accounts", "i", "i", "i", "", ""},
	{"entries", "i", "i", "i", "", ""},
	{"postings", "i", "i", "i", "", ""},
	{"balances", "i u", "i u", "i u", "", ""},
	{"debts", "i u", "i u", "i u", "", ""},
	{"list_counts", "", "i u d", "", "", ""},
	{"list_counts_by_month", "", "", "", "", ""}, // a part named by a function
	{"list_splits", "", "i u d", "", "", ""},
	{"list_changes", "i", "i d", "i", "", ""},

	{"reconcile_reports", "", "i d", "", "", ""},
	{"reconcile_looks", "", "i u d", "", "", ""},
	{"treasury_corrections", "", "", "", "", "i u"},
	{"open_surpluses", "", "i u d", "", "", ""},
	{"quiet_holdings", "", "i u d", "", "", ""},
	{"address_holdings", "", "i u d", "", "", ""},
	{"wallet_holdings", "", "i u d", "", "", ""},
	{"wallet_paid", "", "i u d", "", "", ""},
	{"wallet_paid_upto", "", "u", "", "", ""},
	{"treasury_rules", "", "", "", "", "i u d"},
	{"treasury_moves", "", "i u(" + moveMoves + ")", "i u(" + moveMoves + ")", "", "u(cancelling)"},
	{"cold_addresses", "", "i(network, address, height) u(height)", "", "", "u(confirmed_by, confirmed_at)"},
	{"moves_by_hand", "", "i u(height, senders, recipients, cost, seen_at)", "", "", ""},
	{"move_costs", "", "i d", "", "", ""},
	{"stopped_assets", "", "i u(at)", "", "", "d"}, // an asset stopped again locks its row
	{"ledger_passes", "", "i u d", "", "", ""},
	{"account_sums", "", "i u d", "", "", ""},
	{"broken_entries", "", "i u d", "", "", ""},

	// Simulated networks, missing in live books: the first process to look makes them.
	{"sandbox_networks", "i u d", "i u d", "i u d", "i u d", ""},
	{"sandbox_forks", "i u d", "i u d", "i u d", "i u d", ""},
	{"sandbox_transactions", "i u d", "i u d", "i u d", "i u d", ""},
	{"sandbox_spent", "i u d", "i u d", "i u d", "i u d", ""},
	{"sandbox_holdings", "i u d", "i u d", "i u d", "i u d", ""},
	{"inbox", none, none, none, none, "i d"},
	{"books", "i", "i", "i", "i", ""},
	{"movements", "", "", "", "", ""},         // a view
	{"moving_entries", "", "", "", "", ""},    // a view
	{"delivery_attempts", "", "", "", "", ""}, // a view
	{"window_limits", "", "", "", "", ""},     // a view
	{"bun_migrations", "", "", "", "", ""},
	{"bun_migration_locks", "", "", "", "", ""},
}

// functions have the rights of the owner, whoever calls them. Only these roles may, and the roles that have their rights.
var functions = []struct {
	name  string
	roles []Role
}{
	{"drop_fixed_prices()", []Role{APIRole, WorkerRole, SignerRole, SchedulerRole}}, // a start with live prices
	{"count_payouts(uuid[], text[])", []Role{SignerRole}},
	{"count_capped(text, text, numeric)", []Role{SignerRole}},
	{"adopt_copies(text, text[], text[], bytea[], bigint[], uuid[])", []Role{WorkerRole}},
	{"halt_network(text)", []Role{WorkerRole}},
	{"add_key(text, uuid, bytea, text[], text[], boolean, bytea, numeric, integer, integer, timestamptz)", []Role{APIRole, OperatorRole}},
	{"revoke_key(text)", []Role{APIRole, OperatorRole}},
	{"tell_operators(text, text, text)", []Role{WorkerRole}},
	{"tell_payers_paid(uuid[], boolean[])", []Role{WorkerRole, OperatorRole}},
	{"tell_payers_refunded(uuid[])", []Role{WorkerRole, OperatorRole}},
	{"tell_people(text, text[], text, uuid[], text[], text[])", []Role{APIRole, WorkerRole, SignerRole, OperatorRole}},
	{"cancel_withdrawal(uuid, uuid)", []Role{APIRole}},
	{"forget_windows()", []Role{WorkerRole}},
	{"forget_emails(interval, integer)", []Role{WorkerRole}},
	{"forget_deliveries(interval, integer)", []Role{WorkerRole}},
	{"forget_networks(text[], text, uuid[])", []Role{APIRole, WorkerRole, SignerRole, SchedulerRole}}, // it asks for the transaction that makes the books live
}

// sequences are the rights to the sequences named by statements; those of identity columns need none.
var sequences = []struct {
	name, may string
	roles     []Role
}{
	{"entries_id_seq", "usage, select", []Role{APIRole, WorkerRole, SignerRole}},
	{"entries_id_seq", "select", []Role{SchedulerRole, OperatorRole}},
	{"address_index", "usage, select", []Role{APIRole}},
	{"address_index", "update, select", []Role{SignerRole, OperatorRole}}, // of restored books, addresses are skipped
}

// may are the rights in the order of the columns.
func (r right) may() [5]string { return [5]string{r.api, r.worker, r.signer, r.scheduler, r.operator} }
