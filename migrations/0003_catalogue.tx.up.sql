-- What: tokens, fiats, prices. Their revision rises with every change, so that a process knows
-- by one number, read with each request, whether its copy is current. Who may ask (keys, merchants) has one too.

create table revisions (name text primary key, version bigint not null);

-- Made of the time, so that books that were restored below a process, or lost their last changes to a failover, do not come to a
-- number that it has seen before.
create function new_revision() returns bigint language sql as $$
  select (extract(epoch from clock_timestamp()) * 1000000)::bigint;
$$;
insert into revisions values ('catalogue', new_revision()), ('access', new_revision());

create function catalogue_changed() returns trigger language plpgsql as $$
begin
  update revisions set version = greatest(version + 1, new_revision()) where name = 'catalogue';
  return null;
end $$;

create function access_changed() returns trigger language plpgsql as $$
begin
  update revisions set version = greatest(version + 1, new_revision()) where name = 'access';
  return null;
end $$;

-- Nobody is kept whose key is not there, so a new key or merchant changes nothing.
create trigger keys_changed after update or delete or truncate on keys for each statement execute function access_changed();
create trigger merchants_changed after update or delete or truncate on merchants for each statement execute function access_changed();
create trigger merchant_networks_changed after insert or update or delete or truncate on merchant_networks
  for each statement execute function access_changed();

create table tokens (
  symbol text not null,
  network text not null,
  balance_key text not null,                          -- the ledger's asset
  variant text not null,
  contract text not null default '',                  -- empty for a native coin
  decimals int not null check (decimals between 0 and 36),
  precision int not null check (precision between 0 and 8 and precision <= decimals),
  memo boolean not null default false,
  active boolean not null default true,
  deposits boolean not null default true,
  withdrawals boolean not null default true,
  min_receipt numeric(38,8) not null, max_receipt numeric(38,8),
  min_withdrawal numeric(38,8) not null, max_withdrawal numeric(38,8),
  network_fee numeric(38,8) not null check (network_fee >= 0),
  fee_currency text not null,                         -- symbol in which network_fee is said
  primary key (symbol, network)
);

create table fiats (code text primary key, name text not null, symbol text not null, accepted boolean not null default true);

create table prices (
  base text not null, quote text not null,            -- one base is worth price quotes
  price numeric(48,18) not null check (price >= 0),
  source text not null,
  pinned boolean not null default false,
  fixed numeric(48,18),                               -- under a pin: what the sandbox's fixed table has
  updated_at timestamptz not null default now(),
  primary key (base, quote)
);

-- drop_fixed_prices removes the sandbox's own table of prices, also from under pins, and answers how many there were. Any process may be the
-- first to start with live prices, and none may delete another price: a limit in a fiat would hold everything. So it has the rights of the
-- owner. It asks first, since a change of no row is a new revision of the catalogue, too.
create function drop_fixed_prices() returns bigint language plpgsql security definer set search_path = public, pg_temp as $$
declare
  dropped bigint := 0;
begin
  if exists (select from prices where fixed is not null) then
    update prices set fixed = null where fixed is not null;
  end if;
  if exists (select from prices where source = 'fixed' and not pinned) then
    delete from prices where source = 'fixed' and not pinned;
    get diagnostics dropped = row_count;
  end if;
  return dropped;
end $$;

-- What each source said last; the prices in use are made of those that are fresh and agree. Not part of the catalogue's
-- revision: only a price in use is.
create table price_quotes (
  source text not null,
  base text not null, quote text not null,             -- one base is worth price quotes
  price numeric(48,18) not null check (price > 0),
  at timestamptz not null,                             -- when the source vouched for it
  primary key (source, base, quote)
);

create trigger tokens_changed after insert or update or delete on tokens for each statement execute function catalogue_changed();
create trigger fiats_changed after insert or update or delete on fiats for each statement execute function catalogue_changed();
create trigger prices_changed after insert or update or delete on prices for each statement execute function catalogue_changed();

-- What a new installation starts with; all of it is data that the operator changes (addendum §6).
-- Contracts are those of the main networks; a networks file may name others.

insert into tokens (symbol, network, balance_key, variant, contract, decimals, precision, memo, min_receipt, min_withdrawal, network_fee, fee_currency) values
  ('BTC', 'Bitcoin', 'BTC', 'coin', '', 8, 8, false, 0.00002, 0.00002, 0.00002, 'BTC'),
  ('ETH', 'Ethereum', 'ETH', 'coin', '', 18, 8, false, 0.0003, 0.0003, 0.0003, 'ETH'),
  ('USDT', 'Ethereum', 'USDT', 'native', '0xdAC17F958D2ee523a2206206994597C13D831ec7', 6, 6, false, 1, 1, 2, 'USDT'),
  ('USDC', 'Ethereum', 'USDC', 'native', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 6, 6, false, 1, 1, 2, 'USDC'),
  ('BNB', 'BinanceSmartChain', 'BNB', 'coin', '', 18, 8, false, 0.0016, 0.0016, 0.0016, 'BNB'),
  ('USDT', 'BinanceSmartChain', 'USDT', 'pegged', '0x55d398326f99059fF775485246999027B3197955', 18, 8, false, 1, 1, 1, 'USDT'),
  ('USDC', 'BinanceSmartChain', 'USDC', 'pegged', '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 18, 8, false, 1, 1, 1, 'USDC'),
  ('TRX', 'Tron', 'TRX', 'coin', '', 6, 6, false, 4, 4, 4, 'TRX'),
  ('USDT', 'Tron', 'USDT', 'native', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 6, 6, false, 1, 1, 1, 'USDT'),
  ('SOL', 'Solana', 'SOL', 'coin', '', 9, 8, false, 0.007, 0.007, 0.007, 'SOL'),
  ('USDT', 'Solana', 'USDT', 'native', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', 6, 6, false, 1, 1, 1, 'USDT'),
  ('USDC', 'Solana', 'USDC', 'native', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 6, 6, false, 1, 1, 1, 'USDC'),
  ('XRP', 'Ripple', 'XRP', 'coin', '', 6, 6, true, 1.6, 1.6, 1.6, 'XRP'),
  ('ADA', 'Cardano', 'ADA', 'coin', '', 6, 6, false, 2.2, 2.2, 2.2, 'ADA'),
  ('DOGE', 'Dogecoin', 'DOGE', 'coin', '', 8, 8, false, 8, 8, 8, 'DOGE'),
  ('POL', 'Polygon', 'POL', 'coin', '', 18, 8, false, 2, 2, 2, 'POL'),
  ('USDT', 'Polygon', 'USDT', 'native', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', 6, 6, false, 1, 1, 1, 'USDT'),
  ('USDC', 'Polygon', 'USDC', 'native', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', 6, 6, false, 1, 1, 1, 'USDC'),
  ('USDC.e', 'Polygon', 'USDC.e', 'bridged', '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174', 6, 6, false, 1, 1, 1, 'USDC.e'),
  ('AVAX', 'Avalanche', 'AVAX', 'coin', '', 18, 8, false, 0.03, 0.03, 0.03, 'AVAX'),
  ('USDT', 'Avalanche', 'USDT', 'native', '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7', 6, 6, false, 1, 1, 1, 'USDT'),
  ('USDC', 'Avalanche', 'USDC', 'native', '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', 6, 6, false, 1, 1, 1, 'USDC'),
  ('ETH', 'ArbitrumOne', 'ETH', 'coin', '', 18, 8, false, 0.0003, 0.0003, 0.0003, 'ETH'),
  ('USDT', 'ArbitrumOne', 'USDT', 'native', '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', 6, 6, false, 1, 1, 1, 'USDT'),
  ('USDC', 'ArbitrumOne', 'USDC', 'native', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', 6, 6, false, 1, 1, 1, 'USDC'),
  ('CELO', 'Celo', 'CELO', 'coin', '', 18, 8, false, 1.6, 1.6, 1.6, 'CELO'),
  ('USDC', 'Celo', 'USDC', 'native', '0xcebA9300f2b948710d2653dD7B07f33A8B32118C', 6, 6, false, 1, 1, 1, 'USDC'),
  ('USDT', 'Celo', 'USDT', 'native', '0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e', 6, 6, false, 1, 1, 1, 'USDT'),
  ('ETH', 'Optimism', 'ETH', 'coin', '', 18, 8, false, 0.0003, 0.0003, 0.0003, 'ETH'),
  ('USDT', 'Optimism', 'USDT', 'bridged', '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58', 6, 6, false, 1, 1, 1, 'USDT'),
  ('USDC', 'Optimism', 'USDC', 'native', '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', 6, 6, false, 1, 1, 1, 'USDC'),
  ('ETH', 'Arbitrum', 'ETH', 'coin', '', 18, 8, false, 0.0003, 0.0003, 0.0003, 'ETH'),
  ('USDT', 'Arbitrum', 'USDT', 'native', '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', 6, 6, false, 1, 1, 1, 'USDT'),
  ('USDC', 'Arbitrum', 'USDC', 'native', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', 6, 6, false, 1, 1, 1, 'USDC'),
  ('CRO', 'Cronos', 'CRO', 'coin', '', 18, 8, false, 10, 10, 10, 'CRO'),
  ('USDC', 'Cronos', 'USDC', 'native', '0xc21223249CA28397B4B6541dfFaEcC539BfF0c59', 6, 6, false, 1, 1, 1, 'USDC'),
  ('USDT', 'Cronos', 'USDT', 'native', '0x66e428c3f67a68878562e79A0234c1F83c208770', 6, 6, false, 1, 1, 1, 'USDT'),
  ('ETH', 'Base', 'ETH', 'coin', '', 18, 8, false, 0.0003, 0.0003, 0.0003, 'ETH'),
  ('USDC', 'Base', 'USDC', 'native', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 6, 6, false, 1, 1, 1, 'USDC'),
  ('USDT', 'Base', 'USDT', 'bridged', '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2', 6, 6, false, 1, 1, 1, 'USDT'),
  ('BCH', 'BitcoinCash', 'BCH', 'coin', '', 8, 8, false, 0.0022, 0.0022, 0.0022, 'BCH'),
  ('BSV', 'BitcoinSV', 'BSV', 'coin', '', 8, 8, false, 0.02, 0.02, 0.02, 'BSV'),
  ('BTG', 'BitcoinGold', 'BTG', 'coin', '', 8, 8, false, 0.04, 0.04, 0.04, 'BTG'),
  ('XMR', 'Monero', 'XMR', 'coin', '', 12, 8, false, 0.006, 0.006, 0.006, 'XMR'),
  ('BNB', 'OpBnb', 'BNB', 'coin', '', 18, 8, false, 0.0016, 0.0016, 0.0016, 'BNB'),
  ('USDT', 'OpBnb', 'USDT', 'native', '0x9e5AAC1Ba1a2e6aEd6b32689DFcF62A509Ca96f3', 18, 8, false, 1, 1, 1, 'USDT'),
  ('OKB', 'Xlayer', 'OKB', 'coin', '', 18, 8, false, 0.02, 0.02, 0.02, 'OKB'),
  ('USDC', 'Xlayer', 'USDC', 'native', '0x74b7F16337b8972027F6196A17a631aC6dE26d22', 6, 6, false, 1, 1, 1, 'USDC'),
  ('USDT', 'Xlayer', 'USDT', 'bridged', '0x1E4a5963aBFD975d8c9021ce480b42188849D41d', 6, 6, false, 1, 1, 1, 'USDT'),
  ('LTC', 'Litecoin', 'LTC', 'coin', '', 8, 8, false, 0.0125, 0.0125, 0.0125, 'LTC'),
  ('TON', 'TON', 'TON', 'coin', '', 9, 8, true, 0.2, 0.2, 0.2, 'TON'),
  ('USDT', 'TON', 'USDT', 'native', 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs', 6, 6, true, 1, 1, 1, 'USDT');

insert into fiats (code, name, symbol) values
  ('USD', 'US Dollar', '$'),
  ('BRL', 'Brazilian Real', 'R$'),
  ('EUR', 'Euro', '€'),
  ('GBP', 'Pound Sterling', '£'),
  ('MXN', 'Mexican Peso', '$'),
  ('ARS', 'Argentine Peso', '$'),
  ('JPY', 'Japanese Yen', '¥'),
  ('CHF', 'Swiss Franc', 'CHF'),
  ('CAD', 'Canadian Dollar', 'C$'),
  ('AUD', 'Australian Dollar', 'A$');

-- Sandbox prices: a fixed table, replaced by live sources where networks are live.
insert into prices (base, quote, price, source) values
  ('BTC', 'USD', 63000, 'fixed'),
  ('ETH', 'USD', 3000, 'fixed'),
  ('BNB', 'USD', 600, 'fixed'),
  ('TRX', 'USD', 0.25, 'fixed'),
  ('SOL', 'USD', 150, 'fixed'),
  ('XRP', 'USD', 0.6, 'fixed'),
  ('ADA', 'USD', 0.45, 'fixed'),
  ('DOGE', 'USD', 0.12, 'fixed'),
  ('POL', 'USD', 0.5, 'fixed'),
  ('AVAX', 'USD', 30, 'fixed'),
  ('CELO', 'USD', 0.6, 'fixed'),
  ('CRO', 'USD', 0.1, 'fixed'),
  ('BCH', 'USD', 450, 'fixed'),
  ('BSV', 'USD', 50, 'fixed'),
  ('BTG', 'USD', 25, 'fixed'),
  ('XMR', 'USD', 160, 'fixed'),
  ('OKB', 'USD', 50, 'fixed'),
  ('LTC', 'USD', 80, 'fixed'),
  ('TON', 'USD', 5, 'fixed'),
  ('USDT', 'USD', 1, 'fixed'),
  ('USDC', 'USD', 1, 'fixed'),
  ('USDC.e', 'USD', 1, 'fixed'),
  ('USD', 'BRL', 5.4, 'fixed'),
  ('USD', 'EUR', 0.92, 'fixed'),
  ('USD', 'GBP', 0.79, 'fixed'),
  ('USD', 'MXN', 18, 'fixed'),
  ('USD', 'ARS', 1000, 'fixed'),
  ('USD', 'JPY', 150, 'fixed'),
  ('USD', 'CHF', 0.88, 'fixed'),
  ('USD', 'CAD', 1.36, 'fixed'),
  ('USD', 'AUD', 1.52, 'fixed');
