<?php

declare(strict_types=1);

namespace Causeway;

/** Sends requests, signs them, and repeats the ones safe to send twice. */
final class Transport
{
    private const FIRST_PAUSE = 0.2;
    private const LONGEST_PAUSE = 10.0;
    /** Characters of an Idempotency-Key. */
    private const LONGEST_KEY = 255;
    private const LONGEST_ANSWER = 32 << 20;

    private readonly string $base;
    private readonly string $prefix;
    private readonly string $names;
    private readonly \Closure $wait;

    public function __construct(
        string $baseUrl,
        private readonly string $key,
        private readonly string $signingSecret,
        string $headerPrefix,
        private readonly float $timeout,
        private readonly int $retries,
        private readonly float $longestWait,
        ?\Closure $wait,
    ) {
        $parts = parse_url($baseUrl) ?: [];
        if (!in_array($parts['scheme'] ?? '', ['http', 'https'], true) || empty($parts['host']) || isset($parts['query']) || isset($parts['fragment'])) {
            throw new \InvalidArgumentException("\"$baseUrl\" is not the base URL of an API");
        }
        if ($key === '') {
            throw new \InvalidArgumentException('there is no API key');
        }
        $this->base = rtrim($baseUrl, '/');
        $this->prefix = rtrim($parts['path'] ?? '', '/');
        $this->names = rtrim($headerPrefix, '-');
        $this->wait = $wait ?? static fn (float $seconds) => usleep((int) ($seconds * 1e6));
    }

    /** Sends until there is an answer that no further try would change. */
    public function send(Call $call): Answer
    {
        self::checkKey($call->idempotencyKey);
        $body = $call->body === null ? null : json_encode(self::exact($call->body), JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);
        for ($attempt = 0; ; $attempt++) {
            $last = $attempt >= $this->retries || !$call->repeatable();
            $answer = null;
            try {
                $answer = $this->once($call, $body);
            } catch (NoAnswerError $error) {
                if ($last) {
                    throw $error;
                }
            }
            if ($answer !== null && ($last || !$answer->passing() || $answer->retryAfter() > $this->longestWait)) {
                return $answer;
            }
            ($this->wait)(self::pause($attempt, $answer));
        }
    }

    /** Makes one attempt, signed afresh. It follows no redirect: the request and its key would go elsewhere. */
    private function once(Call $call, ?string $body): Answer
    {
        $query = self::query($call->query);
        $headers = [];
        $text = '';
        $curl = curl_init();
        curl_setopt_array($curl, [
            CURLOPT_URL => $this->base . $call->path . ($query === '' ? '' : "?$query"),
            CURLOPT_CUSTOMREQUEST => $call->method,
            CURLOPT_HTTPHEADER => $this->headers($call, $query, $body),
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_PATH_AS_IS => true,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_TIMEOUT_MS => (int) ($this->timeout * 1000),
            CURLOPT_HEADERFUNCTION => static function ($curl, string $line) use (&$headers): int {
                if (str_contains($line, ':')) {
                    [$name, $value] = explode(':', $line, 2);
                    $headers[strtolower(trim($name))] = trim($value);
                }
                return strlen($line);
            },
            CURLOPT_WRITEFUNCTION => static function ($curl, string $part) use (&$text): int {
                $text .= $part;
                return strlen($text) > self::LONGEST_ANSWER ? -1 : strlen($part);
            },
        ]);
        if ($call->method !== 'GET') {
            curl_setopt($curl, CURLOPT_POSTFIELDS, $body ?? '');
        }
        $done = curl_exec($curl);
        if (strlen($text) > self::LONGEST_ANSWER) {
            throw new TooLongError("$call->method $call->path: the answer has more than 32 MB");
        }
        if ($done === false) {
            throw new NoAnswerError("$call->method $call->path: " . curl_error($curl));
        }
        return new Answer(curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $headers, $text);
    }

    /** @return list<string> */
    private function headers(Call $call, string $query, ?string $body): array
    {
        $headers = [
            "Accept: $call->accept",
            "$this->names-Invoke: $this->key",
            'Content-Type:' . ($body === null ? '' : ' application/json'),
            'Expect:',
        ];
        if ($call->idempotencyKey !== '') {
            $headers[] = "Idempotency-Key: $call->idempotencyKey";
        }
        if ($this->signingSecret !== '') {
            $timestamp = (string) time();
            $nonce = bin2hex(random_bytes(16));
            $path = $this->prefix . $call->path;
            $headers[] = "$this->names-Timestamp: $timestamp";
            $headers[] = "$this->names-Nonce: $nonce";
            $headers[] = "$this->names-Signature: " . Signature::of($this->signingSecret, $call->method, $path, $query, $timestamp, $nonce, $body ?? '');
        }
        return $headers;
    }

    /** Refuses an Idempotency-Key that the API would take for none: sent twice under it, a payout could be made twice. */
    private static function checkKey(string $key): void
    {
        $characters = preg_match_all('/./us', $key);
        $count = $characters === false ? strlen($key) : $characters; // bytes outside UTF-8 are read as Latin-1
        if ($count > self::LONGEST_KEY || $key !== '' && trim($key, " \t") === '' || preg_match('/[\x00-\x08\x0a-\x1f]/', $key)) {
            throw new \InvalidArgumentException(
                "the idempotency key has $count characters: the API takes 1 to " . self::LONGEST_KEY . ', on one line, not all of them spaces'
            );
        }
    }

    /**
     * Refuses a body with a float, or an amount not in text: it would not be the exact amount.
     *
     * @param array<mixed> $body
     * @return array<mixed>
     */
    private static function exact(array $body): array
    {
        foreach (array_is_list($body) ? $body : [$body] as $item) {
            foreach ($item as $name => $value) {
                $amount = $name === 'crypto_amount' || $name === 'fiat_amount';
                if (is_float($value) || $amount && $value !== null && !is_string($value)) {
                    throw new \InvalidArgumentException("$name must be a text such as '12.5', not " . var_export($value, true));
                }
            }
        }
        return $body;
    }

    /** @param array<string, mixed> $values */
    private static function query(array $values): string
    {
        foreach ($values as $name => $value) {
            if (is_float($value)) {
                throw new \InvalidArgumentException("write $name as a text: a float is not exact");
            }
        }
        return http_build_query(array_filter($values, static fn ($value) => $value !== null && $value !== ''));
    }

    /** The wait asked for by the API, else longer each time, with a share of chance so that clients do not march in step. */
    private static function pause(int $attempt, ?Answer $answer): float
    {
        $asked = $answer?->retryAfter() ?? 0.0;
        $most = min(self::FIRST_PAUSE * 2 ** $attempt, self::LONGEST_PAUSE);
        return $asked > 0 ? $asked : $most / 2 + mt_rand() / mt_getrandmax() * $most / 2;
    }
}
