import { timingSafeEqual } from "node:crypto";

import { WebhookError } from "./errors.js";
import { hmacOf, sumOf } from "./signing.js";
import type { Event, PayinNoticeData, PayoutNoticeData } from "./types.js";

/** Milliseconds a notice may be old, or ahead. */
const tolerance = 300_000;

/**
 * A verified webhook.
 *
 * Deduplicate by data.internal_reference together with event: the same notice may come more than once, under the same delivery or another. A
 * payment_reversed ends this for its payin: a later notice under another delivery is news unless data.is_duplicated. Each payment_updated is
 * news: deduplicate it by delivery alone.
 */
export interface Notice {
  event: Event | (string & {});
  timestamp: string;
  data: PayinNoticeData | PayoutNoticeData;
  delivery: string;
}

export interface VerifyOptions {
  /** X-Service when absent. */
  headerPrefix?: string;
  /** Milliseconds, for tests; Date.now() when absent. */
  now?: number;
}

/** Headers of node:http, of a Request, or of an object of your own. */
type Headers = { get(name: string): string | null } | Record<string, string | string[] | undefined>;

/**
 * Reads a notice from the headers and the exact body of a webhook, or throws a WebhookError. secrets are the live webhook secrets: two while one
 * is rotated. Empty ones are left out.
 */
export function verifyWebhook(
  headers: Headers,
  body: string | Uint8Array,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Notice {
  const prefix = (options.headerPrefix ?? "X-Service").replace(/-$/, "");
  const timestamp = headerOf(headers, `${prefix}-Timestamp`);
  const delivery = headerOf(headers, `${prefix}-Delivery`);
  if (!/^[0-9]{1,15}$/.test(timestamp) || Math.abs((options.now ?? Date.now()) - Number(timestamp) * 1000) > tolerance) {
    throw new WebhookError("its timestamp is missing or too far from now");
  }
  const text = ["v1", timestamp, delivery, sumOf(body)].join("\n");
  if (!signs(headerOf(headers, `${prefix}-Signature`), text, typeof secrets === "string" ? [secrets] : secrets)) {
    throw new WebhookError("no signature matches");
  }
  const notice = JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)) as Omit<Notice, "delivery">;
  return { ...notice, delivery };
}

/** Reports whether any secret makes any of the signatures. An empty secret makes none: anybody could sign with it. */
function signs(signatures: string, text: string, secrets: readonly string[]): boolean {
  let matched = false;
  for (const secret of secrets) {
    if (!secret) continue;
    const want = Buffer.from(`v1=${hmacOf(secret, text)}`);
    for (const part of signatures.split(",")) {
      const got = Buffer.from(part.trim());
      matched = (got.length === want.length && timingSafeEqual(got, want)) || matched;
    }
  }
  return matched;
}

function headerOf(headers: Headers, name: string): string {
  if (typeof headers["get"] === "function") return headers.get(name) ?? "";
  for (const [key, value] of Object.entries(headers as Record<string, string | string[] | undefined>)) {
    if (key.toLowerCase() === name.toLowerCase()) return Array.isArray(value) ? value.join(",") : (value ?? "");
  }
  return "";
}

/** Returns the transaction hashes of a payin's txid: on the wire a JSON list inside a text, or null. */
export function hashes(txid: string | null): string[] {
  return txid ? (JSON.parse(txid) as string[]) : [];
}
