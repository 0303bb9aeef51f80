<?php

declare(strict_types=1);

// A server for tests that answers by a script, and writes the requests down: php script.php SCRIPT.json REQUESTS.json. It prints its port. It is a
// fake: it checks nothing.
[, $script, $requests] = $argv;
$answers = json_decode(file_get_contents($script), true, 512, JSON_THROW_ON_ERROR);
$server = stream_socket_server('tcp://127.0.0.1:0');
echo preg_replace('/.*:/', '', stream_socket_get_name($server, false)), "\n";

for ($asked = 0; ; $asked++) {
    $peer = stream_socket_accept($server, 3600);
    [$method, $target] = explode(' ', fgets($peer));
    $headers = [];
    while (($line = trim(fgets($peer))) !== '') {
        [$name, $value] = explode(':', $line, 2);
        $headers[strtolower($name)] = base64_encode(trim($value));
    }
    $length = (int) base64_decode($headers['content-length'] ?? '');
    $body = $length > 0 ? stream_get_contents($peer, $length) : '';
    file_put_contents($requests, json_encode(['target' => $target, 'headers' => $headers, 'body' => $body]) . "\n", FILE_APPEND);
    $answer = $answers[min($asked, count($answers) - 1)];
    if (empty($answer['lost'])) {
        $text = str_repeat($answer['body'], $answer['times'] ?? 1);
        fwrite($peer, "HTTP/1.1 " . ($answer['status'] ?? 200) . " Scripted\r\nConnection: close\r\n");
        fwrite($peer, 'Content-Length: ' . (strlen($text) + (empty($answer['cut']) ? 0 : 10)) . "\r\n");
        foreach ($answer['headers'] ?? [] as $name => $value) {
            fwrite($peer, "$name: $value\r\n");
        }
        @fwrite($peer, "\r\n$text");
    }
    fclose($peer);
}
