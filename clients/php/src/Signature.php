<?php

declare(strict_types=1);

namespace Causeway;

/** Signatures of requests (docs: Signing requests). */
final class Signature
{
    /** The value of the signature header of a request. The path is percent-encoded as it is sent, the query is without "?". */
    public static function of(
        string $secret,
        string $method,
        string $path,
        string $query,
        string $timestamp,
        string $nonce,
        string $body,
    ): string {
        $lines = [$method, $path, $query, $timestamp, $nonce, hash('sha256', $body)];
        return hash_hmac('sha256', implode("\n", $lines), $secret);
    }
}
