-- Messages to people, by e-mail (docs/spec/panel.md §Messages). A message is recorded with its fact and its job, in one transaction.

create table messages (
  id uuid primary key,
  receiver text not null,                             -- mail: and an e-mail address, or the id of a chat
  merchant_id uuid,                                   -- whom it is about; null = nobody. No foreign key, which would lock the merchant
  topic text not null,
  title text not null,
  line text not null,
  page text not null,                                 -- below PUBLIC_BASE_URL; '' = none
  sealed bytea,                                       -- a page that is a secret, in place of it; gone with the end
  made_at timestamptz not null default now(),
  head uuid,                                          -- the message it goes out with, maybe itself; null = not decided
  tries int not null default 0,                       -- of a head
  ended_at timestamptz,                               -- when it was sent or given up
  why text                                            -- it was given up for; null = sent
);
create index messages_undecided on messages (receiver, made_at) where head is null;
create index messages_of_head on messages (head);
create index messages_heads on messages (receiver, ended_at) where head = id;
create index messages_ended on messages (ended_at) where ended_at is not null;

-- Where a merchant is told of things beside e-mail: an incoming webhook of Slack, and a chat of a bot of Telegram.
create table chats (
  id text primary key,                                -- the kind, a colon and the merchant: the receiver of its messages
  merchant_id uuid not null references merchants,
  kind text not null check (kind in ('slack', 'telegram')),
  sealed bytea not null,                              -- its address, with the secret
  shown text not null,                                -- its address without the secret
  quiet text[] not null default '{}',                 -- topics switched off
  made_by text not null,
  made_at timestamptz not null default now(),
  unique (merchant_id, kind)
);

-- tell records messages with their jobs. A job waits a few seconds: what happens together goes out together.
create function tell(receivers text[], merchants uuid[], of_topic text, of_title text, lines text[], pages text[]) returns void
language sql as $$
  with told as (
    insert into messages (id, receiver, merchant_id, topic, title, line, page)
    select gen_random_uuid(), t.receiver, t.merchant, of_topic, of_title, t.line, t.page
    from unnest(receivers, merchants, lines, pages) as t(receiver, merchant, line, page) returning id)
  insert into jobs (kind, ref, run_at) select 'message.send', id, now() + interval '5 seconds' from told;
$$;

-- tell_people tells those people of merchants who have one of the roles and want to know, and the chats of the merchants. Those who record facts of payments may not read
-- who these people are: so this has the rights of the owner.
create function tell_people(of_topic text, roles text[], of_title text, merchants uuid[], lines text[], pages text[]) returns void
language sql security definer set search_path = public, pg_temp as $$
  with facts as (select * from unnest(merchants, lines, pages) as f(merchant, line, page)),
  told as (
    select 'mail:' || p.email as receiver, f.*
    from facts f join members m on m.merchant_id = f.merchant join people p on p.id = m.person_id
    where m.role = any(roles) and of_topic <> all(p.quiet)
    union all
    select c.id, f.* from facts f join chats c on c.merchant_id = f.merchant where of_topic <> all(c.quiet))
  select tell(array_agg(receiver), array_agg(merchant), of_topic, of_title, array_agg(line), array_agg(page)) from told having count(*) > 0;
$$;

-- tell_operators tells those operators who want to know, and have confirmed an e-mail address. A worker finds what is amiss, and may not
-- read who the operators are: so this has the rights of the owner.
create function tell_operators(of_topic text, of_title text, of_line text) returns void
language sql security definer set search_path = public, pg_temp as $$
  select tell(array_agg('mail:' || o.mail), array_agg(null::uuid), of_topic, of_title, array_agg(of_line), array_agg(''::text))
  from operators o where o.mail is not null and o.disabled_at is null and of_topic <> all(o.quiet) having count(*) > 0;
$$;

-- Receipts by e-mail for payers of payment requests. Each fact of a request makes one at most. No foreign key, which would lock the request.
create table payer_receipts (
  request_id uuid not null,
  topic text not null,
  about uuid not null,                                -- the request itself, or a refund
  primary key (request_id, topic, about)
);

-- tell_payers records receipts, each once. Their facts become words when they are sent.
create function tell_payers(of_topic text, requests uuid[], abouts uuid[], merchants uuid[], emails text[], payins uuid[], facts jsonb[]) returns void
language sql as $$
  with fresh as (
    insert into payer_receipts (request_id, topic, about) select r.request, of_topic, r.about from unnest(requests, abouts) as r(request, about)
    on conflict do nothing returning request_id, about),
  told as (
    insert into messages (id, receiver, merchant_id, topic, title, line, page)
    select gen_random_uuid(), 'payer:' || r.email, r.merchant, of_topic, '', r.fact::text, '/pay/' || r.payin || coalesce('?lang=' || nullif(r.fact->>'lang', ''), '')
    from unnest(requests, abouts, merchants, emails, payins, facts) as r(request, about, merchant, email, payin, fact)
    join fresh f on f.request_id = r.request and f.about = r.about returning id)
  insert into jobs (kind, ref, run_at) select 'message.send', id, now() + interval '5 seconds' from told;
$$;

-- tell_payers_paid tells the payers of completed payins, if their merchants want that. Who records payments may not read how merchants'
-- pages look: so this has the rights of the owner.
create function tell_payers_paid(of_payins uuid[], finals boolean[]) returns void
language sql security definer set search_path = public, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  select tell_payers('payer-paid', array_agg(d.id), array_agg(d.id), array_agg(d.merchant_id), array_agg(d.email), array_agg(d.payin), array_agg(d.fact))
  from (select distinct on (r.id) r.id, r.merchant_id, r.email, f.payin, jsonb_build_object('lang', c.lang, 'order', coalesce(nullif(r.label, ''), r.reference_id),
      'amount', trim_scale(p.received)::text, 'token', p.token, 'final', f.final) as fact
    from unnest(of_payins, finals) as f(payin, final),
    lateral (select c.request_id, c.lang from payment_choices c where c.payin_id = f.payin offset 0) c,
    lateral (select r.* from payment_requests r where r.id between c.request_id and c.request_id and r.email <> '' order by r.id limit 1) r,
    lateral (select from merchant_looks l where l.merchant_id = r.merchant_id and l.receipts offset 0) l,
    lateral (select p.received, p.token from payins p where p.id between f.payin and f.payin order by p.id limit 1) p
    order by r.id, f.final desc) d having count(*) > 0;
$$;

-- tell_payers_refunded is the same for completed payouts of refunds.
create function tell_payers_refunded(of_payouts uuid[]) returns void
language sql security definer set search_path = public, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  select tell_payers('payer-refunded', array_agg(r.id), array_agg(b.id), array_agg(r.merchant_id), array_agg(r.email), array_agg(b.payin_id),
    array_agg(jsonb_build_object('lang', c.lang, 'order', coalesce(nullif(r.label, ''), r.reference_id), 'amount', trim_scale(p.amount)::text, 'token', p.token,
      'final', true)))
  from unnest(of_payouts) as f(payout),
  lateral (select b.id, b.payin_id from refunds b where b.payout_id = f.payout offset 0) b,
  lateral (select c.request_id, c.lang from payment_choices c where c.payin_id = b.payin_id offset 0) c,
  lateral (select r.* from payment_requests r where r.id between c.request_id and c.request_id and r.email <> '' order by r.id limit 1) r,
  lateral (select from merchant_looks l where l.merchant_id = r.merchant_id and l.receipts offset 0) l,
  lateral (select p.amount, p.token from payouts p where p.id between f.payout and f.payout order by p.id limit 1) p
  having count(*) > 0;
$$;

-- What is amiss, as people are told of it: once when it begins, and once when it is over.
create table conditions (
  told text not null,                                 -- the sentence about it; it stays the same while it lasts
  merchant_id uuid not null,                          -- whose people are told as well; all zeros = nobody's
  topic text not null,
  began_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  told_at timestamptz,                                -- null = it has not lasted long enough
  primary key (told, merchant_id)
);
