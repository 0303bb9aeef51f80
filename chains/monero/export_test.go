package monero

// Public is Driver.Public.
var Public = public
