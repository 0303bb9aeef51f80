drop function if exists start_follows, advance_follows, told_of, save_payins, lock_payins, credit_transfers, save_transfers, transfers_of,
  mempool_transfers, due_transfers, transfers_by_txid, addresses_at;
