package main

import "testing"

// TestMutantsFitTheCode: the code changed by each mutant is there. Else, after a change of the code, nobody would try
// the mutant any more.
func TestMutantsFitTheCode(t *testing.T) {
	t.Parallel()
	for _, m := range mutants {
		if _, err := m.overlay("../../..", t.TempDir()); err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
		if len(m.tests) == 0 {
			t.Errorf("%s: no test is to notice", m.name)
		}
	}
}
