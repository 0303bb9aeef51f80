package tronnode

// code is a code of a node's answer to a transaction, as in api.proto.
type code string

// The codes of java-tron.
const (
	success      code = "SUCCESS"
	sigError     code = "SIGERROR"
	invalidError code = "CONTRACT_VALIDATE_ERROR"
	bandError    code = "BANDWITH_ERROR" //nolint:misspell // java-tron spells it so
	dupError     code = "DUP_TRANSACTION_ERROR"
	taposError   code = "TAPOS_ERROR"
	tooBigError  code = "TOO_BIG_TRANSACTION_ERROR"
	expiredError code = "TRANSACTION_EXPIRATION_ERROR"
)

// injected are the refusals without a fault of the transaction, and their messages. Only a test orders them.
var injected = map[code]string{
	"SERVER_BUSY": "Server busy.", "NO_CONNECTION": "No connection.", "BLOCK_UNSOLIDIFIED": "Block unsolidified.",
	"NOT_ENOUGH_EFFECTIVE_CONNECTION": "Effective connection:0 lt minEffectiveConnection:1", "OTHER_ERROR": "Error: null",
	taposError: "Tapos check error.", expiredError: "Transaction expired", dupError: "Dup transaction.",
	bandError:    "Account resource insufficient error.",
	sigError:     "Validate signature error: sig error",
	invalidError: "Contract validate error : Validate TransferContract error, balance is not sufficient.",
}

// refusal is a node's answer to a transaction that it does not take.
type refusal struct {
	code    code
	message string
}

func refuse(c code) *refusal { return &refusal{c, injected[c]} }

func invalid(message string) *refusal {
	return &refusal{invalidError, "Contract validate error : " + message}
}

func unsigned(message string) *refusal {
	return &refusal{sigError, "Validate signature error: " + message}
}
