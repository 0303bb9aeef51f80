// A JSON-RPC shim around Solana's real runtime (litesvm): transactions are really verified and executed, by the programs of Solana. It is no
// validator: chain.cjs makes the blocks. usage: node main.cjs PATH-OF-LITESVM '{"port": 0, "every": 0, "lag": 32}'
"use strict";
const http = require("node:http");
const { Chain } = require("./chain.cjs");
const { methods, VERSION } = require("./methods.cjs");
const { orders } = require("./orders.cjs");

const options = JSON.parse(process.argv[3] ?? "{}");
const chain = new Chain(require(process.argv[2]), options);
const trouble = {};
const table = { ...methods(chain, trouble), ...orders(chain, trouble) };

// text writes an answer; numbers of 64 bits are written in full, as validators do.
const text = (answer) => JSON.stringify(answer, (_, value) => (typeof value === "bigint" ? `\u0000${value}` : value)).replace(/"\\u0000(\d+)"/g, "$1");

function answer(question) {
  const reply = { jsonrpc: "2.0", id: question.id ?? null };
  try {
    const method = table[question.method];
    if (!method) return { ...reply, error: { code: -32601, message: "Method not found" } };
    if (trouble.refuse && question.method === trouble.refuse.method) throw Object.assign(new Error(trouble.refuse.message), { code: trouble.refuse.code });
    return { ...reply, result: method(...(question.params ?? [])) };
  } catch (e) {
    return { ...reply, error: { code: e.code ?? -32602, message: e.message, ...(e.data === undefined ? {} : { data: e.data }) } };
  }
}

// refused tells how a node that is not in order answers; nothing if it is.
function refused(questions) {
  if (questions.every((q) => q.method?.startsWith("dev_"))) return undefined;
  if (trouble.down) return 503;
  if (trouble.throttle > 0) {
    trouble.throttle--;
    return 429;
  }
  if (trouble.mute > 0 && questions.some((q) => q.method === "sendTransaction")) {
    trouble.mute--;
    questions.forEach(answer); // it takes them, and does not say so
    return 502;
  }
  return undefined;
}

const server = http.createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    const end = (status, body) => { response.writeHead(status, { "content-type": "application/json" }); response.end(body); };
    let body;
    try {
      body = JSON.parse(Buffer.concat(parts).toString());
    } catch {
      return end(400, '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}');
    }
    const status = refused([body].flat());
    if (status) return end(status, "");
    return end(200, text(Array.isArray(body) ? body.map(answer) : answer(body)));
  });
});

server.keepAliveTimeout = 60_000;
server.listen(options.port ?? 0, "127.0.0.1", () => console.log(`Listening on http://127.0.0.1:${server.address().port} (${VERSION})`));
if (options.every > 0) setInterval(() => chain.produce(), options.every);
process.stdin.on("end", () => process.exit(0)).resume(); // it ends with the process that started it
