package vault

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"hash/crc32"
	"strings"
)

// The form of an API key: <mark><id><secret><checksum>, all base62 behind the mark. The mark names the books of the key: a
// sandbox beside live networks has its own (docs/decisions/0019-sandbox-beside-live.md).
const (
	LiveMark     = "cw_live_"
	SandboxMark  = "cw_test_"
	idSize       = 12
	secretSize   = 43 // 256 bits
	checksumSize = 6
	apiKeySize   = len(LiveMark) + idSize + secretSize + checksumSize
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// NewAPIKey makes an API key and the id to look it up by. The key is shown once and never stored.
func (v *Vault) NewAPIKey() (id, key string) {
	id = random(idSize)
	body := v.mark + id + random(secretSize)
	return id, body + checksum(body)
}

// ParseAPIKey returns the id inside an API key. ok is false when the text cannot be a key of ours: wrong mark, form,
// alphabet or checksum. Whether such a key exists is another question.
func (v *Vault) ParseAPIKey(text string) (id string, ok bool) {
	if len(text) != apiKeySize || !strings.HasPrefix(text, v.mark) {
		return "", false
	}
	for i := len(v.mark); i < len(text); i++ {
		if strings.IndexByte(base62, text[i]) < 0 {
			return "", false
		}
	}
	body := text[:apiKeySize-checksumSize]
	return text[len(v.mark) : len(v.mark)+idSize], checksum(body) == text[len(body):]
}

// Hash returns the stored form of an API key: HMAC-SHA256 under a pepper derived from the newest secrets key.
func (v *Vault) Hash(key string) []byte { return v.keys[0].hash(key) }

// Equal tells in constant time whether hash was made from key, under any secrets key of the vault. A nil hash takes the same
// work and is never equal.
func (v *Vault) Equal(key string, hash []byte) bool {
	known := 1
	if hash == nil {
		known, hash = 0, v.hidden
	}
	equal := 0
	for i := range v.keys {
		equal |= subtle.ConstantTimeCompare(v.keys[i].hash(key), hash)
	}
	return equal&known == 1
}

func (r *ring) hash(key string) []byte {
	mac := hmac.New(sha256.New, r.pepper)
	mac.Write([]byte(key))
	return mac.Sum(nil)
}

// The beginnings of our secrets of 256 bits, one for each use.
const (
	WebhookSecretMark = "whsec_"
	SigningSecretMark = "sk_sign_"
)

// NewWebhookSecret makes a secret for signing webhooks of a merchant.
func NewWebhookSecret() string { return WebhookSecretMark + random(secretSize) }

// NewSigningSecret makes a secret for signing requests of an API key.
func NewSigningSecret() string { return SigningSecretMark + random(secretSize) }

func random(n int) string {
	const fair = 256 - 256%len(base62) // bytes from here on would favour the first letters
	out, buffer := make([]byte, 0, n), make([]byte, n)
	for len(out) < n {
		rand.Read(buffer)
		for _, b := range buffer {
			if int(b) < fair && len(out) < n {
				out = append(out, base62[int(b)%len(base62)])
			}
		}
	}
	return string(out)
}

func checksum(body string) string {
	var out [checksumSize]byte
	sum := crc32.ChecksumIEEE([]byte(body))
	for i := checksumSize - 1; i >= 0; i-- {
		out[i] = base62[sum%uint32(len(base62))]
		sum /= uint32(len(base62))
	}
	return string(out[:])
}
