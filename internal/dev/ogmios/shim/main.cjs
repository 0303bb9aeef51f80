// A shim around an emulator of Cardano's ledger, for tests and demonstrations (README.md). It answers as Ogmios of version 6 does, over a
// WebSocket. Orders of tests come as JSON-RPC over HTTP.
//
//   node main.cjs DIRECTORY [OPTIONS]
//
// DIRECTORY is what scripts/cardanovm prints, OPTIONS is JSON: port, every (milliseconds between blocks), magic.
"use strict";
const http = require("node:http");
const path = require("node:path");
const { createRequire } = require("node:module");
const { Chain } = require("./chain.cjs");
const { Ledger } = require("./ledger.cjs");
const { Session } = require("./session.cjs");
const { orders } = require("./orders.cjs");

const [directory, given = "{}"] = process.argv.slice(2);
const options = JSON.parse(given);
const load = createRequire(path.join(directory, "main.cjs"));

async function main() {
  const core = load("@blaze-cardano/core");
  core.setInConwayEra(true);
  await core.initCrypto(); // signing fails before it is loaded
  const ledger = new Ledger(core, load("@blaze-cardano/emulator").Emulator);
  const chain = new Chain(core, ledger, options);
  let turn = Promise.resolve(); // one question at a time: the ledger has one state
  const inTurn = (work) => { turn = turn.then(work).catch((err) => console.error(err)); };
  const server = http.createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (part) => { text += part; });
    request.on("end", () => inTurn(async () => reply(response, await ordered(chain, text))));
  });
  const sockets = new (load("ws").WebSocketServer)({ server, maxPayload: 64 << 20 });
  sockets.on("connection", (socket) => {
    const session = new Session(chain, (answer) => socket.send(answer), () => socket.terminate());
    chain.sessions.add(session);
    socket.on("message", (text) => inTurn(() => session.asked(String(text))));
    socket.on("close", () => chain.sessions.delete(session));
    socket.on("error", () => socket.terminate());
  });
  server.listen(options.port ?? 0, "127.0.0.1", () => console.log(`Listening on ws://127.0.0.1:${server.address().port}`));
  if (options.every) setInterval(() => inTurn(() => chain.mine(1, true)), options.every);
  process.stdin.resume();
  process.stdin.on("end", () => process.exit(0));
}

// ordered carries out an order of a test.
async function ordered(chain, text) {
  try {
    const { method, params = [] } = JSON.parse(text);
    if (!orders[method]) throw new Error(`the shim has no order ${method}`);
    return { result: (await orders[method](chain, params)) ?? null };
  } catch (err) {
    return { error: err.message };
  }
}

function reply(response, body) {
  response.writeHead(200, { "Content-Type": "application/json", Server: "causeway shim around @blaze-cardano/emulator" });
  response.end(JSON.stringify(body));
}

main().catch((err) => {
  console.error(err);
  process.exit(1);
});
