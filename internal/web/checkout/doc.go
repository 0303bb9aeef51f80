// Package checkout is the page for a payer to pay a payin: the amount, the network and the address, the money arrived, and
// the receipt (operator §Payers' page).
//
// Its address carries the payin's internal_reference and no other secret. This is a UUID of version 7 with 62 bits from the
// system's random source, made fresh for each payin; the others follow from the moment it was made. A thousand guesses a
// second would need some hundred million years to meet one payin, and each address is limited far below this. The page shows
// the payer's order and the money arrived, and nothing else of the merchant.
//
// Open pages cost the database one look a second, however many there are (see watch).
package checkout
