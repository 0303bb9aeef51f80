/** Speaks to a Causeway API: payins, payouts, balances and webhooks. Amounts are decimals in text, never numbers. */
export { Client } from "./client.js";
export { ApiError, CausewayError, NoAnswerError, OtherBodyError, TooLongError, WebhookError } from "./errors.js";
export { sign } from "./signing.js";
export type { Settings } from "./transport.js";
export type * from "./types.js";
export { hashes, verifyWebhook, type Notice, type VerifyOptions } from "./webhooks.js";
