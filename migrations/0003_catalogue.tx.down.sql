drop trigger if exists keys_changed on keys;
drop trigger if exists merchants_changed on merchants;
drop trigger if exists merchant_networks_changed on merchant_networks;
drop function if exists drop_fixed_prices();
drop table if exists price_quotes, prices, fiats, tokens, revisions;
drop function if exists catalogue_changed(), access_changed(), new_revision();
