import { createHash, createHmac } from "node:crypto";

/** Returns the value of the signature header of a request. path is percent-encoded as it is sent, query is without "?". */
export function sign(
  secret: string,
  method: string,
  path: string,
  query: string,
  timestamp: string,
  nonce: string,
  body: string | Uint8Array,
): string {
  return hmacOf(secret, [method, path, query, timestamp, nonce, sumOf(body)].join("\n"));
}

/** Returns the SHA-256 of a body in hex. */
export function sumOf(body: string | Uint8Array): string {
  return createHash("sha256").update(body).digest("hex");
}

/** Returns the HMAC-SHA256 of a text in hex. */
export function hmacOf(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("hex");
}
