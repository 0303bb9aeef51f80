package remotesigner

import "time"

// Patient changes how long a signature may take.
func (s *Signer) Patient(patience time.Duration) *Signer {
	s.patience = patience
	return s
}
