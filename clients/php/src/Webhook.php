<?php

declare(strict_types=1);

namespace Causeway;

/** Verification of webhooks (docs: Verifying webhooks). */
final class Webhook
{
    /** Seconds a notice may be old, or ahead. */
    private const TOLERANCE = 300;

    /**
     * Reads a notice from the headers and the exact body of a webhook, or throws a WebhookError.
     *
     * @param array<string, mixed> $headers $_SERVER, getallheaders(), or the headers of a PSR-7 request
     * @param string|list<string> $secrets the live webhook secrets: two while one is rotated. Empty ones are left out
     * @param int|null $now Unix seconds, for tests
     */
    public static function verify(
        array $headers,
        string $body,
        string|array $secrets,
        string $headerPrefix = 'X-Service',
        ?int $now = null,
    ): Notice {
        $found = self::named($headers);
        $prefix = strtolower(rtrim($headerPrefix, '-'));
        $timestamp = $found["$prefix-timestamp"] ?? '';
        $delivery = $found["$prefix-delivery"] ?? '';
        if (!preg_match('/^[0-9]{1,15}$/D', $timestamp) || abs(($now ?? time()) - (int) $timestamp) > self::TOLERANCE) {
            throw new WebhookError('its timestamp is missing or too far from now');
        }
        $text = implode("\n", ['v1', $timestamp, $delivery, hash('sha256', $body)]);
        if (!self::signs($found["$prefix-signature"] ?? '', $text, (array) $secrets)) {
            throw new WebhookError('no signature matches');
        }
        $notice = json_decode($body, true, 512, JSON_THROW_ON_ERROR);
        return new Notice($notice['event'], $notice['timestamp'] ?? '', $notice['data'] ?? [], $delivery);
    }

    /**
     * The transaction hashes of a payin's txid: on the wire a JSON list inside a text, or null.
     *
     * @return list<string>
     */
    public static function hashes(?string $txid): array
    {
        return $txid === null ? [] : json_decode($txid, true, 512, JSON_THROW_ON_ERROR);
    }

    /**
     * Reports whether any secret makes any of the signatures. An empty secret makes none: anybody could sign with it.
     *
     * @param list<string> $secrets
     */
    private static function signs(string $signatures, string $text, array $secrets): bool
    {
        $matched = false;
        foreach ($secrets as $secret) {
            if ($secret === '') {
                continue;
            }
            $want = 'v1=' . hash_hmac('sha256', $text, $secret);
            foreach (explode(',', $signatures) as $part) {
                $matched = hash_equals($want, trim($part)) || $matched;
            }
        }
        return $matched;
    }

    /**
     * The headers by their names in small letters: HTTP_X_SERVICE_DELIVERY of $_SERVER is x-service-delivery.
     *
     * @param array<string, mixed> $headers
     * @return array<string, string>
     */
    private static function named(array $headers): array
    {
        $out = [];
        foreach ($headers as $name => $value) {
            $name = preg_replace('/^http-/', '', strtr(strtolower((string) $name), '_', '-'));
            if (is_string($value) || is_array($value)) {
                $out[$name] = implode(',', array_filter((array) $value, 'is_string'));
            }
        }
        return $out;
    }
}
