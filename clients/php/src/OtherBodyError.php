<?php

declare(strict_types=1);

namespace Causeway;

/**
 * The Idempotency-Key was used for a request with another body. answer is that request's: this one was not carried out.
 *
 * @phpstan-import-type PayoutAnswer from Types
 * @phpstan-import-type RefundAnswer from Types
 */
final class OtherBodyError extends CausewayError
{
    /** @param PayoutAnswer|RefundAnswer $answer */
    public function __construct(public readonly array $answer)
    {
        parent::__construct('the Idempotency-Key was used for a request with another body, and this one was not carried out');
    }
}
