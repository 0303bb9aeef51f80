package pay

import "github.com/google/uuid"

// Deposit is a payin that a person of a merchant asks for in the panel, at the deposit rate.
type Deposit struct {
	Form     uuid.UUID // the same form records one payin, however often it is sent
	Merchant uuid.UUID
	Email    string // of the person
	Network  string
	Token    string
	Amount   string // of the token
}
