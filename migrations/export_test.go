package migrations

// TablesWithRights are the tables of the table of rights.
func TablesWithRights() []string {
	var out []string
	for _, r := range rights {
		out = append(out, r.table)
	}
	return out
}
