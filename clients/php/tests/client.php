<?php

declare(strict_types=1);

// The client against scripted answers, and the cases shared with the other clients (clients/vectors.json): php tests/client.php

use Causeway\ApiError;
use Causeway\CausewayError;
use Causeway\Client;
use Causeway\NoAnswerError;
use Causeway\OtherBodyError;
use Causeway\Signature;
use Causeway\TooLongError;
use Causeway\Webhook;
use Causeway\WebhookError;

require __DIR__ . '/autoload.php';

$vectors = json_decode(file_get_contents(__DIR__ . '/../../vectors.json'), true, 512, JSON_THROW_ON_ERROR);
const PAYOUT = ['reference_id' => 'r-1'];

/** Runs a test against a server that answers in order; the test gets its address, and a function for the requests so far. */
function scripted(array $answers, Closure $test): void
{
    $script = tempnam(sys_get_temp_dir(), 'script');
    $requests = tempnam(sys_get_temp_dir(), 'requests');
    file_put_contents($script, json_encode($answers, JSON_THROW_ON_ERROR));
    $server = proc_open([PHP_BINARY, __DIR__ . '/script.php', $script, $requests], [1 => ['pipe', 'w']], $pipes);
    try {
        $test('http://127.0.0.1:' . trim(fgets($pipes[1])), static fn () => array_map(static function (string $line): array {
            $asked = json_decode($line, true, 512, JSON_THROW_ON_ERROR);
            return ['headers' => array_map('base64_decode', $asked['headers'])] + $asked;
        }, file($requests)));
    } finally {
        proc_terminate($server, 9);
        proc_close($server);
        unlink($script);
        unlink($requests);
    }
}

function same(mixed $want, mixed $got, string $what): void
{
    if ($want !== $got) {
        throw new AssertionError("$what: " . json_encode($got) . ', and not ' . json_encode($want));
    }
}

function thrown(string $class, Closure $call, string $what): Throwable
{
    try {
        $call();
    } catch (Throwable $error) {
        if ($error instanceof $class) {
            return $error;
        }
        throw $error;
    }
    throw new AssertionError("$what: no $class");
}

function problem(string $code): string
{
    return json_encode(['error' => ['code' => $code, 'message' => 'm']]);
}

function client(string $url, array &$pauses, mixed ...$settings): Client
{
    $wait = static function (float $seconds) use (&$pauses): void {
        $pauses[] = $seconds;
    };
    return new Client(...['baseUrl' => "$url/", 'key' => 'cw_live_x', 'wait' => $wait, ...$settings]);
}

function outcome(Closure $call): string
{
    try {
        $call();
        return 'done';
    } catch (ApiError $error) {
        return $error->code ?: 'refused';
    } catch (OtherBodyError) {
        return 'other body';
    } catch (NoAnswerError) {
        return 'no answer';
    } catch (CausewayError) {
        return 'refused';
    }
}

$calls = [
    'read' => static fn (Client $api) => $api->getBalances(),
    'keyed' => static fn (Client $api) => $api->createPayout(PAYOUT, idempotencyKey: 'key-1'),
    'payout' => static fn (Client $api) => $api->createPayout(PAYOUT),
    'rehearsal' => static fn (Client $api) => $api->rehearsePayouts([PAYOUT]),
    'payin' => static fn (Client $api) => $api->createPayin(PAYOUT),
];
$pauses = [];

foreach ($vectors['calls'] as $case) {
    scripted($case['answers'], static function (string $url, Closure $asked) use ($case, $calls, &$pauses): void {
        $want = isset($case['other_body']) ? 'other body' : (isset($case['no_answer']) ? 'no answer' : (isset($case['refused']) ? 'refused' : ($case['code'] ?: 'done')));
        same($want, outcome(static fn () => $calls[$case['call']](client($url, $pauses))), $case['name']);
        same($case['asked'], count($asked()), "times of: {$case['name']}");
        same(1, count(array_unique(array_map(static fn ($a) => [$a['body'], $a['headers']['idempotency-key'] ?? ''], $asked()), SORT_REGULAR)), $case['name']);
    });
}

foreach ($vectors['waits'] as $case) {
    $limited = ['status' => 429, 'body' => problem('rate_limit_exceeded'), 'headers' => ['Retry-After' => $case['retry_after']]];
    scripted([$limited, ['body' => '{}']], static function (string $url) use ($case): void {
        $pauses = [];
        $api = client($url, $pauses, longestWait: $case['longest_wait']);
        if ($case['waits']) {
            $api->getBalances();
            same([(float) $case['retry_after']], $pauses, 'pauses');
            return;
        }
        $error = thrown(ApiError::class, static fn () => $api->getBalances(), $case['retry_after']);
        same([true, true, []], [$error->retryAfter > $case['longest_wait'], str_contains($error->getMessage(), ', again in '), $pauses], 'the wait');
    });
}

scripted([['status' => 500, 'body' => problem('internal_error')]], static function (string $url): void {
    $pauses = [];
    $api = client($url, $pauses, retries: 8);
    thrown(ApiError::class, static fn () => $api->getBalances(), 'broken');
    same(8, count($pauses), 'pauses');
    foreach ($pauses as $n => $pause) {
        $most = min(0.2 * 2 ** $n, 10);
        same(true, $pause >= $most / 2 && $pause <= $most, "pause $n, $pause s, fits");
    }
});

foreach ([...$vectors['keys'], ['of' => "a\r\nX-Other: 1", 'times' => 1, 'fits' => false]] as $case) {
    scripted([['body' => '{"results":[{"status":"created"}]}']], static function (string $url, Closure $asked) use ($case, &$pauses): void {
        $key = str_repeat($case['of'], $case['times']);
        $call = static fn () => client($url, $pauses)->createPayout(PAYOUT, $key);
        if (!$case['fits']) {
            thrown(InvalidArgumentException::class, $call, $key);
            same([], $asked(), 'requests');
            return;
        }
        $call();
        same($key, $asked()[0]['headers']['idempotency-key'], 'the key');
    });
}

$unavailable = ['status' => 503, 'body' => problem('service_unavailable')];
scripted([$unavailable, ['body' => '{"deposit":{}}']], static function (string $url, Closure $asked) use (&$pauses): void {
    client($url, $pauses, signingSecret: 'secret', headerPrefix: 'X-Acme-')->checkPayin('ref/1 é');
    $path = '/v1/check-payin/ref%2F1%20%C3%A9';
    foreach ($asked() as ['target' => $target, 'headers' => $headers]) {
        $want = Signature::of('secret', 'GET', $path, '', $headers['x-acme-timestamp'], $headers['x-acme-nonce'], '');
        same([$path, $want, 'cw_live_x'], [$target, $headers['x-acme-signature'], $headers['x-acme-invoke']], 'the signature');
    }
    same(2, count(array_unique(array_map(static fn ($a) => $a['headers']['x-acme-nonce'], $asked()))), 'nonces');
});

scripted([['body' => '{}']], static function (string $url, Closure $asked) use (&$pauses): void {
    $api = client($url, $pauses);
    foreach ([['crypto_amount' => 12.5], ['crypto_amount' => 12], ['fiat_amount' => 1], ['expires_at' => 1.5]] as $wrong) {
        thrown(InvalidArgumentException::class, static fn () => $api->createPayin($wrong), json_encode($wrong));
    }
    thrown(InvalidArgumentException::class, static fn () => $api->getQuote(['amount' => 0.1]), 'a float');
    same([], $asked(), 'requests');
    $api->listPayouts(['page' => 2, 'status' => 'pending', 'reference_id' => '', 'date_from' => '2026-01-02']);
    same('/v1/list-payout?page=2&status=pending&date_from=2026-01-02', $asked()[0]['target'], 'the query');
});

$fields = '{"error":{"code":"invalid_parameters","message":"Wrong.","details":{"fields":{"memo":"must be digits"}}}}';
scripted([['status' => 400, 'body' => $fields, 'headers' => ['X-Request-Id' => 'id-1']]], static function (string $url) use (&$pauses): void {
    $error = thrown(ApiError::class, static fn () => client($url, $pauses)->createPayin(PAYOUT), 'wrong');
    same([['memo' => 'must be digits'], 'invalid_parameters: Wrong. (HTTP 400, request id-1)'], [$error->fields(), $error->getMessage()], 'the error');
});

foreach ([0, 1] as $more) {
    scripted([['body' => 'x', 'times' => (32 << 20) + $more]], static function (string $url, Closure $asked) use ($more, &$pauses): void {
        $call = static fn () => client($url, $pauses)->statementsCsv();
        $more ? thrown(TooLongError::class, $call, 'too long') : same(32 << 20, strlen($call()), 'the length');
        same(1, count($asked()), 'requests');
    });
}

foreach ([['', 'k'], ['nowhere', 'k'], ['ftp://a.example', 'k'], ['https://a.example', ''], ['https://a.example?x=1', 'k']] as [$url, $key]) {
    thrown(InvalidArgumentException::class, static fn () => new Client($url, $key), $url);
}

foreach ($vectors['signing'] as $c) {
    same($c['signature'], Signature::of($c['secret'], $c['method'], $c['path'], $c['query'], $c['timestamp'], $c['nonce'], $c['body']), $c['path']);
}

foreach ($vectors['webhooks'] as $c) {
    $parts = ['Signature' => $c['signature'], 'Timestamp' => $c['timestamp'], 'Delivery' => $c['delivery']];
    $plain = $server = ['REQUEST_TIME' => 1];
    foreach ($parts as $name => $value) {
        $plain["{$c['header_prefix']}-$name"] = [$value];
        $server['HTTP_' . strtoupper(strtr("{$c['header_prefix']}-$name", '-', '_'))] = $value;
    }
    foreach ([$plain, $server] as $headers) {
        $verify = static fn () => Webhook::verify($headers, $c['body'], $c['secrets'], $c['header_prefix'], $c['now']);
        if ($c['good']) {
            same(['payment_processed', 'dlv_0001'], [$verify()->event, $verify()->delivery], $c['name']);
        } else {
            thrown(WebhookError::class, $verify, $c['name']);
        }
    }
}
same([[], ['a', 'b']], [Webhook::hashes(null), Webhook::hashes('["a","b"]')], 'hashes');
echo "passed\n";
