// Package checkout is the page on which a payer pays a payin: what to pay, on which network and to which address, what has
// arrived of it, and the receipt (operator §Payers' page).
//
// Its address carries the payin's internal_reference and no other secret. That is a UUID of version 7, of whose bits 62 are
// from the system's random source, made fresh for each payin; the others follow from the moment it was made. Whoever
// guessed a thousand times a second would need some hundred million years to meet one payin, and each address is limited
// far below that. What the page shows is what the payer was asked for and what has arrived, and nothing else of the merchant.
//
// Open pages cost the database one look a second, however many there are (see watch).
package checkout
