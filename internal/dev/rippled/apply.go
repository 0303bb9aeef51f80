package rippled

import "strings"

// The codes of results, as far as the fake has them.
const (
	tesSUCCESS          = "tesSUCCESS"
	terQUEUED           = "terQUEUED"
	terPRESEQ           = "terPRE_SEQ"
	terNOACCOUNT        = "terNO_ACCOUNT"
	terINSUFFEEB        = "terINSUF_FEE_B"
	tefPASTSEQ          = "tefPAST_SEQ"
	tefMAXLEDGER        = "tefMAX_LEDGER"
	tefALREADY          = "tefALREADY"
	tefBADAUTH          = "tefBAD_AUTH"
	tefMASTERDISABLED   = "tefMASTER_DISABLED"
	telINSUFFEEP        = "telINSUF_FEE_P"
	telQUEUEFULL        = "telCAN_NOT_QUEUE_FULL"
	telQUEUEFEE         = "telCAN_NOT_QUEUE_FEE"
	telREQUIRESNETWORK  = "telREQUIRES_NETWORK_ID"
	telWRONGNETWORK     = "telWRONG_NETWORK"
	telNONCANONICAL     = "telNETWORK_ID_MAKES_TX_NON_CANONICAL"
	temBADFEE           = "temBAD_FEE"
	temBADAMOUNT        = "temBAD_AMOUNT"
	temBADPARTIAL       = "temBAD_SEND_XRP_PARTIAL"
	temREDUNDANT        = "temREDUNDANT"
	temDSTNEEDED        = "temDST_NEEDED"
	temINVALIDFLAG      = "temINVALID_FLAG"
	temBADSEQUENCE      = "temBAD_SEQUENCE"
	temUNKNOWN          = "temUNKNOWN"
	tecUNFUNDED         = "tecUNFUNDED_PAYMENT"
	tecNODST            = "tecNO_DST"
	tecNODSTINSUF       = "tecNO_DST_INSUF_XRP"
	tecDSTTAG           = "tecDST_TAG_NEEDED"
	tecNOPERMISSION     = "tecNO_PERMISSION"
	tecPATHDRY          = "tecPATH_DRY"
	tecINSUFFFEE        = "tecINSUFF_FEE"
	fullyCanonical      = uint32(0x80000000)
	partialPayment      = uint32(0x00020000)
	accountSetFlagsMask = fullyCanonical | 0x003F0000
)

// codes are the numbers that metadata has for results.
var codes = map[string]uint8{tesSUCCESS: 0, tecUNFUNDED: 104, tecNODST: 124, tecNODSTINSUF: 125, tecPATHDRY: 128, tecINSUFFFEE: 136, tecNOPERMISSION: 139, tecDSTTAG: 143}

// claimed reports whether a result is in a ledger.
func claimed(result string) bool { return result == tesSUCCESS || strings.HasPrefix(result, "tec") }

// preflight checks a transaction by itself.
func (c *chain) preflight(tx *transaction) string {
	switch {
	case c.network > 1024 && tx.network == nil:
		return telREQUIRESNETWORK
	case c.network > 1024 && int(*tx.network) != c.network:
		return telWRONGNETWORK
	case c.network <= 1024 && tx.network != nil:
		return telNONCANONICAL
	case tx.fee < 0:
		return temBADFEE
	case tx.sequence == 0:
		return temBADSEQUENCE
	}
	switch tx.kind {
	case payment:
		return preflightPayment(tx)
	case accountSet:
		return preflightSet(tx)
	}
	return temUNKNOWN
}

func preflightPayment(tx *transaction) string {
	switch {
	case tx.destination == Account{}:
		return temDSTNEEDED
	case tx.amount <= 0:
		return temBADAMOUNT
	case tx.account == tx.destination:
		return temREDUNDANT
	case tx.flags&partialPayment != 0:
		return temBADPARTIAL
	case tx.flags&^fullyCanonical != 0:
		return temINVALIDFLAG
	}
	return tesSUCCESS
}

func preflightSet(tx *transaction) string {
	_, sets := setFlags[tx.set]
	_, clears := setFlags[tx.clear]
	if tx.set != 0 && !sets || tx.clear != 0 && !clears || tx.set != 0 && tx.set == tx.clear || tx.flags&^accountSetFlagsMask != 0 {
		return temINVALIDFLAG
	}
	return tesSUCCESS
}

// preclaim checks a transaction against a view, in rippled's order.
func (c *chain) preclaim(tx *transaction, v *view, open bool) string {
	from := v.get(tx.account)
	switch {
	case !from.exists:
		return terNOACCOUNT
	case tx.sequence > from.sequence:
		return terPRESEQ
	case tx.sequence < from.sequence:
		return tefPASTSEQ
	case tx.last != nil && v.ledger > *tx.last:
		return tefMAXLEDGER
	case c.known(tx.id):
		return tefALREADY
	case open && tx.fee < c.minimum:
		return telINSUFFEEP
	case from.balance < tx.fee && (open || from.balance == 0):
		return terINSUFFEEB
	case from.balance < tx.fee:
		return tecINSUFFFEE
	case accountOfKey(tx.key) != tx.account:
		return tefBADAUTH
	case from.flags&flagNoMaster != 0:
		return tefMASTERDISABLED
	}
	if tx.kind == payment || tx.kind == accountDelete {
		return c.preclaimDestination(tx, v)
	}
	return tesSUCCESS
}

func (c *chain) preclaimDestination(tx *transaction, v *view) string {
	to := v.get(tx.destination)
	switch {
	case !to.exists && (tx.kind == accountDelete || tx.played != nil):
		return tecNODST
	case !to.exists && tx.amount < c.reserve:
		return tecNODSTINSUF
	case to.exists && to.flags&flagRequireTag != 0 && tx.tag == nil:
		return tecDSTTAG
	}
	return tesSUCCESS
}

// apply applies a transaction to a view: all of it, the fee alone, or nothing. It returns the result.
func (c *chain) apply(tx *transaction, v *view, open bool) string {
	result := c.preclaim(tx, v, open)
	if !claimed(result) {
		return result
	}
	from := v.get(tx.account)
	before := from.balance
	paid := min(tx.fee, from.balance)
	from.balance -= paid
	from.sequence++
	if result == tesSUCCESS {
		result = c.do(tx, v, &from, before)
	}
	v.put(tx.account, from)
	c.burnt += paid
	return result
}

// do carries out a transaction, whose fee and number are taken from its account.
func (c *chain) do(tx *transaction, v *view, from *root, before int64) string {
	switch {
	case tx.played != nil:
		return tx.played.do(c, tx, v, from)
	case tx.kind == accountSet:
		from.flags = from.flags&^setFlags[tx.clear] | setFlags[tx.set]
		return tesSUCCESS
	}
	reserve := c.reserve + int64(from.owners)*c.increment
	if before < tx.amount+max(reserve, tx.fee) {
		return tecUNFUNDED
	}
	to := v.get(tx.destination)
	if to.flags&flagDepositAuth != 0 && (tx.amount > c.reserve || to.balance > c.reserve) {
		return tecNOPERMISSION
	}
	from.balance -= tx.amount
	c.give(v, tx.destination, tx.amount)
	return tesSUCCESS
}

// give adds XRP to an account, and creates it where there is none.
func (c *chain) give(v *view, a Account, amount int64) {
	to := v.get(a)
	if !to.exists {
		to = root{exists: true, sequence: v.ledger}
	}
	to.balance += amount
	to.flags &^= flagPasswordSpent
	v.put(a, to)
}
