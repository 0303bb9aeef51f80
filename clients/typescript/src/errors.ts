import type { ErrorCode, PayoutAnswer, Problem, RefundAnswer, RefusedPayout } from "./types.js";

/** The base of all errors of this package. */
export class CausewayError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** No whole answer came. The request may have been carried out all the same: look its reference up. */
export class NoAnswerError extends CausewayError {}

/** The answer has more than 32 MB, such as a CSV of many years. No part of it is returned. */
export class TooLongError extends CausewayError {}

/** A webhook is not to be trusted: its signature is bad, or its timestamp too far from now. */
export class WebhookError extends CausewayError {}

/** The Idempotency-Key was used for a request with another body. answer is that request's: this one was not carried out. */
export class OtherBodyError extends CausewayError {
  constructor(readonly answer: PayoutAnswer | RefundAnswer) {
    super("the Idempotency-Key was used for a request with another body, and this one was not carried out");
  }
}

/** Where a refusal came from. */
export interface Origin {
  /** HTTP status; 0 for one payout of a request. */
  status: number;
  requestId: string;
  /** How long the API asks to wait; 0 when it does not say. */
  retryAfterMs: number;
}

const ofOnePayout: Origin = { status: 0, requestId: "", retryAfterMs: 0 };

/**
 * A refusal by the API, or of one payout. Branch on code.
 *
 * code is empty for an answer that is not the API's own, such as a proxy's page: then nothing is known about the request.
 */
export class ApiError extends CausewayError {
  readonly code: ErrorCode | "" | (string & {});
  readonly details: Record<string, unknown>;
  readonly status: number;
  readonly requestId: string;
  readonly retryAfterMs: number;
  /** The results so far, after a failure half way. */
  answer?: PayoutAnswer;
  /** Of createPayout; of a duplicate it tells of the original. */
  result?: RefusedPayout;

  constructor(problem: Problem, origin: Origin = ofOnePayout) {
    super(textOf(problem, origin));
    this.code = problem.code;
    this.details = problem.details ?? {};
    this.status = origin.status;
    this.requestId = origin.requestId;
    this.retryAfterMs = origin.retryAfterMs;
  }

  /** The faults of the request by field, for invalid_parameters and missing_required_fields. */
  get fields(): Record<string, string> {
    const found = this.details["fields"];
    return typeof found === "object" && found !== null ? (found as Record<string, string>) : {};
  }
}

function textOf(problem: Problem, origin: Origin): string {
  if (origin.status === 0) return `${problem.code}: ${problem.message}`;
  const again = origin.retryAfterMs > 0 ? `, again in ${origin.retryAfterMs / 1000} s` : "";
  return `${problem.code}: ${problem.message} (HTTP ${origin.status}, request ${origin.requestId}${again})`;
}
