// Tries the client against a running service on simulated networks: `go test -run TestKits ./cmd/causeway` starts both.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

import * as causeway from "../src/index.js";

const address = "TNDFkUNA2TukukC1Moeqj61pAS53NFchGF";
const elsewhere = "0x2222222222222222222222222222222222222222"; // on Ethereum

function env(name: string): string {
  return process.env[name] ?? assert.fail(`${name} is not set`);
}

const headerPrefix = env("CAUSEWAY_HEADER_PREFIX");

function client(key: string, settings: Partial<causeway.Settings> = {}): causeway.Client {
  return new causeway.Client({ baseUrl: env("CAUSEWAY_URL"), key: env(key), headerPrefix, ...settings });
}

/** Receives webhooks, and believes the verified ones only. */
const seen: causeway.Notice[] = [];
const receiver = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  try {
    seen.push(causeway.verifyWebhook(request.headers, Buffer.concat(parts), env("CAUSEWAY_WEBHOOK_SECRET"), { headerPrefix }));
    response.writeHead(200).end();
  } catch {
    response.writeHead(401).end();
  }
});
receiver.listen(0, "127.0.0.1");
await once(receiver, "listening");
const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks`;

async function eventually<T>(reached: () => T | undefined | Promise<T | undefined>, what: string): Promise<T> {
  for (const end = Date.now() + 60_000; Date.now() < end; await pause(100)) {
    const found = await reached();
    if (found !== undefined) return found;
  }
  return assert.fail(`not within a minute: ${what}`);
}

function told(reference: string, event: causeway.Event): Promise<causeway.Notice> {
  return eventually(() => seen.find((n) => n.data.internal_reference === reference && n.event === event), event);
}

async function refused(code: causeway.ErrorCode, call: Promise<unknown>): Promise<causeway.ApiError> {
  const error = await call.then(
    (answer) => assert.fail(`${code} was expected, and the answer is ${JSON.stringify(answer)}`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof causeway.ApiError && error.code === code, String(error));
  return error;
}

function payout(reference: string, more: Partial<causeway.PayoutRequest> = {}): causeway.PayoutRequest {
  return {
    reference_id: reference,
    network: "Tron",
    crypto_currency: "USDT",
    wallet: address,
    process_by: "crypto_amount",
    crypto_amount: "5",
    feetakenfromamount: 0,
    webhook_url: hook,
    ...more,
  };
}

async function prices(api: causeway.Client): Promise<void> {
  assert.ok((await api.getCurrencies()).tokens.includes("USDT"));
  assert.ok((await api.getPrice("USDT", "USD")).price);
  assert.ok((await api.getTokens()).some((token) => token.symbol === "USDT"));
  assert.ok((await api.getFiats()).some((fiat) => fiat.code === "USD"));
  assert.ok((await api.getSummary()).user_info.payment_rate);
  assert.ok((await api.getQuote({ operation: "payout", network: "Tron", token: "USDT", amount: "5" })).accepted);
  assert.ok((await api.validateAddress("trc20", address)).valid);
  assert.ok(!(await api.validateAddress("Tron", "TJRab")).valid);
}

async function paidIn(api: causeway.Client): Promise<string> {
  const wanted: causeway.PayinRequest = {
    reference_id: `order/${randomUUID()} ä`,
    network: "Tron",
    crypto_currency: "USDT",
    process_by: "crypto_amount",
    crypto_amount: "30",
    webhook_url: hook,
  };
  const payin = await api.createPayin(wanted);
  await refused("duplicate_reference_id", api.createPayin(wanted));
  assert.equal((await api.checkPayin(wanted.reference_id)).status, "pending");
  const payment = ["sandbox", "pay", "--network", "Tron", "--token", "USDT", "--to", payin.wallet, "--amount", "30"];
  execFileSync(env("CAUSEWAY_PROGRAM"), [...payment, "--data-dir", env("CAUSEWAY_DATA_DIR")], { stdio: ["ignore", "ignore", "inherit"] });
  const { data } = await told(payin.internal_reference, "payment_confirmed");
  assert.ok("received_amount" in data && data.received_amount === "30" && data.reference_id === wanted.reference_id);
  const record = await api.checkPayin(payin.internal_reference);
  assert.deepEqual([record.status, record.received_amount, record.payment_status], ["completed", "30", "exact"]);
  assert.deepEqual(causeway.hashes(record.txid), [record.payments[0]?.txid]);
  return payin.internal_reference;
}

/** A payout by signed requests, its first answer lost: the service loses it for keys that begin with lost-. */
async function paidOut(): Promise<void> {
  const api = client("CAUSEWAY_SIGNED_KEY", { signingSecret: env("CAUSEWAY_SIGNING_SECRET") });
  const wanted = payout(`salary-${randomUUID()}`);
  const [rehearsed] = (await api.rehearsePayouts([wanted])).results;
  assert.ok(rehearsed && "status" in rehearsed && rehearsed.internal_reference === null);
  const idempotencyKey = `lost-${randomUUID()}`;
  const made = await api.createPayout(wanted, { idempotencyKey });
  assert.equal((await told(made.internal_reference, "payment_processed")).data.status, "success");
  assert.equal((await api.listPayouts({ reference_id: wanted.reference_id })).meta.total, 1);
  assert.equal((await api.checkPayout(made.internal_reference)).status, "completed");
  const again = await refused("duplicate_payment_reference", api.createPayout(wanted));
  assert.equal(again.result?.internal_reference, made.internal_reference);
  await assert.rejects(api.createPayout({ ...wanted, crypto_amount: "6" }, { idempotencyKey }), causeway.OtherBodyError);
}

async function paidTogether(api: causeway.Client): Promise<void> {
  const start = `batch-${randomUUID()}`;
  const wanted = ["1.1", "1.2", "1.3"].map((crypto_amount, n) => payout(`${start}-${n}`, { crypto_amount }));
  const answer = await api.createPayouts([...wanted, payout(`${start}-bad`, { wallet: elsewhere })], { idempotencyKey: start });
  assert.deepEqual([answer.summary.successful, answer.summary.failed], [3, 1]);
  const made: string[] = [];
  for (const result of answer.results) {
    if ("error" in result) assert.deepEqual([result.index, result.error.code], [3, "invalid_format"]);
    else made.push(result.internal_reference);
  }
  for (const reference of made) await told(reference, "payment_processed");
  const found: string[] = [];
  const { meta } = await api.listPayouts({ per_page: 2 });
  for (let page = 1; page <= meta.total_pages; page++) {
    found.push(...(await api.listPayouts({ per_page: 2, page })).payments.map((p) => p.internal_reference));
  }
  assert.equal(new Set(found).size, found.length);
  assert.ok(made.length === 3 && made.every((reference) => found.includes(reference)));
}

/** The statement ends at the balance, and its lines sum to it. Amounts have eight decimals here, and bigint holds them exactly. */
async function books(api: causeway.Client): Promise<void> {
  const units = (amount: string): bigint => {
    const [whole = "", part = ""] = amount.split(".");
    return BigInt(whole + part.padEnd(8, "0"));
  };
  const signed = (direction: string, amount: string): bigint => (direction === "in" ? units(amount) : -units(amount));
  const lines: causeway.StatementLine[] = [];
  for (let page = 1, total = 1; lines.length < total; page++) {
    const answer = await api.listStatements({ balance: "USDT", per_page: 50, page });
    lines.push(...answer.statements);
    total = answer.meta.total;
  }
  const balance = (await api.getBalances()).balances["USDT"];
  const total = lines.reduce((sum, line) => sum + signed(line.direction, line.amount), 0n);
  assert.equal(lines[0]?.balance_after, balance);
  assert.equal(total, units(balance ?? ""));
  assert.equal((await api.statementsCsv({ balance: "USDT" })).trimEnd().split("\r\n").length, lines.length + 1);
  const sums = await api.summarizeStatements({ balance: "USDT" });
  assert.equal(sums.reduce((sum, s) => sum + signed(s.direction, s.total_amount), 0n), total);
}

async function redelivered(api: causeway.Client, reference: string): Promise<void> {
  const first = await eventually(
    async () => (await api.listWebhookDeliveries({ reference, status: "delivered", event: "payment_confirmed" })).deliveries[0],
    "the webhook is listed as delivered",
  );
  assert.equal((await api.getWebhookDelivery(first.id)).attempts.at(-1)?.http_status, 200);
  assert.equal((await api.redeliverWebhook(first.id)).redelivery_of, first.id);
}

async function refusals(): Promise<void> {
  await refused("scope_denied", client("CAUSEWAY_READ_ONLY_KEY").createPayout(payout("never-made")));
  await refused("api_key_invalid", new causeway.Client({ baseUrl: env("CAUSEWAY_URL"), key: "cw_live_x" }).getBalances());
  await refused("record_not_found", client("CAUSEWAY_KEY").checkPayout(randomUUID()));
  const unsigned = await refused("signature_headers_missing", client("CAUSEWAY_SIGNED_KEY").getBalances());
  assert.ok(unsigned.requestId);
}

const api = client("CAUSEWAY_KEY");
await prices(api);
const reference = await paidIn(api);
await paidOut();
await paidTogether(api);
await books(api);
await redelivered(api, reference);
await refusals();
receiver.close();
receiver.closeAllConnections();
