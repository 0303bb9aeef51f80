drop function if exists coin_moved(text, text, text);
drop table if exists move_costs, moves_by_hand, cold_addresses, treasury_moves, treasury_rules;
