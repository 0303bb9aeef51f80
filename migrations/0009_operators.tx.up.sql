-- Who may use the console, what it plots, and what waits for a person (operator §Console).

create table operators (
  id uuid primary key,
  name text not null unique,
  role text not null check (role in ('viewer', 'operator', 'admin')),
  password text not null,                             -- argon2id, with its costs and salt
  totp bytea,                                         -- sealed; null = a password is enough
  totp_offered bytea,                                 -- sealed; becomes totp with the first code that fits
  totp_step bigint not null default 0,                -- of the newest code that was used: each is good once
  wrong_codes int not null default 0,                 -- in a row, since the last one that was right
  locked_at timestamptz,                              -- after too many of them: nobody logs in until it is unlocked
  disabled_at timestamptz,
  mail text,                                          -- an e-mail address that was confirmed; null = messages have nowhere to go
  mail_offered text,                                  -- becomes mail with the code that was sent there
  mail_hash bytea,                                    -- SHA-256 of this code
  mail_tries int not null default 0,                  -- wrong codes
  mail_at timestamptz,                                -- when the code was sent
  quiet text[] not null default '{}',                 -- the topics of messages that they do not want to be told of
  created_at timestamptz not null default now()
);

create table operator_sessions (
  hash bytea primary key,                             -- SHA-256 of the cookie
  operator_id uuid not null references operators,
  passed boolean not null,                            -- false: the password was right, the code is still to come
  proved_at timestamptz not null default now(),       -- when the password or a code was given last
  address text not null,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);
create index on operator_sessions (operator_id);

-- The link by which the first operator is made on live books: at most one row.
create table first_operator (
  one boolean primary key default true check (one),
  hash bytea not null,                                -- SHA-256 of what the link shows
  made_at timestamptz not null default now()
);

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
  per text not null default 'payout' check (per in ('payout', 'hour', 'day')), -- of one, or of all in the last hour or day
  per_address boolean not null default false,         -- of those to one address
  above numeric(38,8) not null check (above >= 0),
  check (per <> 'payout' or not per_address),
  primary key (merchant_id, unit, per, per_address)
);

-- window_limits are the limits of an hour and of a day. A limit of one payout is one of an hour too, where no other is set in its
-- unit: else a large payout would pass in parts.
create view window_limits as
select merchant_id, unit, per, per_address, above from payout_limits where per <> 'payout'
union all
select l.merchant_id, l.unit, 'hour', false, l.above from payout_limits l where l.per = 'payout' and not exists (
  select from payout_limits h where h.merchant_id = l.merchant_id and h.unit = l.unit and h.per = 'hour' and not h.per_address);

-- What was signed for merchants with such limits without anybody's approval, by minute: of a unit in all, and to each address. No
-- more is kept than a day needs.
create table payout_windows (
  merchant_id uuid not null,
  unit text not null,
  place text not null,                                -- an address, in small letters; '' = all
  minute timestamptz not null,
  spent numeric not null,
  primary key (merchant_id, unit, place, minute)
);
create index on payout_windows (minute);
create index signed_lately on signed_transactions using brin (signed_at); -- for who sets a limit (store.RecountWindows); it costs who signs nothing

-- forget_windows deletes sums older than any limit looks back. A right to delete is one to every row, and without the new ones each limit
-- starts anew: so a worker has none, and this is done with the rights of the owner.
create function forget_windows() returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from payout_windows where minute < now() - interval '2 days';
end $$;

-- Two people approve a payout that is worth more, whatever limits its merchant has. At most one row, which only a command writes.
create table two_people (
  one boolean primary key default true check (one),
  above numeric(38,8) not null check (above >= 0)     -- USD
);

create table payout_approvals (
  payout_id uuid primary key references payouts,
  why text not null,
  held boolean not null default false,                -- above a limit of an hour or a day: time alone does not let it go on
  asked_at timestamptz not null default now(),
  decision text check (decision in ('approved', 'declined')),  -- null = it waits
  seal bytea,                                         -- that was decided on: an approval is of this seal alone
  decided_by text,
  decided_at timestamptz,
  first_by text,                                      -- the first of two people who approved this seal
  first_at timestamptz,
  check ((decision is null) = (decided_at is null)),
  check ((first_by is null) = (first_at is null))
);
create index payout_approvals_open on payout_approvals (asked_at) where decision is null;

-- in_use says whether a price may be used: what lasts, or is not older than pricing.MaxAge, nor of the future by more than clocks differ.
create function in_use(p prices) returns boolean language sql stable as $$
  select p.pinned or p.source = 'fixed' or p.updated_at between now() - interval '10 minutes' and now() + interval '1 minute';
$$;

-- payout_worth is what a payout is worth in the unit of a limit; null: the limit is about another asset. Who writes payouts writes their
-- quotes and assets too, and neither makes a payout cheap: the asset of its token counts as well, and in a fiat the prices in use. Its own
-- quote counts where it is greater. What nobody can price is worth more than every limit, whatever its quote says.
create function payout_worth(p payouts, unit text) returns numeric language sql stable as $$
  select case
    when unit in (p.asset, (select t.balance_key from tokens t where t.symbol = p.token and t.network = p.network)) then p.amount
    when not exists (select from fiats f where f.code = unit) then null
    else greatest(case when p.fiat_currency = unit then p.fiat_amount end,
                  coalesce(p.amount * own.price, p.amount * dollars.price * dollar.price, 'Infinity'))
  end
  from (select) one
  left join prices own on own.base = p.token and own.quote = unit and in_use(own)
  left join prices dollars on dollars.base = p.token and dollars.quote = 'USD' and in_use(dollars)
  left join prices dollar on dollar.base = 'USD' and dollar.quote = unit and in_use(dollar);
$$;

-- payout_over_limit says which limit of one payout a payout is above, or null.
create function payout_over_limit(p payouts) returns text language sql stable as $$
  select 'above the limit of ' || trim_scale(l.above) || ' ' || l.unit from payout_limits l
  where l.merchant_id = p.merchant_id and l.per = 'payout' and payout_worth(p, l.unit) > l.above
  order by l.unit limit 1;
$$;

-- payout_for_two says that two people approve a payout, or null: nothing demands it. What nobody can price is above the amount.
create function payout_for_two(p payouts) returns text language sql stable as $$
  select 'worth more than ' || trim_scale(t.above) || ' USD: two people approve it' from two_people t
  where coalesce(payout_worth(p, 'USD'), 'Infinity') > t.above;
$$;

-- payout_over_window says which limit of an hour or a day a payout to a place is above with those that were signed before, or null.
-- Counted: payout_windows has it already (count_payouts). A minute that is partly in the time counts as a whole.
create function payout_over_window(p payouts, place text, counted boolean) returns text language sql stable as $$
  select 'payouts ' || case when l.per_address then 'to its address ' else '' end || 'of the last ' || l.per || ' are above the limit of '
    || trim_scale(l.above) || ' ' || l.unit
  from window_limits l, lateral (select payout_worth(p, l.unit) as worth) w, lateral (
    select coalesce(sum(s.spent), 0) as spent from payout_windows s
    where s.merchant_id = l.merchant_id and s.unit = l.unit and s.place = case when l.per_address then payout_over_window.place else '' end
      and s.minute > clock_timestamp() - case l.per when 'hour' then interval '61 minutes' else interval '1441 minutes' end) s
  where l.merchant_id = p.merchant_id and (w.worth = 'Infinity' or s.spent + case when counted then 0 else w.worth end > l.above and w.worth is not null)
  order by l.unit, l.per desc, l.per_address limit 1;
$$;

-- count_payouts counts payouts to places in the windows of their merchants, without those that somebody has approved. One transaction
-- at a time does so for a merchant, so that each of its payouts is compared with all that were signed before. One without a price makes a
-- sum infinite, and who compares with it signs nothing, even if there is a price by then. A signer adds to the sums, and changes none otherwise:
-- so this has the rights of the owner.
create function count_payouts(ids uuid[], places text[]) returns void
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  if not exists (select from payout_limits) then return; end if;
  perform pg_advisory_xact_lock(m.turn) from (
    select distinct hashtextextended('payout_windows ' || p.merchant_id, 0) as turn from unnest(ids) as w(id),
      lateral (select p.merchant_id from payouts p where p.id between w.id and w.id order by p.id limit 1) p
    where exists (select from payout_limits l where l.merchant_id = p.merchant_id) order by 1 offset 0) m;
  if not found then return; end if;
  insert into payout_windows (merchant_id, unit, place, minute, spent)
  select c.merchant_id, c.unit, c.place, date_trunc('minute', clock_timestamp()), sum(c.worth) from (
      select p.merchant_id, l.unit, l.place, payout_worth(p, l.unit) as worth from unnest(ids, places) as w(id, place),
        lateral (select * from payouts p where p.id between w.id and w.id order by p.id limit 1) p,
        lateral (select distinct l.unit, case when l.per_address then w.place else '' end as place
          from window_limits l where l.merchant_id = p.merchant_id) l
      where not exists (select from payout_approvals a where a.payout_id = p.id and a.decision = 'approved' and a.seal = p.seal) offset 0) c
  where c.worth is not null group by 1, 2, 3 order by 1, 2, 3
  on conflict (merchant_id, unit, place, minute) do update set spent = payout_windows.spent + excluded.spent;
end $$;
