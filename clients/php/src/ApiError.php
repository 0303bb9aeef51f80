<?php

declare(strict_types=1);

namespace Causeway;

/**
 * A refusal by the API, or of one payout. Branch on code.
 *
 * code is empty for an answer that is not the API's own, such as a proxy's page: then nothing is known about the request.
 *
 * @phpstan-import-type Problem from Types
 * @phpstan-import-type PayoutAnswer from Types
 * @phpstan-import-type RefusedPayout from Types
 */
final class ApiError extends CausewayError
{
    /** @var string */
    public $code = '';

    /** @var array<string, mixed> */
    public readonly array $details;

    /** @var PayoutAnswer|null the results so far, after a failure half way */
    public ?array $answer = null;

    /** @var RefusedPayout|null of createPayout; of a duplicate it tells of the original */
    public ?array $result = null;

    /**
     * @param Problem $problem
     * @param int $status HTTP status; 0 for one payout of a request
     * @param float $retryAfter seconds; 0 when the API does not say
     */
    public function __construct(
        array $problem,
        public readonly int $status = 0,
        public readonly string $requestId = '',
        public readonly float $retryAfter = 0,
    ) {
        $text = $problem['code'] . ': ' . $problem['message'];
        if ($status !== 0) {
            $again = $retryAfter > 0 ? ", again in $retryAfter s" : '';
            $text .= " (HTTP $status, request $requestId$again)";
        }
        parent::__construct($text);
        $this->code = $problem['code'];
        $this->details = $problem['details'] ?? [];
    }

    /**
     * The faults of the request by field, for invalid_parameters and missing_required_fields.
     *
     * @return array<string, string>
     */
    public function fields(): array
    {
        $found = $this->details['fields'] ?? [];
        return is_array($found) ? $found : [];
    }
}
