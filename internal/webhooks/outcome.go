package webhooks

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// maxRetryAfter is the longest wait granted to a receiver (addendum §11).
const maxRetryAfter = 24 * time.Hour

// judge reads an answer: its status and how long the receiver wants to be left alone.
func judge(response *http.Response, now time.Time) Attempt {
	a := Attempt{Status: response.StatusCode}
	switch {
	case a.Status >= 200 && a.Status <= 299:
		a.Outcome = Delivered
		return a
	case a.Status == http.StatusGone:
		a.Outcome = Gone
	default:
		a.RetryAfter = retryAfter(response.Header.Get("Retry-After"), now)
	}
	a.Error = "HTTP status " + strconv.Itoa(a.Status)
	return a
}

// retryAfter reads the header in seconds or as an HTTP date; any other text, and a past date, is 0.
func retryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if value != "" && strings.Trim(value, "0123456789") == "" {
		seconds, err := strconv.ParseUint(value, 10, 32)
		if err != nil {
			return maxRetryAfter
		}
		return min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(date.Sub(now), 0), maxRetryAfter)
}

// errorText names the class of a failure. The text of the error itself may hold the URL, and with it secrets.
func errorText(err error) string {
	var (
		dns         *net.DNSError
		certificate *tls.CertificateVerificationError
		invalid     x509.CertificateInvalidError
		record      tls.RecordHeaderError
		alert       tls.AlertError
		timeout     net.Error
	)
	switch {
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, errRefusedHost):
		return "address is not public"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "TLS certificate expired or not yet valid"
	case errors.As(err, &certificate):
		return "TLS certificate not trusted"
	case errors.As(err, &record), errors.As(err, &alert), errors.Is(err, http.ErrSchemeMismatch):
		return "TLS handshake failed"
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return "timed out"
	case errors.As(err, &dns):
		return "host does not resolve"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection closed by the receiver"
	default:
		return "no valid answer"
	}
}
