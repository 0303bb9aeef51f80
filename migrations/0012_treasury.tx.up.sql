-- The treasury: what our own addresses move to each other. Both ends of a move are ours, so the ledger books its cost alone.

-- When the money of a token on a network is moved. A token without a row is only shown.
create table treasury_rules (
  network text not null,
  token text not null,
  sweep_min numeric not null check (sweep_min > 0 and sweep_min < 'Infinity'), -- a deposit address with less is left; coins of less are made one
  max_fee_percent numeric not null default 2 check (max_fee_percent > 0 and max_fee_percent <= 100), -- of what a sweep moves
  patience interval not null default '24 hours' check (patience >= '0'), -- a sweep waits so long for a cheap hour
  hot_floor numeric not null default 0 check (hot_floor >= 0 and hot_floor < 'Infinity'), -- below it sweeps do not wait
  hot_target numeric not null default 0 check (hot_target >= 0 and hot_target < 'Infinity'), -- so much is left when the rest is moved to the cold address
  hot_ceiling numeric check (hot_ceiling > 0 and hot_ceiling < 'Infinity'), -- above it the rest is moved; null: nothing is
  paused boolean not null default false,
  updated_at timestamptz not null default now(),
  check (hot_ceiling is null or hot_ceiling >= hot_target and hot_target >= hot_floor),
  primary key (network, token)
);

-- The moves. What a move is signed with is in signed_transactions, whose payout_id is the id of the move.
create table treasury_moves (
  id uuid primary key,
  network text not null,
  kind text not null check (kind in ('sweep', 'topup', 'cold', 'consolidate', 'prepare', 'stake', 'unstake', 'withdraw', 'delegate', 'undelegate')),
  token text not null,
  from_address text not null, to_address text not null,       -- in the spelling of transfers
  index bigint,                                               -- of the deposit address: the sender of a sweep or a prepare, the recipient of a topup or of a loan (delegate)
  amount numeric not null check (amount >= 0 and amount < 'Infinity' and (amount > 0 or kind = 'prepare')), -- a sweep of the native coin pays its fee out of it; so does a consolidation, and once it is signed it is what its coins are
  max_fee numeric,                                            -- the most that it may cost, in the native coin; null: anything
  after uuid,                                                 -- of a topup or a delegate: the sweep that it is for
  status text not null check (status in ('planned', 'signed', 'sent', 'done', 'failed', 'cancelled')),
  cancelling boolean not null default false,                  -- a person stops it: its slot is taken without moving anything
  reason text,                                                -- why it waits, has failed, or was cancelled
  txid text,
  moved numeric,                                              -- by the transaction
  cost numeric,                                               -- of all of its final transactions, in the native coin
  by text not null,                                           -- an operator, or 'rules'
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((kind in ('cold', 'consolidate', 'stake', 'unstake', 'withdraw')) = (index is null))
);
-- One move at a time leaves a deposit address; of a token, one at a time goes from the hot wallet to an address.
create unique index treasury_moves_of_deposit on treasury_moves (network, from_address) where status in ('planned', 'signed', 'sent') and kind in ('sweep', 'prepare');
create unique index treasury_moves_of_hot on treasury_moves (network, to_address, token) where status in ('planned', 'signed', 'sent') and kind not in ('sweep', 'prepare');
create index treasury_moves_from on treasury_moves (network, from_address);
create index treasury_moves_to on treasury_moves (network, to_address);
create index treasury_moves_lately on treasury_moves (network, updated_at);
create index treasury_moves_topups on treasury_moves (network, to_address) where kind = 'topup';
create index treasury_moves_open on treasury_moves (network, created_at) where status in ('planned', 'signed', 'sent');

-- Addresses of the operator beside the hot wallet. What they hold counts as ours from the block on that was followed last.
create table cold_addresses (
  network text not null,
  address text not null,                                      -- in the spelling of transfers
  height bigint,                                              -- what it held at this block was booked as the operator's money; null: a reorganisation has undone that
  confirmed_by text,                                          -- who has seen the first amount arrive on the device; null: nobody yet
  confirmed_at timestamptz,
  added_at timestamptz not null default now(),
  primary key (network, address)
);

-- Transactions that moved money between addresses of ours and that our books have not signed: an operator's own tool did. The cost
-- is booked when the block is final, if an address of ours has paid it.
create table moves_by_hand (
  network text not null,
  txid text not null,
  height bigint,                                              -- of its block; null while a reorganisation has it in none
  senders text[] not null,                                    -- addresses of ours, in the spelling of transfers
  recipients text[] not null,                                 -- deposit addresses
  cost numeric,                                               -- null until it is known; zero where others have paid it, or the network does not say who
  seen_at timestamptz not null default now(),
  primary key (network, txid)
);
create index moves_by_hand_open on moves_by_hand (network, height) where cost is null;
create index moves_by_hand_lately on moves_by_hand (network, seen_at);
create index moves_by_hand_to_deposits on moves_by_hand (network) where recipients <> '{}';

-- What a move has cost at each look, in the native coin: by it an hour is cheap.
create table move_costs (
  network text not null,
  at timestamptz not null default now(),
  cost numeric not null check (cost >= 0),
  coin numeric check (coin >= 0),                             -- of one more coin in a transaction; null where no coins are spent whole
  primary key (network, at)
);

-- coin_moved answers by how much moves that have ended changed the coin of a deposit address: top-ups, less sweeps and their costs.
create function coin_moved(net text, place text, coin text) returns numeric language sql stable as $$
  select coalesce((select sum(moved) from treasury_moves where network = net and to_address = place and token = coin and kind = 'topup'), 0)
    - coalesce((select sum(cost) from treasury_moves where network = net and from_address = place and kind in ('sweep', 'prepare')), 0)
    - coalesce((select sum(moved) from treasury_moves where network = net and from_address = place and token = coin and kind = 'sweep'), 0);
$$;
