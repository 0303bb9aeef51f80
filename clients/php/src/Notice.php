<?php

declare(strict_types=1);

namespace Causeway;

/**
 * A verified webhook.
 *
 * Deduplicate by data['internal_reference'] together with event: the same notice may come more than once, under the same delivery or another. A
 * payment_reversed ends this for its payin: a later notice under another delivery is news unless data['is_duplicated']. Each payment_updated is
 * news: deduplicate it by delivery alone.
 *
 * @phpstan-import-type PayinNoticeData from Types
 * @phpstan-import-type PayoutNoticeData from Types
 */
final class Notice
{
    /** @param PayinNoticeData|PayoutNoticeData $data */
    public function __construct(
        public readonly string $event,
        public readonly string $timestamp,
        public readonly array $data,
        public readonly string $delivery,
    ) {
    }
}
