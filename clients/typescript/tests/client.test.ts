import assert from "node:assert/strict";
import { test } from "node:test";

import * as causeway from "../src/index.js";
import { scripted, vectors } from "./script.js";

const payout = { reference_id: "r-1" } as causeway.PayoutRequest;
const payin = { reference_id: "r-1" } as causeway.PayinRequest;

const calls: Record<string, (api: causeway.Client) => Promise<unknown>> = {
  read: (api) => api.getBalances(),
  keyed: (api) => api.createPayout(payout, { idempotencyKey: "key-1" }),
  payout: (api) => api.createPayout(payout),
  rehearsal: (api) => api.rehearsePayouts([payout]),
  payin: (api) => api.createPayin(payin),
};

function client(url: string, settings: Partial<causeway.Settings> = {}, pauses: number[] = []): causeway.Client {
  const wait = async (ms: number): Promise<void> => void pauses.push(ms);
  return new causeway.Client({ baseUrl: url + "/", key: "cw_live_x", wait, ...settings });
}

function problem(code: string): string {
  return JSON.stringify({ error: { code, message: "m" } });
}

async function outcome(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "done";
  } catch (error) {
    if (error instanceof causeway.ApiError) return error.code || "refused";
    if (error instanceof causeway.OtherBodyError) return "other body";
    if (error instanceof causeway.NoAnswerError) return "no answer";
    if (error instanceof causeway.CausewayError) return "refused";
    throw error;
  }
}

for (const c of vectors.calls) {
  test(`only what may be repeated is retried: ${c.name}`, () =>
    scripted(c.answers, async (url, asked) => {
      const expected = (c.other_body && "other body") || (c.no_answer && "no answer") || (c.refused && "refused") || c.code || "done";
      assert.equal(await outcome(calls[c.call]!(client(url))), expected);
      assert.equal(asked.length, c.asked);
      assert.equal(new Set(asked.map((a) => a.body)).size, 1);
      assert.equal(new Set(asked.map((a) => a.headers["idempotency-key"])).size, 1);
    }));
}

for (const c of vectors.waits) {
  test(`a Retry-After of ${c.retry_after} s with ${c.longest_wait} s`, () =>
    scripted(
      [{ status: 429, body: problem("rate_limit_exceeded"), headers: { "Retry-After": c.retry_after } }, { body: "{}" }],
      async (url) => {
        const pauses: number[] = [];
        const call = client(url, { longestWaitMs: c.longest_wait * 1000 }, pauses).getBalances();
        if (c.waits) {
          await call;
          assert.deepEqual(pauses, [Number(c.retry_after) * 1000]);
          return;
        }
        await assert.rejects(call, (error: causeway.ApiError) => error.retryAfterMs > c.longest_wait * 1000 && /, again in /.test(error.message));
        assert.deepEqual(pauses, []);
      },
    ));
}

test("pauses grow", () =>
  scripted([{ status: 500, body: problem("internal_error") }], async (url) => {
    const pauses: number[] = [];
    await assert.rejects(client(url, { retries: 8 }, pauses).getBalances());
    assert.equal(pauses.length, 8);
    pauses.forEach((pause, n) => {
      const most = Math.min(200 * 2 ** n, 10_000);
      assert.ok(pause >= most / 2 && pause <= most, `pause ${n} is ${pause}`);
    });
  }));

for (const k of [...vectors.keys, { of: "a\r\nX-Other: 1", times: 1, fits: false }]) {
  test(`a key of ${k.times} times ${JSON.stringify(k.of)} fits: ${k.fits}`, () =>
    scripted([{ body: '{"results":[{"status":"created"}]}' }], async (url, asked) => {
      const idempotencyKey = k.of.repeat(k.times);
      const call = client(url).createPayout(payout, { idempotencyKey });
      if (!k.fits) {
        await assert.rejects(call, TypeError);
        assert.equal(asked.length, 0);
        return;
      }
      await call;
      assert.equal(Buffer.from(String(asked[0]?.headers["idempotency-key"]), "latin1").toString(), idempotencyKey);
    }));
}

test("attempts are signed afresh", () =>
  scripted([{ status: 503, body: problem("service_unavailable") }, { body: '{"deposit":{}}' }], async (url, asked) => {
    await client(url, { signingSecret: "secret", headerPrefix: "X-Acme-" }).checkPayin("ref/1 é");
    const path = "/v1/check-payin/ref%2F1%20%C3%A9";
    for (const { target, headers } of asked) {
      const want = causeway.sign("secret", "GET", path, "", String(headers["x-acme-timestamp"]), String(headers["x-acme-nonce"]), "");
      assert.deepEqual([target, headers["x-acme-signature"], headers["x-acme-invoke"]], [path, want, "cw_live_x"]);
    }
    assert.equal(new Set(asked.map((a) => a.headers["x-acme-nonce"])).size, 2);
  }));

test("amounts are text", () =>
  scripted([{ body: "{}" }], async (url, asked) => {
    const api = client(url);
    for (const wrong of [{ crypto_amount: 12.5 }, { crypto_amount: 12 }, { fiat_amount: 1 }, { expires_at: 1.5 }, { expires_at: NaN }]) {
      await assert.rejects(api.createPayin(wrong as unknown as causeway.PayinRequest), TypeError);
    }
    const request = { operation: "payout", network: "Tron", token: "USDT", amount: 0.1 };
    await assert.rejects(api.getQuote(request as unknown as causeway.GetQuoteQuery), TypeError);
    assert.equal(asked.length, 0);
  }));

test("errors tell the fields", () => {
  const body = '{"error":{"code":"invalid_parameters","message":"Wrong.","details":{"fields":{"memo":"must be digits"}}}}';
  return scripted([{ status: 400, body, headers: { "X-Request-Id": "id-1" } }], async (url) => {
    await assert.rejects(client(url).createPayin(payin), (error: causeway.ApiError) => {
      assert.deepEqual(error.fields, { memo: "must be digits" });
      assert.equal(String(error), "ApiError: invalid_parameters: Wrong. (HTTP 400, request id-1)");
      return true;
    });
  });
});

for (const more of [0, 1]) {
  test(`an answer of 32 MB and ${more} bytes`, () =>
    scripted([{ body: "x".repeat((32 << 20) + more) }], async (url, asked) => {
      const call = client(url).statementsCsv();
      if (more) await assert.rejects(call, causeway.TooLongError);
      else assert.equal((await call).length, 32 << 20);
      assert.equal(asked.length, 1);
    }));
}

test("the queries are sent", () =>
  scripted([{ body: "{}" }], async (url, asked) => {
    await client(url).listPayouts({ page: 2, status: "pending", reference_id: "", date_from: "2026-01-02" });
    assert.equal(asked[0]?.target, "/v1/list-payout?page=2&status=pending&date_from=2026-01-02");
  }));

test("wrong settings are refused", () => {
  for (const [baseUrl, key] of [["", "k"], ["nowhere", "k"], ["ftp://a.example", "k"], ["https://a.example", ""], ["https://a.example?x=1", "k"]]) {
    assert.throws(() => new causeway.Client({ baseUrl: baseUrl!, key: key! }), TypeError);
  }
});

test("signatures of requests", () => {
  for (const c of vectors.signing) {
    assert.equal(causeway.sign(c.secret, c.method, c.path, c.query, c.timestamp, c.nonce, c.body), c.signature);
  }
});

for (const c of vectors.webhooks) {
  test(`a webhook, ${c.name}, is good: ${c.good}`, () => {
    const headers = {
      [`${c.header_prefix}-Signature`]: c.signature,
      [`${c.header_prefix}-Timestamp`]: c.timestamp,
      [`${c.header_prefix}-Delivery`]: c.delivery,
    };
    const options = { headerPrefix: c.header_prefix, now: c.now * 1000 };
    for (const given of [headers, new Headers(headers)]) {
      const verify = (): causeway.Notice => causeway.verifyWebhook(given, Buffer.from(c.body), c.secrets, options);
      if (!c.good) assert.throws(verify, causeway.WebhookError);
      else assert.deepEqual(verify(), { event: "payment_processed", delivery: "dlv_0001" });
    }
  });
}

test("hashes", () => {
  assert.deepEqual(causeway.hashes(null), []);
  assert.deepEqual(causeway.hashes('["a","b"]'), ["a", "b"]);
});
