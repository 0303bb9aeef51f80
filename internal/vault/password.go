package vault

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"math"
	"strings"
	"sync"

	"golang.org/x/crypto/argon2"
)

// The costs of hashing a password: argon2id with 19 MiB and two passes, as OWASP's password storage advice has it.
const (
	passwordMemory = 19 * 1024 // KiB
	passwordPasses = 2
	passwordLanes  = 1
	passwordBytes  = 32
	saltBytes      = 16
)

// hashing limits the memory used by attempts at passwords: two hashes are computed at a time.
var hashing = make(chan struct{}, 2)

// HashPassword returns the argon2id hash of a password with its costs and a random salt, in the usual text form.
func HashPassword(password string) string {
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // never fails
	hash := passwordHash(password, salt, passwordPasses, passwordMemory, passwordLanes)
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, passwordMemory, passwordPasses, passwordLanes,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(hash))
}

// NewPassword makes a password of 16 random letters and digits.
func NewPassword() string { return random(16) }

// nobody's password fits this hash; it is compared with when there is no operator of a name.
var nobody = sync.OnceValue(func() string { return HashPassword(NewPassword()) })

// PasswordFits reports whether a password is the one of a hash. An empty hash takes the same time, and no password fits it.
func PasswordFits(password, hash string) bool {
	known := hash != ""
	if !known {
		hash = nobody()
	}
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false
	}
	var memory, passes, lanes uint32
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &passes, &lanes); err != nil || lanes == 0 || lanes > math.MaxUint8 || passes == 0 {
		return false
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil || len(want) != passwordBytes {
		return false
	}
	got := passwordHash(password, salt, passes, memory, uint8(lanes))
	return subtle.ConstantTimeCompare(got, want) == 1 && known
}

func passwordHash(password string, salt []byte, passes, memory uint32, lanes uint8) []byte {
	hashing <- struct{}{}
	defer func() { <-hashing }()
	return argon2.IDKey([]byte(password), salt, passes, memory, lanes, passwordBytes)
}
