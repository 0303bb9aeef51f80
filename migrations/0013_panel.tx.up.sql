-- The people of merchants: who may use the panel, for which merchants, and their logins (docs/spec/panel.md). They share nothing with
-- the operators of the console.

create table people (
  id uuid primary key,
  email text not null unique,                         -- in lower case
  name text not null,
  password text not null,                             -- argon2id, with its costs and salt
  totp bytea,                                         -- sealed; null = a password is enough to look
  totp_offered bytea,                                 -- sealed; becomes totp with the first code that fits
  coded_at timestamptz,                               -- when totp was taken into use: it moves money a day later
  passkeys int not null default 0 check (passkeys >= 0), -- how many they have of person_passkeys
  totp_step bigint not null default 0,                -- of the newest code that was used: each is good once
  wrong_codes int not null default 0,                 -- in a row, since the last one that was right
  locked_at timestamptz,                              -- after too many of them: nobody logs in until an operator unlocks it
  quiet text[] not null default '{}',                 -- the topics of messages that they do not want to be told of
  created_at timestamptz not null default now()
);

create table members (
  merchant_id uuid not null references merchants,
  person_id uuid not null references people,
  role text not null check (role in ('owner', 'finance', 'developer', 'viewer')),
  created_at timestamptz not null default now(),
  trusted_at timestamptz,                             -- when somebody confirmed the person's code: it moves money at once
  primary key (merchant_id, person_id)
);
create index on members (person_id);

-- A link that is good once, for three days: whoever has it becomes a person of the merchant under this e-mail address.
create table invitations (
  id uuid primary key,
  hash bytea not null unique,                         -- SHA-256 of what the link shows
  merchant_id uuid not null references merchants,
  email text not null,
  role text not null check (role in ('owner', 'finance', 'developer', 'viewer')),
  invited_by text not null,
  made_at timestamptz not null default now(),
  ended_at timestamptz                                -- when it was accepted or revoked
);
create index on invitations (merchant_id, made_at) where ended_at is null;

-- A link that is good once, for a day: its person sets a new password by it, and logs in without a code.
create table person_resets (
  hash bytea primary key,                             -- SHA-256 of what the link shows
  person_id uuid not null references people,
  merchant_id uuid references merchants,              -- of the owner who made it; null: the operator did
  made_by text not null,
  made_at timestamptz not null default now(),
  ended_at timestamptz                                -- when it was used, or was good no more
);
create index on person_resets (person_id) where ended_at is null;

-- The public keys of passkeys, by which their authenticators' signatures are checked.
create table person_passkeys (
  id uuid primary key,
  person_id uuid not null references people,
  credential bytea not null unique,                   -- as the authenticator names it
  public_key bytea not null,                          -- COSE
  counter bigint not null,                            -- of the newest signature: one that is not higher is a copy's; 0 = none is counted
  synced boolean not null,                            -- it may be on several devices
  name text not null,
  added_at timestamptz not null default now(),        -- it moves money a day later
  used_at timestamptz
);
create index on person_passkeys (person_id);

-- What an authenticator is to sign. A challenge is good once, for five minutes, and for the browser that has asked for it.
create table passkey_challenges (
  id uuid primary key,
  holder bytea not null,                              -- SHA-256 of the browser's cookie
  purpose text not null check (purpose in ('login', 'proof', 'new')),
  content text not null,
  made_at timestamptz not null default now()
);
create index on passkey_challenges (made_at);

create table person_sessions (
  hash bytea primary key,                             -- SHA-256 of the cookie
  id uuid not null unique,                            -- as the person's own list names it
  person_id uuid not null references people,
  merchant_id uuid references merchants,              -- the one that is looked at
  passed boolean not null,                            -- false: the password was right, the code is still to come
  passkey_id uuid references person_passkeys,         -- the passkey of the login; null: it was by password
  proved_at timestamptz not null default now(),       -- when the password or a code was given last
  address text not null,
  agent text not null,                                -- as the browser names itself
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);
create index on person_sessions (person_id);
create index on person_sessions (passkey_id);

-- Logins that failed, and those that are being tried, as operator_tries has them.
create table person_tries (
  try uuid not null,
  subject text not null,                              -- name:… or ip:…
  at timestamptz not null default now()
);
create index on person_tries (subject, at);
create index on person_tries (try);

-- The address book of a merchant's people. An address is never changed: another one is added, and waits for a day.
create table panel_book (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  network text not null,
  address text not null,
  memo text not null,                                 -- empty = none
  name text not null,
  added_by text not null,
  added_at timestamptz not null default now(),
  ended_at timestamptz                                -- when it was taken out
);
create unique index panel_book_once on panel_book (merchant_id, network, address, memo) where ended_at is null;

create table panel_rules (
  merchant_id uuid primary key references merchants,
  book_only boolean not null,                         -- withdrawals go to the addresses of the book only
  loosened_at timestamptz                             -- when the rule was taken off: it holds for a day more
);

-- Above what worth a second person confirms withdrawals of a merchant's panel. A rule that was replaced or lifted holds for a day more.
create table panel_second_rules (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  above numeric(38,8) not null check (above >= 0),
  fiat text not null,
  set_at timestamptz not null default now(),
  ended_at timestamptz
);
create unique index panel_second_rules_once on panel_second_rules (merchant_id) where ended_at is null;
create index on panel_second_rules (merchant_id, ended_at);

-- Withdrawals that a second person confirms. A row is there before its payout, which may never come.
create table panel_seconds (
  payout_id uuid primary key,
  merchant_id uuid not null references merchants,
  form uuid not null,                                 -- withdrawals of one form are confirmed together
  made_by text not null,                              -- the e-mail address of the first person
  why text not null,
  seal bytea not null,                                -- of the payout: nothing else is confirmed
  asked_at timestamptz not null default now(),
  confirmed_by text,
  confirmed_at timestamptz,
  check ((confirmed_by is null) = (confirmed_at is null))
);
create index on panel_seconds (merchant_id, form);
create index panel_seconds_open on panel_seconds (merchant_id, asked_at) where confirmed_at is null;

-- The last requests of each key, which the merchant's developers see. A slot is taken again by the next request of its turn, so no key has more
-- than there are slots. Both tables are lost when the server is killed: nothing is written ahead for them.
create unlogged table request_log_heads (key_id text primary key, next bigint not null);
create unlogged table request_log (
  key_id text not null,
  slot int not null,
  at timestamptz not null,
  method text not null,
  path text not null,                                 -- of the route: it has no values
  status int not null,
  code text not null,                                 -- of the error; empty = none
  request_id text not null,
  took_ms int not null,
  address text not null,
  primary key (key_id, slot)
) with (fillfactor = 70);

-- payouts_unconfirmed answers those of payouts that wait for a second person of their merchant.
create function payouts_unconfirmed(ids uuid[]) returns setof uuid
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query select w.id from unnest(ids) as w(id),
    lateral (select s.seal, s.confirmed_at from panel_seconds s where s.payout_id = w.id limit 1) s,
    lateral (select p.seal from payouts p where p.id between w.id and w.id order by p.id limit 1) p
  where s.confirmed_at is null or p.seal is distinct from s.seal;
end $$;

-- How a merchant's payers' pages look. Empty fields show nothing.
create table merchant_looks (
  merchant_id uuid primary key references merchants,
  logo text not null default '',                      -- the hash of one of merchant_logos
  colour text not null default '',                    -- rrggbb
  support text not null default '',                   -- an e-mail address, or the address of a page
  receipts boolean not null default false             -- payers are sent receipts by e-mail
);
create table merchant_logos (
  merchant_id uuid not null references merchants,
  hash text not null,                                 -- of its content
  content bytea not null,                             -- a PNG that was drawn by us
  added_at timestamptz not null default now(),
  primary key (merchant_id, hash)
);
create index on merchant_logos (hash);

-- Origins of pages with payers' pages of a merchant in a frame.
create table merchant_sites (
  merchant_id uuid not null references merchants,
  site text not null,                                 -- as browsers write an origin
  primary key (merchant_id, site)
);

-- People make and revoke keys in the API's process, which may write none by itself: a key is only added whole, and only ended.
create function add_key(of_id text, of_merchant uuid, of_hash bytea, of_scopes text[], of_ips text[], of_signs boolean, of_secret bytea, of_limit numeric,
  of_rate int, of_window int, of_expires timestamptz) returns timestamptz language sql security definer set search_path = public, pg_temp as $$
  insert into keys (id, merchant_id, hash, scopes, ips, signs, signing_secret, daily_limit_usd, rate_limit, rate_window, expires_at)
  values (of_id, of_merchant, of_hash, of_scopes, of_ips, of_signs, of_secret, of_limit, of_rate, of_window, of_expires) returning created_at;
$$;
create function revoke_key(of_id text) returns timestamptz language sql security definer set search_path = public, pg_temp as $$
  update keys set revoked_at = coalesce(revoked_at, now()) where id = of_id returning revoked_at;
$$;

-- People stop a withdrawal of theirs while nothing is signed for it. Who signs holds the row meanwhile: either the mark or the signature
-- is first. A signer that finds the mark returns the debit.
create function cancel_withdrawal(of_merchant uuid, of_payout uuid) returns boolean language sql security definer set search_path = public, pg_temp as $$
  with stopped as (
    update payouts set cancelling = true, updated_at = now()
    where id = of_payout and merchant_id = of_merchant and key_id like 'panel:%' and status = 'queued' and not cancelling returning 1)
  select exists (select from stopped);
$$;

-- What people of merchants did, as their merchant lists it, and from where they were let in.
create index audit_of_people on audit ((after->>'merchant_id'), id) where actor like 'person:%';
create index audit_of_merchant on audit (subject, id) where actor like 'person:%';
create index audit_of_operators on audit (subject, id) where action in ('merchant.look', 'refund.link', 'refund.revoke'); -- read by merchants
create index audit_person_login on audit (subject, (after->>'from'), at) where action = 'person.login';
