import { randomBytes } from "node:crypto";

import { ApiError, NoAnswerError, TooLongError } from "./errors.js";
import { sign } from "./signing.js";
import type { Problem } from "./types.js";

const firstPause = 200;
const longestPause = 10_000;
const longestKey = 255; // characters of an Idempotency-Key
const longestAnswer = 32 << 20;
const endless = 2 ** 32; // seconds; a longer Retry-After is no longer either

/** Says how to reach an API. Only baseUrl and key are needed. */
export interface Settings {
  /** Such as https://pay.example.com. */
  baseUrl: string;
  /** The private API key. */
  key: string;
  /** For keys that require signed requests. */
  signingSecret?: string;
  /** X-Service when absent. */
  headerPrefix?: string;
  /** Longest time for a request and its answer; 30,000 when absent. */
  timeoutMs?: number;
  /** How often a request safe to send twice is sent again; 3 when absent. */
  retries?: number;
  /** The longest Retry-After waited for; 60,000 when absent. A longer one ends the call, and retryAfterMs of the error tells it. */
  longestWaitMs?: number;
  /** The fetch of the platform when absent. */
  fetch?: typeof fetch;
  /** Pauses before a retry; a timer when absent. */
  wait?: (ms: number) => Promise<void>;
}

/** One operation with its arguments. */
export interface Call {
  method: "GET" | "POST" | "PUT";
  /** Percent-encoded. */
  path: string;
  query?: object;
  body?: object;
  idempotencyKey?: string;
  /** Changes nothing, whatever its method. */
  harmless?: boolean;
  accept?: string;
}

/** A received HTTP response. */
export class Answer {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly body: Uint8Array,
  ) {}

  /** Returns the body read as a JSON object; undefined if it is none. */
  json(): Record<string, unknown> | undefined {
    try {
      const read: unknown = JSON.parse(new TextDecoder().decode(this.body));
      return typeof read === "object" && read !== null && !Array.isArray(read) ? (read as Record<string, unknown>) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Returns the time that the API asks to wait; 0 when it does not say. */
  retryAfterMs(): number {
    const text = this.headers.get("Retry-After") ?? "";
    return /^[0-9]+$/.test(text) ? Math.min(Number(text), endless) * 1000 : 0;
  }

  /** Reads the error. An answer not from the API, such as a proxy's page, has no code. */
  refusal(): ApiError {
    const found = this.json()?.["error"] as Problem | undefined;
    const problem = found?.code ? found : { code: "", message: "not an answer of the API" };
    return new ApiError(problem, {
      status: this.status,
      requestId: this.headers.get("X-Request-Id") ?? "",
      retryAfterMs: this.retryAfterMs(),
    });
  }

  /** Reports whether trying again can help. */
  passing(): boolean {
    if (this.status === 409) return this.refusal().code === "idempotency_key_in_progress";
    return this.status === 429 || (this.status >= 500 && !this.halfWay());
  }

  /** Reports whether a failure tells of payouts created before it: asked again, the API would call these duplicates. */
  private halfWay(): boolean {
    const results = this.json()?.["results"];
    return Array.isArray(results) && results.some((result: { error?: unknown }) => !result.error);
  }
}

/** Reaches one API with one key. */
export class Transport {
  private readonly origin: string;
  private readonly prefix: string;
  private readonly names: string;

  constructor(private readonly settings: Settings) {
    const base = parse(settings.baseUrl);
    if (!base || !/^https?:$/.test(base.protocol) || base.search || base.hash) {
      throw new TypeError(`${JSON.stringify(settings.baseUrl)} is not the base URL of an API`);
    }
    if (!settings.key) throw new TypeError("there is no API key");
    this.origin = base.origin;
    this.prefix = base.pathname.replace(/\/+$/, "");
    this.names = (settings.headerPrefix ?? "X-Service").replace(/-$/, "");
  }

  /** Sends until there is an answer that no further try would change. */
  async send(call: Call): Promise<Answer> {
    checkKey(call.idempotencyKey ?? "");
    const body = call.body === undefined ? "" : JSON.stringify(exact(call.body));
    const repeatable = call.method === "GET" || call.harmless === true || !!call.idempotencyKey;
    const retries = repeatable ? (this.settings.retries ?? 3) : 0;
    for (let attempt = 0; ; attempt++) {
      const answer = await this.once(call, body).catch((error: unknown) => {
        if (!(error instanceof NoAnswerError) || attempt >= retries) throw error;
        return undefined;
      });
      if (answer && (attempt >= retries || !answer.passing() || answer.retryAfterMs() > (this.settings.longestWaitMs ?? 60_000))) {
        return answer;
      }
      await (this.settings.wait ?? sleep)(pause(attempt, answer));
    }
  }

  /** Makes one attempt, signed afresh. It follows no redirect: the request and its key would go elsewhere. */
  private async once(call: Call, body: string): Promise<Answer> {
    const path = this.prefix + call.path;
    const query = queryOf(call.query ?? {});
    try {
      const response = await (this.settings.fetch ?? fetch)(this.origin + path + (query && `?${query}`), {
        method: call.method,
        headers: this.headers(call, path, query, body),
        body: call.body === undefined ? null : body,
        redirect: "manual",
        signal: AbortSignal.timeout(this.settings.timeoutMs ?? 30_000),
      });
      return new Answer(response.status, response.headers, await read(response));
    } catch (error) {
      if (error instanceof TooLongError) throw error;
      throw new NoAnswerError(`${call.method} ${call.path}: no answer`, { cause: error });
    }
  }

  private headers(call: Call, path: string, query: string, body: string): Record<string, string> {
    const headers: Record<string, string> = { Accept: call.accept ?? "application/json", [`${this.names}-Invoke`]: this.settings.key };
    if (call.body !== undefined) headers["Content-Type"] = "application/json";
    if (call.idempotencyKey) headers["Idempotency-Key"] = Buffer.from(call.idempotencyKey).toString("latin1"); // as UTF-8
    if (this.settings.signingSecret) {
      const timestamp = String(Math.floor(Date.now() / 1000));
      const nonce = randomBytes(16).toString("hex");
      headers[`${this.names}-Timestamp`] = timestamp;
      headers[`${this.names}-Nonce`] = nonce;
      headers[`${this.names}-Signature`] = sign(this.settings.signingSecret, call.method, path, query, timestamp, nonce, body);
    }
    return headers;
  }
}

function parse(url: string): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}

/** Reads a body, unless it is too long. */
async function read(response: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > longestAnswer) throw new TooLongError("the answer has more than 32 MB");
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Refuses an Idempotency-Key that the API would take for none: sent twice under it, a payout could be made twice. */
function checkKey(key: string): void {
  const characters = [...key];
  if (characters.length > longestKey || (key && !key.replace(/[ \t]/g, "")) || /[\0-\x08\n-\x1f]/.test(key)) {
    throw new TypeError(
      `the idempotency key has ${characters.length} characters: the API takes 1 to ${longestKey}, on one line, not all of them spaces`,
    );
  }
}

/** Refuses a body with a fraction, or an amount not in text: it would not be the exact amount. */
function exact(body: object): object {
  for (const item of Array.isArray(body) ? body : [body]) {
    for (const [name, value] of Object.entries(item as object)) {
      const amount = name === "crypto_amount" || name === "fiat_amount";
      if ((amount && value != null && typeof value !== "string") || (typeof value === "number" && !Number.isSafeInteger(value))) {
        throw new TypeError(`${name} must be a text such as "12.5", not ${String(value)}`);
      }
    }
  }
  return body;
}

function queryOf(values: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === "") continue;
    if (typeof value === "number" && !Number.isSafeInteger(value)) throw new TypeError(`write ${name} as a text: ${value} is not exact`);
    query.set(name, String(value));
  }
  return query.toString();
}

/** Returns the wait asked for by the API, else longer each time, with a share of chance so that clients do not march in step. */
function pause(attempt: number, answer: Answer | undefined): number {
  const most = Math.min(firstPause * 2 ** attempt, longestPause);
  return answer?.retryAfterMs() || most / 2 + (Math.random() * most) / 2;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
