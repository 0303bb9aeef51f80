-- What the yardstick posts to: the least that could be called a ledger with payouts and jobs. Keys are counted, which
-- is the cheapest there is; every index has its counterpart in the real schema.

create sequence yard_reference cache 100;

create table yard_accounts (id int primary key, balance numeric(38,8) not null check (balance >= 0)) with (fillfactor = 50);

create table yard_payouts (
  id bigint generated always as identity primary key,
  account int not null,
  reference text not null,
  wallet text not null,
  amount numeric(38,8) not null check (amount > 0),
  status text not null default 'queued',
  created_at timestamptz not null default now(),
  unique (account, reference)
);
create index on yard_payouts (account, created_at desc, id desc);

create table yard_postings (
  id bigint generated always as identity primary key,
  payout bigint not null,
  from_account int not null,
  to_account int not null,
  asset text not null,
  amount numeric(38,8) not null check (amount > 0),
  created_at timestamptz not null default now()
);
create index on yard_postings (payout);
create index on yard_postings (from_account, created_at desc, id desc);

create table yard_jobs (
  kind text not null,
  ref bigint not null,
  run_at timestamptz not null,
  attempt int not null default 0,
  primary key (kind, ref)
) with (fillfactor = 70);
create index on yard_jobs (run_at);

-- yard_post is one posting in one round trip. The balance, on which others may wait, is touched last.
create function yard_post(account_in int, amount_in numeric) returns bigint language plpgsql as $$
declare
  payout bigint;
begin
  insert into yard_payouts (account, reference, wallet, amount)
  values (account_in, 'reference-' || nextval('yard_reference'), 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', amount_in)
  returning id into payout;
  insert into yard_postings (payout, from_account, to_account, asset, amount)
  values (payout, account_in, 0, 'USDT', amount_in), (payout, account_in, 0, 'USDT', 0.01),
         (payout, account_in, -1, 'USDT', 1), (payout, account_in, -2, 'USDT', 0.02);
  insert into yard_jobs (kind, ref, run_at) values ('payout.broadcast', payout, now() + interval '1 second');
  update yard_accounts set balance = balance - amount_in where id = account_in and balance >= amount_in;
  if not found then
    raise exception 'insufficient balance';
  end if;
  return payout;
end $$;


insert into yard_accounts select n, 1000000000000 from generate_series(1, 1000) n;
