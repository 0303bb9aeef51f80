package admincmd

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/cli/command"
	"causeway/internal/store"
)

// Covers operator §Admin: causeway admin audit list
// Covers operator §Admin: causeway admin audit verify
// Covers operator §Admin: Every change is written
func TestAuditIsAChain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var head struct {
		Rows, Last int64
		Hash       string
	}
	s.Do(&head, "admin", "audit", "verify")
	if head.Rows != 0 || head.Last != 0 {
		t.Errorf("of nothing: %+v", head)
	}
	id := s.Merchant()
	for range 4 {
		var m any
		s.Do(&m, "admin", "merchant", "update", id, "--suspended")
	}
	s.Do(&head, "admin", "audit", "verify")
	if head.Rows != 5 || head.Last != 5 || len(head.Hash) != 64 {
		t.Errorf("of five: %+v", head)
	}
	var rows []struct {
		ID      int64
		Action  string
		Subject string
		Hash    string
	}
	s.Do(&rows, "admin", "audit", "list", "--subject", "merchant:"+id, "--below", "5", "--limit", "2")
	if len(rows) != 2 || rows[0].ID != 4 || rows[1].ID != 3 || rows[0].Action != "merchant.update" || rows[0].Hash == rows[1].Hash {
		t.Errorf("listed %+v", rows)
	}
	noted := fmt.Sprintf("%d:%s", head.Last, head.Hash)
	s.Do(&head, "admin", "audit", "verify", "--noted", noted)
	s.Refused(command.ExitFailed, "no audit row 9", "admin", "audit", "verify", "--noted", "9:abc")
	s.Refused(command.ExitFailed, "not the one that was noted", "admin", "audit", "verify", "--noted", "4:"+head.Hash)
	s.Refused(command.ExitUsage, "ID:HASH", "admin", "audit", "verify", "--noted", "4")
}

// Covers operator §Admin: Every change is written
func TestTamperedAuditIsFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ tamper, says string }{
		"changed":       {"update audit set actor = 'nobody' where id = 3", "row 3 is broken: it was changed"},
		"changed json":  {`update audit set after = after || '{"suspended": false}' where id = 3`, "row 3 is broken: it was changed"},
		"changed time":  {"update audit set at = at - interval '1 microsecond' where id = 3", "row 3 is broken: it was changed"},
		"changed first": {"update audit set action = 'x' where id = 1", "row 1 is broken: it was changed"},
		"removed":       {"delete from audit where id = 3", "row 4 is broken: row 3 before it is gone"},
		"cut":           {"delete from audit where id > 3", "row 5 is broken: the newest row is gone"},
		"emptied":       {"delete from audit", "row 5 is broken: the newest row is gone"},
		"rehashed": {`update audit a set actor = 'nobody', hash = audit_hash((select hash from audit where id = 2),
			row(a.id, a.at, 'nobody', a.action, a.subject, a.before, a.after, null)::audit) where id = 3`, "row 4 is broken: it was changed"},
		"added": {`insert into audit (id, actor, action, subject, hash) values (6, 'x', 'x', 'x', '')`, "row 6 is broken"},
		"swapped": {`update audit set id = 99 where id = 2; update audit set id = 2 where id = 3; update audit set id = 3 where id = 99`,
			"row 2 is broken: it was changed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			id := s.Merchant()
			for range 4 {
				var m any
				s.Do(&m, "admin", "merchant", "update", id, "--suspended")
			}
			s.tamper(c.tamper)
			s.Refused(command.ExitFailed, c.says, "admin", "audit", "verify")
		})
	}
}

// tamper changes rows as the owner of the database can.
func (s *site) tamper(sql string) {
	s.Helper()
	tx, err := s.DB.BeginTx(s.Context(), nil)
	require.NoError(s.T, err)
	defer func() { _ = tx.Rollback() }()
	for _, statement := range []string{"set local session_replication_role = replica", sql} {
		_, err := tx.ExecContext(s.Context(), statement)
		require.NoError(s.T, err)
	}
	require.NoError(s.T, tx.Commit())
}

// Covers operator §Admin: Every change is written
func TestAuditRefusesChanges(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.Merchant()
	for _, sql := range []string{"update audit set actor = 'x'", "delete from audit", "truncate audit"} {
		if _, err := s.DB.ExecContext(t.Context(), sql); err == nil {
			t.Errorf("%s was done", sql)
		}
	}
}

// Rows written at once still make one chain.
func TestConcurrentAuditRowsMakeOneChain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			err := store.New(s.DB).InTx(t.Context(), func(tx *store.Store) error {
				return tx.AddAudit(t.Context(), "a", "x", fmt.Sprint(i), nil, map[string]int{"i": i})
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	var head struct{ Rows, Last int64 }
	s.Do(&head, "admin", "audit", "verify")
	if head.Rows != 16 || head.Last != 16 {
		t.Errorf("%+v", head)
	}
}
