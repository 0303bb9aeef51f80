<?php

declare(strict_types=1);

namespace Causeway;

/** A webhook is not to be trusted: its signature is bad, or its timestamp too far from now. */
final class WebhookError extends CausewayError
{
}
