<?php

declare(strict_types=1);

namespace Causeway;

/** A received HTTP response. */
final class Answer
{
    /** Seconds; a longer Retry-After is no longer either. */
    private const ENDLESS = 4294967296;

    /** @param array<string, string> $headers by names in small letters */
    public function __construct(
        public readonly int $status,
        public readonly array $headers,
        public readonly string $body,
    ) {
    }

    /**
     * The body read as JSON; null if it is none.
     *
     * @return array<string, mixed>|null
     */
    public function json(): ?array
    {
        $read = json_decode($this->body, true);
        return is_array($read) ? $read : null;
    }

    /** The seconds that the API asks to wait; 0 when it does not say. */
    public function retryAfter(): float
    {
        $text = $this->headers['retry-after'] ?? '';
        return preg_match('/^[0-9]+$/D', $text) ? min((float) $text, self::ENDLESS) : 0;
    }

    /** Reads the error. An answer not from the API, such as a proxy's page, has no code. */
    public function refusal(): ApiError
    {
        $problem = $this->json()['error'] ?? null;
        if (!is_array($problem) || empty($problem['code'])) {
            $problem = ['code' => '', 'message' => 'not an answer of the API'];
        }
        return new ApiError($problem, $this->status, $this->headers['x-request-id'] ?? '', $this->retryAfter());
    }

    /** Reports whether trying again can help. */
    public function passing(): bool
    {
        if ($this->status === 409) {
            return $this->refusal()->code === 'idempotency_key_in_progress';
        }
        return $this->status === 429 || $this->status >= 500 && !$this->halfWay();
    }

    /** Reports whether a failure tells of payouts created before it: asked again, the API would call these duplicates. */
    private function halfWay(): bool
    {
        foreach ($this->json()['results'] ?? [] as $result) {
            if (!isset($result['error'])) {
                return true;
            }
        }
        return false;
    }
}
