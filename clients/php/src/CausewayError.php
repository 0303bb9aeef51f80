<?php

declare(strict_types=1);

namespace Causeway;

/** The base of all errors of this package. */
class CausewayError extends \RuntimeException
{
}
