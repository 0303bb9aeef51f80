import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** One answer of a script: given, cut before its end, or lost. */
export interface Scripted {
  status?: number;
  body?: string;
  headers?: Record<string, string>;
  lost?: boolean;
  cut?: boolean;
}

export interface Asked {
  target: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** The cases shared with the other clients. */
export const vectors = JSON.parse(readFileSync("../vectors.json", "utf8")) as {
  signing: { secret: string; method: string; path: string; query: string; timestamp: string; nonce: string; body: string; signature: string }[];
  webhooks: {
    name: string;
    signature: string;
    timestamp: string;
    delivery: string;
    body: string;
    secrets: string[];
    now: number;
    header_prefix: string;
    good: boolean;
  }[];
  keys: { of: string; times: number; fits: boolean }[];
  waits: { retry_after: string; longest_wait: number; waits: boolean }[];
  calls: {
    name: string;
    call: string;
    answers: Scripted[];
    asked: number;
    code: string;
    other_body?: boolean;
    no_answer?: boolean;
    refused?: boolean;
  }[];
};

/** Runs a test against an API that answers in order, the last answer again and again. It is a fake: it checks nothing. */
export async function scripted(answers: Scripted[], test: (url: string, asked: Asked[]) => Promise<void>): Promise<void> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      asked.push({ target: request.url ?? "", headers: request.headers, body: Buffer.concat(parts).toString() });
      const answer = answers[Math.min(asked.length, answers.length) - 1] ?? {};
      if (answer.lost) return void request.socket.destroy();
      const text = Buffer.from(answer.body ?? "");
      response.writeHead(answer.status ?? 200, { ...answer.headers, "Content-Length": text.length + (answer.cut ? 10 : 0), Connection: "close" });
      response.write(text, () => (answer.cut ? request.socket.destroy() : response.end()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await test(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked);
  } finally {
    server.close();
  }
}
