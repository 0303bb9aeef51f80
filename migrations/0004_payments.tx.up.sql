-- Money that comes and goes: what is due, payouts, payins, what is seen on the chains, and the webhooks that tell of it.

-- Work: what is due. The row is the job; Asynq only carries it (docs/architecture.md).

create table jobs (
  kind text not null,
  ref uuid not null,
  run_at timestamptz not null,
  attempt int not null default 0,                     -- the fencing token: every start and every end of an attempt raises it
  failures int not null default 0,                    -- in a row; the delay grows with them
  last_error text,
  primary key (kind, ref)
) with (fillfactor = 70);
create index on jobs (run_at);
create index jobs_failing on jobs (ref) where kind = 'payout.broadcast' and failures > 0; -- for who looks why payouts are not paid

-- start_jobs starts jobs of one kind, and answers those that are still their attempt's. It locks them in one order, so that
-- groups of several processes never wait for each other in a circle; what ends jobs locks them in the same words, since to ask
-- another function for it costs each of them time. All of it is written for one index
-- (docs/decisions/0023-statements-that-one-index-answers.md).
create function start_jobs(of_kind text, refs uuid[], job_attempts int[], visible interval) returns table (ref uuid, attempt int)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  mine tid[] := array(select j.ctid from (select distinct * from unnest(refs, job_attempts) as a(ref, attempt) order by 1, 2) a,
    lateral (select j.ctid from jobs j where j.attempt = a.attempt and j.kind = of_kind and j.ref = a.ref for update) j);
begin
  return query update jobs j set run_at = now() + visible where j.ctid = any(mine) returning j.ref, j.attempt;
end $$;

-- Payouts.

-- What the wire calls the status of a payout (addendum §7). payouts.wire_status says the same in words of its own: PostgreSQL
-- would parse the function again for each statement that writes payouts.
create function public_status(status text) returns text language sql immutable parallel safe as $$
  select case when status in ('queued', 'signed', 'sent') then 'pending' else status end;
$$;

-- Indexes have the status as the wire names it: while that stays, and its page has room, a move writes no index
-- (docs/performance.md).
create table payouts (
  id uuid primary key,
  merchant_id uuid not null,                                -- no foreign key, which would lock the merchant: the locked balance has one
  key_id text not null,                                       -- of an API key, or panel: and a person
  reference_id text not null,
  wallet text not null,
  memo text,
  token text not null,
  asset text not null,
  network text not null,
  process_by text not null check (process_by in ('crypto_amount', 'fiat_amount')),
  amount numeric(38,8) not null check (amount > 0),        -- what the recipient gets
  debit numeric(38,8) not null check (debit = amount + rate_fee + case when pays_network_fee then network_fee else 0 end),
  rate_fee numeric(38,8) not null check (rate_fee >= 0),
  network_fee numeric(38,8) not null check (network_fee >= 0),
  pays_network_fee boolean not null,
  fee_from_amount boolean not null,
  percent_rate numeric(9,6) not null,
  fiat_currency text not null,
  fiat_amount numeric(48,8),
  price numeric(48,18),                                     -- the quote used, fiat for one token
  customer_info text,
  webhook_url text not null,
  seal bytea not null default '',                           -- of what is asked for, by SEAL_KEY (docs/decisions/0029-payouts-are-sealed.md)
  status text not null check (status in ('queued', 'signed', 'sent', 'completed', 'failed', 'refunded')),
  wire_status text not null generated always as (case when status in ('queued', 'signed', 'sent') then 'pending' else status end) stored,
  cancelling boolean not null default false,                -- the operator asked to stop it, if that can still be proven
  reason text,
  txid text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (merchant_id, reference_id)
) with (fillfactor = 75);
create index on payouts (merchant_id, created_at desc, id desc);
create index payouts_of_customer on payouts (customer_info, id) where customer_info is not null; -- most name none, and write nothing here
create index payouts_open on payouts (network, asset) where wire_status = 'pending';

create table daily_spend (
  key_id text not null, day date not null, usd numeric(38,8) not null,
  primary key (key_id, day)
);

create table signing_nonces (
  network text not null, address text not null, next bigint not null,
  unsent_from bigint not null default 0,                    -- what pays and is signed, not sent, has this nonce or a later one
  primary key (network, address)
);

-- books_run names the present run of the server with these books. Books that are restored or taken over by another server have another
-- name: the server was started anew, the database is another, or its tables were made anew.
create function books_run() returns text language sql stable as $$
  select extract(epoch from pg_postmaster_start_time()) || ' ' || d.oid || ' ' || pg_relation_filenode('signing_nonces')
  from pg_database d where d.datname = current_database();
$$;

-- Every transaction ever signed for a payout, or for a move of the treasury, with the bytes that were sent. All of one payout share a slot
-- (docs/decisions/0037-slots.md), and its number is their nonce. A transaction for several payouts has a row for each. These rows
-- share their state; the bytes and the fee are in the first.
create table signed_transactions (
  network text not null,
  txid text not null,
  payout_id uuid not null,                                  -- of the payout or move; who signs has read it, and none is ever deleted: a foreign key would lock it again
  purpose text not null check (purpose in ('pay', 'cancel', 'sweep', 'topup', 'cold', 'consolidate', 'prepare', 'void', 'stake', 'unstake', 'withdraw', 'delegate', 'undelegate')),
  address text not null,
  nonce bigint not null,
  raw bytea,
  fee numeric not null default 0,                           -- most it can cost, in the native coin
  state text not null check (state in ('signed', 'sent', 'rejected', 'mined', 'final', 'reverted', 'replaced', 'expired')),
  open boolean not null generated always as (state in ('signed', 'sent', 'mined')) stored, -- indexed in place of the state
  place smallint not null default 0,                        -- of its payout in the transaction
  height bigint,                                            -- of the block it is in; of an expired one, up to where no block has it
  until bigint,                                             -- the last time it can be in a block, by the network's clock; null: any
  block uuid,                                               -- of that block's hash, version 5, while it is mined
  taken_by text,                                            -- txid of a transaction unknown to our books that took its nonce; stays when undone
  taken_height bigint,                                      -- of the block which that one is in
  signed_at timestamptz not null default now(),
  sent_at timestamptz,
  primary key (network, txid, place),
  check ((place = 0) = (raw is not null))
) with (fillfactor = 75);
create index on signed_transactions (payout_id) with (fillfactor = 70);
create index signed_open on signed_transactions (network, address, nonce) where open;
create index signed_dead on signed_transactions (network) where state = 'expired';

-- The coins of hot wallets and of deposit addresses, on networks where a coin is spent whole. A coin is leased to a slot in the transaction that signs with it.
-- It is free again when a transaction of the slot is final and has not spent it, and never because time has passed.
create table coins (
  network text not null,
  id text not null,                                         -- txid:place
  address text not null,                                    -- the hot wallet, which may spend it
  deposit text,                                             -- the deposit address at which it lies, in the spelling of transfers,
  position bigint,                                          -- and the index of its key; null for the hot wallet's own place
  token text not null,
  amount numeric not null,
  mixed boolean not null default false,                     -- tokens of others lie in it too: it is never spent
  apart boolean not null default false,                     -- it lies at another form of the address, with somebody's part for stake
  own boolean not null,                                     -- change of ours: it may be spent before its block is final (free_coins)
  height bigint,                                            -- of its block; null while it is in none
  slot bigint,                                              -- it is leased to,
  place int,                                                -- and in which place: the first coin is in every transaction of the slot
  spent_by text,                                            -- txid of the transaction in a block that spends it
  spent_height bigint,
  moved_at timestamptz not null default now(),              -- found, spent, or undone last
  check ((spent_by is null) = (spent_height is null)),
  check ((deposit is null) = (position is null)),
  primary key (network, id)
);
create index coins_free on coins (network, address, amount) where slot is null and spent_by is null and deposit is null and not mixed;
create index coins_free_deposits on coins (network, address, amount) where slot is null and spent_by is null and deposit is not null and not mixed;
create index coins_moved on coins (network, moved_at) where deposit is not null;
create index coins_unspent on coins (network, address) where spent_by is null;
create index coins_leased on coins (network, address, slot) where slot is not null;
create index coins_found on coins (network, height);
create index coins_apart on coins (network) where apart;
create index coins_spent on coins (network, spent_height) where spent_by is not null;

-- Transactions of a hot wallet unknown to our books, on networks whose chain keeps no count of a wallet's transactions. The wallet signs
-- nothing until a person has resumed it.
create table foreign_spends (
  network text not null,
  txid text not null,
  address text not null,                                    -- the hot wallet
  height bigint,                                            -- of its block; null while it is in none any more
  seen_at timestamptz not null default now(),
  resumed_at timestamptz,
  primary key (network, txid)
);
create index foreign_spends_open on foreign_spends (network, address) where resumed_at is null;

-- Final transactions against how their payouts had ended before a reorganisation: of a completed one, what pays nobody; of a
-- refunded one, what has paid it. And final payments of open payouts that did not move what they asked for. For a person.
create table contrary_transactions (
  network text not null,
  txid text not null,
  payout_id uuid not null,
  arrived numeric,                                          -- of an open payout: at the recipient
  spent numeric,                                            -- of an open payout: by the hot wallet
  seen_at timestamptz not null default now(),
  check ((arrived is null) = (spent is null)),
  primary key (network, txid, payout_id)
);

-- Addresses, payins, transfers.

create sequence address_index maxvalue 2147483647;              -- 0 is the address that payins with a memo share

-- match is the spelling under which transfers to the address are found.
create table addresses (
  id bigint generated always as identity primary key,
  family text not null,
  match text not null,
  address text not null,
  memo text not null default '',
  position bigint not null,                                 -- derivation index
  payin_id uuid,
  wallet_id uuid,
  unique (family, match, memo, id)
);
create index on addresses (payin_id) where payin_id is not null;
create index on addresses (wallet_id) where wallet_id is not null;
create index addresses_of_payins on addresses (family, payin_id) where payin_id is not null; -- where nodes are asked for addresses
create index addresses_of_wallets on addresses (family, wallet_id) where wallet_id is not null;

create table wallets (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  family text not null,
  customer_info text not null,
  wallet text not null,
  memo text not null default '',
  origin text not null default 'external_api',
  status text not null check (status in ('STATUS_ASSIGNED', 'STATUS_REVOKED')),
  last_transaction_at timestamptz,
  revoke_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index wallets_one_per_customer on wallets (merchant_id, family, customer_info, origin) where status = 'STATUS_ASSIGNED';
create index on wallets (merchant_id, created_at desc, id desc);
create index wallets_of_customer on wallets (customer_info, id);

create table payins (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  key_id text not null default '',
  reference_id text not null,
  wallet text not null,
  memo text,
  token text not null,
  asset text not null,
  network text not null,
  process_by text not null check (process_by in ('crypto_amount', 'fiat_amount')),
  amount numeric(38,8) not null check (amount > 0),
  fiat_currency text not null,
  fiat_amount numeric(48,8),
  price numeric(48,18),
  percent_rate numeric(9,6) not null,
  pays_network_fee boolean not null,
  network_fee numeric(38,8) not null,                       -- taken from each credit of what it asks for
  check (pays_network_fee or network_fee = 0),
  minimum_payment numeric(9,4) not null,
  credit_after int not null default 0,                      -- as of transfers, on its network
  customer_info text,
  webhook_url text not null,
  return_url text not null default '',                      -- of the shop, for its payer; empty for none
  wallet_id uuid references wallets,                        -- set when a fixed wallet received it
  status text not null check (status in ('pending', 'completed', 'failed', 'reversed')),
  received numeric(38,8) not null default 0,                -- credited, in the payin's token
  reversed_at timestamptz,
  reversal jsonb,                                           -- balance key -> amount removed
  undone boolean not null default false,                    -- a reorganisation has taken from it, now or earlier
  given_back boolean not null default false,                -- something of it was refunded before it was completed: it is completed no more
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  expires_at timestamptz not null,
  unique (merchant_id, reference_id)
);
create index on payins (merchant_id, created_at desc, id desc);
create index payins_of_customer on payins (customer_info, id) where customer_info is not null;
create index payins_of_wallet on payins (wallet_id) where wallet_id is not null;
create index payins_due on payins (expires_at) where status = 'pending';
-- A memo tells payins of one shared address apart: two open payins, of any merchants, cannot have the same (addendum §8). One that
-- is open again after a reorganisation may find that its memo was given to another since: that must not stop the follower.
create unique index payins_open_memo on payins (wallet, memo) where memo is not null and status = 'pending' and not undone;
create index payins_memo on payins (wallet, memo) where memo is not null;

-- Links for any number of payers: each who chooses makes a payment request of their own (api-v1 §Payment links).
create table payment_links (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  key_id text not null,
  slug text not null unique,                                -- the end of its address
  label text not null,                                      -- for the payer
  description text not null default '',
  offers jsonb not null default '[]',                       -- of tokens and networks; empty for all
  amount numeric(38,8) check (amount > 0),                  -- null where the payer says it, within the bounds
  least numeric(38,8) check (least > 0),
  most numeric(38,8) check (most >= coalesce(least, 0)),
  check (amount is null or least is null and most is null),
  currency text not null,                                   -- a fiat currency, or the symbol of a token
  is_fiat boolean not null,
  webhook_url text not null,
  return_url text not null default '',
  cancel_url text not null default '',
  colour text not null default '',                          -- of its pages, rrggbb; empty for the merchant's
  support text not null default '',                         -- where a payer asks; empty for the merchant's
  created_at timestamptz not null default now(),
  ended_at timestamptz                                      -- by its merchant; null while it works
);
create index on payment_links (merchant_id, id desc);

-- Amounts asked for, whose payers choose the token and the network. Each choice is a payin (api-v1 §Payment requests).
create table payment_requests (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  key_id text not null,
  link_id uuid references payment_links,                    -- that it was made by; null for none
  reference_id text not null,
  amount numeric(38,8) not null check (amount > 0),
  currency text not null,                                   -- a fiat currency, or the symbol of a token
  is_fiat boolean not null,
  label text not null default '',                           -- shown to the payer in place of the reference; empty for the reference
  description text not null default '',
  items jsonb not null default '[]',                        -- what is paid for
  offers jsonb not null default '[]',                       -- of tokens and networks; empty for all
  customer_info text,
  email text not null default '',                           -- of the customer; empty for none
  webhook_url text not null,
  return_url text not null default '',
  cancel_url text not null default '',
  colour text not null default '',                          -- of its pages, rrggbb; empty for the merchant's
  support text not null default '',                         -- where a payer asks; empty for the merchant's
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  unique (merchant_id, reference_id)
);
create index on payment_requests (merchant_id, id desc);
create index on payment_requests (link_id, created_at) where link_id is not null;
create table payment_choices (
  request_id uuid not null references payment_requests,
  payin_id uuid not null unique references payins,
  lang text not null default '',                            -- of the page of the choice; empty for a choice without one
  primary key (request_id, payin_id)
);

-- What is given back of payins (api-v1 §Refunds). Each is paid by a payout. One without a payout is a promise: its link lets the payer say
-- where to. What is refunded of a payin is written with the payin's row locked (docs/decisions/0072-refunds-of-payins.md).
create table refunds (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  payin_id uuid not null references payins,
  key_id text not null,                                     -- as of payouts
  reference_id text not null,
  network text not null,
  token text not null,
  amount numeric(38,8) not null check (amount > 0),         -- of what came
  fee_from_amount boolean not null,
  description text not null default '',
  webhook_url text not null,
  payout_id uuid unique,                                    -- null until the payer has said where to; of a payout of the same transaction
  created_at timestamptz not null default now(),
  expires_at timestamptz,                                   -- of the link; null for a refund without one
  revoked_at timestamptz,
  unique (merchant_id, reference_id),
  check (payout_id is not null or expires_at is not null),
  check (payout_id is null or revoked_at is null)
);
create index on refunds (payin_id);

-- refunded sums what of a payin was refunded in a token: by open links, and by payouts whose debit has not come back. A payout whose debit
-- came back counts all the same if its transaction has paid after that.
create function refunded(of_payin uuid, of_network text, of_token text) returns numeric language sql stable as $$
  select coalesce(sum(r.amount), 0) from refunds r left join payouts p on p.id = r.payout_id
  where r.payin_id = of_payin and r.network = of_network and r.token = of_token and case
    when r.payout_id is null then r.revoked_at is null and r.expires_at > now()
    else p.status is distinct from 'refunded' or exists (select from contrary_transactions c where c.payout_id = r.payout_id) end;
$$;

-- Movements seen on a chain to addresses of ours. position counts the transfers of one token within the transaction. A transaction
-- that a reorganisation mines again may do something else there (a contract pays another amount, or somebody else): what it does
-- now is another transfer, and the one before stays dropped.
create table transfers (
  id uuid primary key,
  network text not null,
  txid text not null,
  token text not null,
  position int not null,
  sender text not null default '',
  address text not null,
  memo text not null default '',
  amount numeric not null check (amount > 0),
  payin_id uuid references payins,
  status text not null check (status in ('seen', 'credited', 'final', 'dropped', 'unclaimed', 'ignored', 'treasury')),
  open boolean not null generated always as (status in ('seen', 'credited')) stored, -- indexed in place of the status, as these are:
  unclaimed boolean not null generated always as (status = 'unclaimed') stored,
  unpriced boolean not null generated always as (counted = 0 and status in ('credited', 'final')) stored,
  height bigint,                                            -- null in the mempool
  credit_after int not null default 0,                      -- confirmations; 0 = by the network's rule, -1 = at a safe block, -2 = at a finalized one
  credits int not null default 0,                           -- how often it was credited: reorganisations may undo and repeat it
  credited numeric(38,8) not null default 0,                -- T of addendum §6, at ledger precision; stays, as the rest, when it is undone
  rate_fee numeric(38,8) not null default 0,
  network_fee numeric(38,8) not null default 0,
  counted numeric(38,8) not null default 0,                 -- towards the payin, in the payin's token
  mined_at timestamptz,                                     -- of its first block, as that says itself; null in the mempool
  worth numeric,                                            -- of what came late: counted, in the payin's fiat, when it was credited
  weight numeric,                                           -- towards completing the payin; null = counted
  reason text,                                              -- why unclaimed
  seen_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
) with (fillfactor = 50);                                   -- a block's transfers are credited together
-- A memo may be longer than a key: what is cut off is told apart by its hash.
create unique index transfers_key on transfers (network, txid, token, position, address, amount,
  (left(memo, 64) || case when length(memo) > 64 then md5(memo) else '' end));
create index on transfers (payin_id) where payin_id is not null;
create index transfers_open on transfers (network, height) where open;
create index transfers_closed on transfers (network, height) where not open;
create index transfers_unclaimed on transfers (seen_at) where unclaimed;
create index transfers_unpriced on transfers (seen_at) where unpriced;

-- Native coin that reached an address of ours and is no payment, or that transactions of others took from it. It is booked in the step
-- of its block, and taken back when a reorganisation undoes that. A row stays, since its entries do.
create table asides (
  subject uuid primary key,                           -- of its entries (ledger.Aside)
  network text not null,
  txid text not null,
  address text not null,                              -- ours, in the spelling of transfers
  amount numeric not null check (amount <> 0 and amount > '-Infinity' and amount < 'Infinity'), -- below zero: it was taken
  height bigint,                                      -- of its block; null while a reorganisation has it in none
  entries int not null,                               -- how many there are
  seen_at timestamptz not null default now()
);
create index asides_height on asides (network, height);
create index asides_address on asides (network, address);
create index asides_lately on asides (network, seen_at);

create table chain_blocks (
  network text not null, height bigint not null, hash text not null, parent text not null,
  primary key (network, height)
);

create table followers (
  network text primary key,
  head bigint not null default 0,
  followed_from bigint,                                     -- the first block that was followed: what the hot wallet held before is booked
  chain text not null default '',                           -- which was followed, for good; empty before the first block
  rule text not null default '',                            -- by which transfers are credited and final, in words
  error text,
  halted boolean not null default false,                    -- a reorganisation deeper than the window: a person must look
  passed_until timestamptz,                                 -- what was on the network then is known; payins expire up to here
  final bigint not null default -1,                         -- followed blocks up to here can no longer vanish
  clock bigint,                                             -- of the block at final, by the network's clock
  -- Where a chain keeps no count of a wallet's transactions, nothing is signed in another run of the books than this, before the clock
  -- (or the final height, where coins exclude) is above clear_after. What an earlier state of the books has signed is known then, or dead.
  run text not null default books_run(),
  clear_after bigint,
  wallet text not null default '',                          -- the hot wallet whose transactions the blocks were looked through for,
  wallet_since timestamptz not null default now(),             -- since then
  updated_at timestamptz not null default now()
);

-- Webhooks.

create table deliveries (
  id uuid primary key with (fillfactor = 70),
  seq bigint generated always as identity,
  merchant_id uuid not null references merchants,
  subject uuid not null,                                    -- payin or payout; its deliveries go out in order
  event text not null,
  url text not null,
  body bytea not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'exhausted')),
  attempts int not null default 0,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  taken_ms int,                                             -- how long the try took that delivered it,
  taken_status smallint,                                    -- and its HTTP status
  redelivery_of uuid references deliveries                  -- the one that an operator sent once more
);
create index on deliveries (subject, seq) with (fillfactor = 70);
-- The metrics ask how many deliveries wait and since when; the table keeps all that ever went out.
create index deliveries_pending on deliveries (created_at) where status = 'pending';

-- Tries that failed. Most deliveries are taken at the first: that try is in their own row.
create table failed_attempts (
  delivery_id uuid not null,                                -- only its own end writes here: a foreign key would look each up again
  attempt int not null,
  at timestamptz not null default now(),
  status int not null,                                      -- HTTP status; 0 when there was no answer
  error text not null default '',
  duration_ms int not null,
  answer_head text not null default '',                     -- the headers of the answer and the beginning of its body, as text
  answer_body text not null default '',
  primary key (delivery_id, attempt)
);

create view delivery_attempts as
  select delivery_id, attempt, at, status, error, duration_ms, answer_head, answer_body from failed_attempts
  union all
  select id, attempts, finished_at, taken_status, '', taken_ms, '', '' from deliveries where taken_status is not null;

-- start_deliveries and end_deliveries do for a group of deliveries what a worker does before and after it sends.

-- start_deliveries starts the jobs that are still their attempt's, and answers what is to be sent for them.
create function start_deliveries(refs uuid[], job_attempts int[], visible interval)
returns table (ref uuid, job_attempt int, merchant uuid, about uuid, number bigint, target text, content bytea, state text, attempts int,
               secret bytea, old_secret bytea, waits boolean)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query
  select s.ref, s.attempt, d.merchant_id, d.subject, d.seq, d.url, d.body, d.status, d.attempts, m.webhook_secret, m.webhook_secret_old,
    exists (select from deliveries e where e.subject = d.subject and e.seq + 0 < d.seq and e.status || '' = 'pending')
  from start_jobs('webhook.deliver', refs, job_attempts, visible) s join deliveries d on d.id = s.ref join merchants m on m.id = d.merchant_id;
end $$;

-- end_deliveries keeps the last tries, removes the jobs and wakes the next delivery of each subject; or it changes nothing
-- and answers false, when a job is no longer its attempt's. Tries are numbered for each delivery, job_attempts for each job.
create function end_deliveries(refs uuid[], job_attempts int[], tries int[], outcomes text[], codes int[], errors text[], took int[],
  heads text[], bodies text[])
returns boolean
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  mine tid[] := array(select j.ctid from (select distinct * from unnest(refs, job_attempts) as a(ref, attempt) order by 1, 2) a,
    lateral (select j.ctid from jobs j where j.attempt = a.attempt and j.kind = 'webhook.deliver' and j.ref = a.ref for update) j);
begin
  if cardinality(mine) <> cardinality(refs) then return false; end if;

  delete from jobs j where j.ctid = any(mine);
  insert into failed_attempts (delivery_id, attempt, status, error, duration_ms, answer_head, answer_body)
    select e.ref, e.attempt, e.code, e.error, e.took, e.head, e.body from unnest(refs, tries, outcomes, codes, errors, took, heads, bodies)
      as e(ref, attempt, outcome, code, error, took, head, body) where e.outcome <> 'delivered' on conflict do nothing;
  update deliveries d set attempts = greatest(d.attempts, e.attempt), status = e.outcome, finished_at = now(),
      taken_status = case e.outcome when 'delivered' then e.code end, taken_ms = case e.outcome when 'delivered' then e.took end
    from unnest(refs, tries, outcomes, codes, took) as e(ref, attempt, outcome, code, took) where d.id = e.ref;
  insert into jobs (kind, ref, run_at)
    select distinct 'webhook.deliver', n.id, now() from unnest(refs) as e(ref) join deliveries d on d.id = e.ref, lateral (
      select n.id from deliveries n where n.subject = d.subject and n.seq + 0 > d.seq and n.status || '' = 'pending' order by n.seq limit 1) n
    order by 2
    on conflict (kind, ref) do update set run_at = least(jobs.run_at, excluded.run_at);
  return true;
end $$;
