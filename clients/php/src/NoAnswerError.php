<?php

declare(strict_types=1);

namespace Causeway;

/** No whole answer came. The request may have been carried out all the same: look its reference up. */
final class NoAnswerError extends CausewayError
{
}
