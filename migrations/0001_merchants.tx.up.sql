-- Who: merchants, their keys and what is remembered of their requests.

create table merchants (
  id uuid primary key,
  name text not null,
  email text not null default '',
  verified boolean not null default true,
  suspended boolean not null default false,
  suspension_changed_at timestamptz,                  -- when it was last suspended or let go on; null = never
  api_access boolean not null default true,
  preferred_fiat text not null default '',
  minimum_payment numeric(9,4),                       -- percent; null = 100
  inactivity_days int not null default 180,
  revoke_notice_days int not null default 30,
  payment_rate numeric(9,6) not null default 0,       -- percent
  receipt_rate numeric(9,6) not null default 0,
  deposit_rate numeric(9,6) not null default 0,
  withdrawal_rate numeric(9,6) not null default 0,
  user_pays_payment_network_fee boolean not null default true,
  user_pays_receipt_network_fee boolean not null default false,
  user_pays_deposit_network_fee boolean not null default false,
  user_pays_withdrawal_network_fee boolean not null default true,
  webhook_secret bytea not null,                      -- sealed
  webhook_secret_old bytea,                           -- sealed; still signs while a rotation lasts
  wallets_mode text check (wallets_mode in ('global', 'per_type')),  -- null = fixed wallets not enabled
  wallets_limit int,
  wallets_limits jsonb,                               -- family -> limit, mode per_type
  wallets_webhook_url text not null default '',
  mute_updates boolean not null default false,        -- payment_updated is not sent
  late_grace int default 86400 check (late_grace >= 0), -- seconds after a payin's expiry in which its quote holds; null = for ever
  late_bound numeric(9,4) default 5,                  -- percent that the price may have moved by then; null = any
  created_at timestamptz not null default now()
);
create index merchants_suspended on merchants (id) where suspended;

create function suspension_changed() returns trigger language plpgsql as $$
begin
  new.suspension_changed_at := now();
  return new;
end $$;

create trigger merchants_suspension before update of suspended on merchants
  for each row when (old.suspended <> new.suspended) execute function suspension_changed();

create table merchant_networks (
  merchant_id uuid not null references merchants,
  network text not null,
  payment_rate numeric(9,6), receipt_rate numeric(9,6), deposit_rate numeric(9,6), withdrawal_rate numeric(9,6),
  user_pays_payment_network_fee boolean, user_pays_receipt_network_fee boolean,
  user_pays_deposit_network_fee boolean, user_pays_withdrawal_network_fee boolean,
  primary key (merchant_id, network)
);

create table keys (
  id text primary key,
  merchant_id uuid not null references merchants,
  hash bytea not null,                                -- HMAC-SHA256 of the whole key under the pepper
  scopes text[],                                      -- null = created before scopes existed: read-only
  ips text[],                                         -- null = any
  signs boolean not null default false,
  signing_secret bytea,                               -- sealed; null with signs = secret unavailable
  daily_limit_usd numeric(38,8),
  rate_limit int, rate_window int,                    -- null = the service's default
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now()
);
create index on keys (merchant_id);

create table request_nonces (
  key_id text not null references keys,
  nonce text not null,
  seen_at timestamptz not null default now(),
  primary key (key_id, nonce)
);
create index on request_nonces (seen_at);

create table idempotency_keys (
  merchant_id uuid not null references merchants,
  key text not null,
  claim uuid not null default gen_random_uuid(),      -- whose it is to answer
  claimed_at timestamptz not null default now(),
  status int,                                         -- null while the request runs
  body bytea,
  request bytea,                                      -- SHA-256 of the body that claimed it
  primary key (merchant_id, key)
);
create index on idempotency_keys (claimed_at);
