drop function if exists paid_besides(uuid[], int[]);
