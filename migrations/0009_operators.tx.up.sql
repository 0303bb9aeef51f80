-- Who may use the console, what it plots, and what waits for a person (operator §Console).

create table operators (
  id uuid primary key,
  name text not null unique,
  role text not null check (role in ('viewer', 'operator', 'admin')),
  password text not null,                             -- argon2id, with its costs and salt
  totp bytea,                                         -- sealed; null = a password is enough
  totp_offered bytea,                                 -- sealed; becomes totp with the first code that fits
  totp_step bigint not null default 0,                -- of the newest code that was used: each is good once
  disabled_at timestamptz,
  created_at timestamptz not null default now()
);

create table operator_sessions (
  hash bytea primary key,                             -- SHA-256 of the cookie
  operator_id uuid not null references operators,
  passed boolean not null,                            -- false: the password was right, the code is still to come
  address text not null,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);
create index on operator_sessions (operator_id);

-- Logins that failed, and those that are being tried: each is noted first, so that many at once count as many.
create table operator_tries (
  try uuid not null,
  subject text not null,                              -- name:… or ip:…
  at timestamptz not null default now()
);
create index on operator_tries (subject, at);
create index on operator_tries (try);

-- How everything ran, minute by minute, for a week.
create table samples (
  at timestamptz not null,
  name text not null,                                 -- lag, due, waits or volume
  label text not null,                                -- the network, the kind of job, payins or payouts; '' = of all
  value bigint not null,
  primary key (at, name, label)
);

-- A payout above one of its merchant's limits is signed only when an operator has approved it. A limit holds for every
-- payout of which nothing was signed when it is set.

create table payout_limits (
  merchant_id uuid not null references merchants,
  unit text not null,                                 -- the ledger's asset, or a fiat
  above numeric(38,8) not null check (above >= 0),
  primary key (merchant_id, unit)
);

create table payout_approvals (
  payout_id uuid primary key references payouts,
  why text not null,
  asked_at timestamptz not null default now(),
  decision text check (decision in ('approved', 'declined')),  -- null = it waits
  decided_by text,
  decided_at timestamptz,
  check ((decision is null) = (decided_at is null))
);
create index payout_approvals_open on payout_approvals (asked_at) where decision is null;

-- in_use says whether a price may be used: what lasts, or is not older than pricing.MaxAge, nor of the future by more than clocks differ.
create function in_use(p prices) returns boolean language sql stable as $$
  select p.pinned or p.source = 'fixed' or p.updated_at between now() - interval '10 minutes' and now() + interval '1 minute';
$$;

-- payout_over_limit says which limit a payout is above, or null. What a payout is worth in a fiat is said by its own quote,
-- else by the prices in use; one that nobody can price is above every limit in a fiat.
create function payout_over_limit(p payouts) returns text language sql stable as $$
  select 'above the limit of ' || trim_scale(l.above) || ' ' || l.unit
  from payout_limits l
  left join prices own on own.base = p.token and own.quote = l.unit and in_use(own)
  left join prices dollars on dollars.base = p.token and dollars.quote = 'USD' and in_use(dollars)
  left join prices dollar on dollar.base = 'USD' and dollar.quote = l.unit and in_use(dollar)
  where l.merchant_id = p.merchant_id and case
    when l.unit = p.asset then p.amount > l.above
    when not exists (select from fiats f where f.code = l.unit) then false
    else coalesce(case when p.fiat_currency = l.unit then p.fiat_amount end, p.amount * own.price,
                  p.amount * dollars.price * dollar.price, 'Infinity') > l.above
  end
  order by l.unit limit 1;
$$;
