<?php

declare(strict_types=1);

namespace Causeway;

/** One operation with its arguments. */
final class Call
{
    /**
     * @param string $path percent-encoded
     * @param array<string, mixed> $query
     * @param array<mixed>|null $body
     * @param bool $harmless changes nothing, whatever its method
     */
    public function __construct(
        public readonly string $method,
        public readonly string $path,
        public readonly array $query = [],
        public readonly ?array $body = null,
        public readonly string $idempotencyKey = '',
        public readonly bool $harmless = false,
        public readonly string $accept = 'application/json',
    ) {
    }

    /** Reports whether sending twice has the effect of sending once. */
    public function repeatable(): bool
    {
        return $this->method === 'GET' || $this->harmless || $this->idempotencyKey !== '';
    }
}
