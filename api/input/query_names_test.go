package input

import "testing"

func TestResembles(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"reference_id": true, "REFERENCE-ID": true, "reference id": true, "reference_id[]": true, "a[reference_id][b]": true,
		"reference": false, "reference_ids": false, "my_reference_id": false, "": false, "[]": false, "%": false, "r%65ference_id": true,
	} {
		if resembles(name, "reference_id") != want {
			t.Errorf("%q: not %t", name, want)
		}
	}
}
