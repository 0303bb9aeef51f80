<?php

declare(strict_types=1);

// As composer's, for the tests.
spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Causeway\\')) {
        require __DIR__ . '/../src/' . substr($class, strlen('Causeway\\')) . '.php';
    }
});

// A warning is a failure, too, unless it is silenced.
set_error_handler(static fn (int $level, string $text, string $file, int $line): bool => (error_reporting() & $level) !== 0
    ? throw new \ErrorException($text, 0, $level, $file, $line)
    : true);
