<?php

declare(strict_types=1);

namespace Causeway;

/** The answer has more than 32 MB, such as a CSV of many years. No part of it is returned. */
final class TooLongError extends CausewayError
{
}
