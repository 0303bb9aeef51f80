// A shim around TON's virtual machine, for tests and demonstrations (README.md). It answers as toncenter's API of version 2 does, over JSON-RPC.
//
//   node main.cjs DIRECTORY [OPTIONS]
//
// DIRECTORY is what scripts/tonvm prints, OPTIONS is JSON: name, begin (seconds), every (milliseconds between blocks), slow.
"use strict";
const http = require("node:http");
const path = require("node:path");
const { Chain } = require("./chain.cjs");
const { codes } = require("./contracts.cjs");
const { methods, Refusal } = require("./methods.cjs");
const { orders } = require("./orders.cjs");

const [directory, given = "{}"] = process.argv.slice(2);
const options = JSON.parse(given);
const module_ = (name) => require(path.join(directory, "node_modules", name));

async function main() {
  const core = module_("@ton/core");
  const vm = await module_("@ton/sandbox").Blockchain.create();
  vm.verbosity = { print: false, blockchainLogs: false, vmLogs: "none", debugLogs: false };
  const chain = new Chain(core, vm, options);
  chain.codes = codes(core, directory);
  chain.trouble = {};
  chain.visible = () => chain.blocks[Math.max(0, chain.blocks.length - 1 - (chain.trouble.behind ?? 0))];
  let turn = Promise.resolve(); // one question at a time: the machine has one state
  const server = http.createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (part) => { text += part; });
    request.on("end", () => { turn = turn.then(() => answer(chain, text)).then(([code, body]) => reply(response, code, body)); });
  });
  server.listen(options.port ?? 0, "127.0.0.1", () => console.log(`Listening on http://127.0.0.1:${server.address().port}/api/v2/jsonRPC`));
  if (options.every) setInterval(() => { turn = turn.then(() => chain.mine()); }, options.every);
  process.stdin.resume();
  process.stdin.on("end", () => process.exit(0));
}

async function answer(chain, text) {
  let id = null;
  try {
    const call = JSON.parse(text);
    id = call.id ?? null;
    const order = orders[call.method];
    if (order) return [200, { ok: true, result: (await order(chain, call.params ?? [])) ?? null, id, jsonrpc: "2.0" }];
    const { trouble } = chain;
    if (trouble.down) throw new Refusal(503, "no working liteservers");
    if (trouble.throttle > 0) {
      trouble.throttle--;
      throw new Refusal(429, "Ratelimit exceed");
    }
    const method = methods[call.method];
    if (!method) throw new Refusal(422, `the shim does not know ${call.method}`);
    if (trouble.refuse?.method === call.method) throw new Refusal(trouble.refuse.code, trouble.refuse.message);
    const replaced = trouble.answer?.[call.method];
    if (replaced !== undefined) return [200, { ok: true, result: replaced, id, jsonrpc: "2.0" }];
    return [200, { ok: true, result: await method(chain, call.params ?? {}), id, jsonrpc: "2.0" }];
  } catch (err) {
    const code = err instanceof Refusal ? err.code : 500;
    return [code, { ok: false, error: err.message, code, id, jsonrpc: "2.0" }];
  }
}

function reply(response, code, body) {
  response.writeHead(code, { "Content-Type": "application/json", Server: "causeway shim around @ton/sandbox" });
  response.end(JSON.stringify(body));
}

main().catch((err) => {
  console.error(err);
  process.exit(1);
});
