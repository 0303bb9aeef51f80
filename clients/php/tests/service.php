<?php

declare(strict_types=1);

// Tries the client against a running service on simulated networks: `go test -run TestKits ./cmd/causeway` starts both.

use Causeway\ApiError;
use Causeway\Client;
use Causeway\Notice;
use Causeway\OtherBodyError;
use Causeway\Webhook;
use Causeway\WebhookError;

require __DIR__ . '/autoload.php';

const ADDRESS = 'TNDFkUNA2TukukC1Moeqj61pAS53NFchGF';
const ELSEWHERE = '0x2222222222222222222222222222222222222222'; // on Ethereum

function check(bool $holds, mixed $what): void
{
    if (!$holds) {
        throw new AssertionError(json_encode($what));
    }
}

function client(string $key, string $secret = ''): Client
{
    return new Client(getenv('CAUSEWAY_URL'), getenv($key), signingSecret: $secret, headerPrefix: getenv('CAUSEWAY_HEADER_PREFIX'));
}

/** Receives webhooks while somebody waits for one, and believes the verified ones only. */
final class Receiver
{
    public readonly string $url;
    /** @var resource */
    private $server;
    /** @var list<Notice> */
    private array $seen = [];

    public function __construct()
    {
        $this->server = stream_socket_server('tcp://127.0.0.1:0');
        $this->url = 'http://' . stream_socket_get_name($this->server, false) . '/webhooks';
    }

    /** Returns the notice of an event of a payin or payout, received by now or to come. */
    public function told(string $reference, string $event): Notice
    {
        for ($end = time() + 60; ;) {
            foreach ($this->seen as $notice) {
                if ($notice->event === $event && $notice->data['internal_reference'] === $reference) {
                    return $notice;
                }
            }
            check(time() < $end, "$event within a minute");
            $this->receive();
        }
    }

    private function receive(): void
    {
        $peer = @stream_socket_accept($this->server, 1);
        if ($peer === false) {
            return;
        }
        $headers = [];
        for (fgets($peer); ($line = trim((string) fgets($peer))) !== '';) {
            [$name, $value] = explode(':', $line, 2);
            $headers[$name] = trim($value);
        }
        $body = stream_get_contents($peer, (int) ($headers['Content-Length'] ?? 0));
        try {
            $this->seen[] = Webhook::verify($headers, $body, getenv('CAUSEWAY_WEBHOOK_SECRET'), getenv('CAUSEWAY_HEADER_PREFIX'));
            fwrite($peer, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        } catch (WebhookError) {
            fwrite($peer, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        }
        fclose($peer);
    }
}

function eventually(Closure $reached, string $what): mixed
{
    for ($end = time() + 60; !($found = $reached()); usleep(100_000)) {
        check(time() < $end, "not within a minute: $what");
    }
    return $found;
}

function refused(string $code, Closure $call): ApiError
{
    try {
        $answer = $call();
    } catch (ApiError $refusal) {
        check($refusal->code === $code, $refusal->getMessage());
        return $refusal;
    }
    throw new AssertionError("$code was expected, and the answer is " . json_encode($answer));
}

function payout(string $reference, string $hook, string $amount = '5', string $wallet = ADDRESS): array
{
    return [
        'reference_id' => $reference, 'network' => 'Tron', 'crypto_currency' => 'USDT', 'wallet' => $wallet, 'process_by' => 'crypto_amount',
        'crypto_amount' => $amount, 'feetakenfromamount' => 0, 'webhook_url' => $hook,
    ];
}

function prices(Client $api): void
{
    check(in_array('USDT', $api->getCurrencies()['tokens'], true), 'currencies');
    check($api->getPrice('USDT', 'USD')['price'] !== '', 'price');
    check(in_array('USDT', array_column($api->getTokens(), 'symbol'), true), 'tokens');
    check(in_array('USD', array_column($api->getFiats(), 'code'), true), 'fiats');
    check($api->getSummary()['user_info']['payment_rate'] !== '', 'summary');
    check($api->getQuote(['operation' => 'payout', 'network' => 'Tron', 'token' => 'USDT', 'amount' => '5'])['accepted'], 'quote');
    check($api->validateAddress('trc20', ADDRESS)['valid'], 'an address');
    check(!$api->validateAddress('Tron', 'TJRab')['valid'], 'no address');
}

function paidIn(Client $api, Receiver $hooks): string
{
    $wanted = [
        'reference_id' => 'order/' . bin2hex(random_bytes(8)) . ' ä', 'network' => 'Tron', 'crypto_currency' => 'USDT',
        'process_by' => 'crypto_amount', 'crypto_amount' => '30', 'webhook_url' => $hooks->url,
    ];
    $payin = $api->createPayin($wanted);
    refused('duplicate_reference_id', static fn () => $api->createPayin($wanted));
    check($api->checkPayin($wanted['reference_id'])['status'] === 'pending', 'pending');
    $pay = [getenv('CAUSEWAY_PROGRAM'), 'sandbox', 'pay', '--network', 'Tron', '--token', 'USDT', '--to', $payin['wallet'], '--amount', '30',
        '--data-dir', getenv('CAUSEWAY_DATA_DIR')];
    exec(implode(' ', array_map('escapeshellarg', $pay)), $out, $code);
    check($code === 0, $out);
    $notice = $hooks->told($payin['internal_reference'], 'payment_confirmed')->data;
    check($notice['received_amount'] === '30' && $notice['reference_id'] === $wanted['reference_id'], $notice);
    $record = $api->checkPayin($payin['internal_reference']);
    check([$record['status'], $record['received_amount'], $record['payment_status']] === ['completed', '30', 'exact'], $record);
    check(Webhook::hashes($record['txid']) === [$record['payments'][0]['txid']], $record);
    return $payin['internal_reference'];
}

/** A payout by signed requests, its first answer lost: the service loses it for keys that begin with lost-. */
function paidOut(Receiver $hooks): void
{
    $api = client('CAUSEWAY_SIGNED_KEY', getenv('CAUSEWAY_SIGNING_SECRET'));
    $wanted = payout('salary-' . bin2hex(random_bytes(8)), $hooks->url);
    $rehearsed = $api->rehearsePayouts([$wanted]);
    check($rehearsed['results'][0]['internal_reference'] === null, $rehearsed);
    $key = 'lost-' . bin2hex(random_bytes(8));
    $made = $api->createPayout($wanted, $key);
    check($hooks->told($made['internal_reference'], 'payment_processed')->data['status'] === 'success', 'success');
    check($api->listPayouts(['reference_id' => $wanted['reference_id']])['meta']['total'] === 1, 'one payout');
    check($api->checkPayout($made['internal_reference'])['status'] === 'completed', 'completed');
    $again = refused('duplicate_payment_reference', static fn () => $api->createPayout($wanted));
    check($again->result['internal_reference'] === $made['internal_reference'], $again->result);
    try {
        $api->createPayout(['crypto_amount' => '6'] + $wanted, $key);
        throw new AssertionError('another body under the same key was taken');
    } catch (OtherBodyError $other) {
        check($other->answer['results'][0]['internal_reference'] === $made['internal_reference'], $other->answer);
    }
}

function paidTogether(Client $api, Receiver $hooks): void
{
    $start = 'batch-' . bin2hex(random_bytes(8));
    $wanted = array_map(static fn (int $n) => payout("$start-$n", $hooks->url, "1.$n"), [1, 2, 3]);
    $wanted[] = payout("$start-bad", $hooks->url, wallet: ELSEWHERE);
    $answer = $api->createPayouts($wanted, $start);
    check([$answer['summary']['successful'], $answer['summary']['failed']] === [3, 1], $answer);
    check($answer['results'][3]['error']['code'] === 'invalid_format', $answer);
    $made = array_column(array_slice($answer['results'], 0, 3), 'internal_reference');
    foreach ($made as $reference) {
        $hooks->told($reference, 'payment_processed');
    }
    $found = [];
    for ($page = 1; $page <= $api->listPayouts(['per_page' => 2])['meta']['total_pages']; $page++) {
        $found = [...$found, ...array_column($api->listPayouts(['per_page' => 2, 'page' => $page])['payments'], 'internal_reference')];
    }
    check(count(array_unique($found)) === count($found) && array_diff($made, $found) === [], $found);
}

/** The statement ends at the balance, and its lines sum to it. Amounts have at most eight decimals here: as whole numbers they are exact. */
function books(Client $api): void
{
    $units = static function (string $direction, string $amount): int {
        [$whole, $part] = explode('.', "$amount.");
        return ($direction === 'in' ? 1 : -1) * (int) ($whole . str_pad($part, 8, '0'));
    };
    $lines = [];
    for ($page = 1, $total = 1; count($lines) < $total; $page++) {
        $answer = $api->listStatements(['balance' => 'USDT', 'per_page' => 50, 'page' => $page]);
        $lines = [...$lines, ...$answer['statements']];
        $total = $answer['meta']['total'];
    }
    $balance = $api->getBalances()['balances']['USDT'];
    $sum = array_sum(array_map(static fn (array $line) => $units($line['direction'], $line['amount']), $lines));
    check($lines[0]['balance_after'] === $balance && $sum === $units('in', $balance), [$sum, $balance]);
    check(count(explode("\r\n", trim($api->statementsCsv(['balance' => 'USDT'])))) === count($lines) + 1, 'the CSV');
    $sums = array_map(static fn (array $s) => $units($s['direction'], $s['total_amount']), $api->summarizeStatements(['balance' => 'USDT']));
    check(array_sum($sums) === $sum, $sums);
}

function redelivered(Client $api, string $reference): void
{
    $filter = ['reference' => $reference, 'status' => 'delivered', 'event' => 'payment_confirmed'];
    [$first] = eventually(static fn () => $api->listWebhookDeliveries($filter)['deliveries'], 'the webhook is listed as delivered');
    $attempts = $api->getWebhookDelivery($first['id'])['attempts'];
    check(end($attempts)['http_status'] === 200, $attempts);
    check($api->redeliverWebhook($first['id'])['redelivery_of'] === $first['id'], $first);
}

function refusals(Receiver $hooks): void
{
    refused('scope_denied', static fn () => client('CAUSEWAY_READ_ONLY_KEY')->createPayout(payout('never-made', $hooks->url)));
    refused('api_key_invalid', static fn () => (new Client(getenv('CAUSEWAY_URL'), 'cw_live_x'))->getBalances());
    refused('record_not_found', static fn () => client('CAUSEWAY_KEY')->checkPayout('01a22101-d4a7-7bec-8e20-6558679a9af7'));
    check(refused('signature_headers_missing', static fn () => client('CAUSEWAY_SIGNED_KEY')->getBalances())->requestId !== '', 'a request id');
}

$api = client('CAUSEWAY_KEY');
$hooks = new Receiver();
prices($api);
$reference = paidIn($api, $hooks);
paidOut($hooks);
paidTogether($api, $hooks);
books($api);
redelivered($api, $reference);
refusals($hooks);
