package api

// longObject is from how many bytes on an object is walked once and not for each of its fields: in a MiB there is room for
// a hundred thousand names.
const longObject = 4 << 10

// fieldNames are the names that the operations read. A name that is missing here is found all the same, only slower.
var fieldNames = []string{
	"wallet", "crypto_currency", "process_by", "reference_id", "network", "feetakenfromamount", "webhook_url", "fiat_currency",
	"crypto_amount", "fiat_amount", "customer_info", "memo", "expires_at", "type",
}

// field is a member of an object under one of fieldNames.
type field struct {
	name string
	raw  []byte
}

// pick walks an object once and keeps what stands under fieldNames; never nil.
func pick(text []byte) []field {
	few := make([]field, 0, len(fieldNames))
	for m := membersOf(text); m.next(); {
		for _, name := range fieldNames {
			if sameName(m.name, name) {
				few = append(few, field{name, m.value})
				break
			}
		}
	}
	return few
}

func rawOf(fields []field, name string) []byte {
	for _, f := range fields {
		if f.name == name {
			return f.raw
		}
	}
	return nil
}
