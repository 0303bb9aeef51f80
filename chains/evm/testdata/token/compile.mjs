// Writes TestToken.json (abi and bytecode) from TestToken.sol. Run it by `npm ci && npm run build` after a change of the
// source; the artefact is committed, so that tests need neither npm nor a compiler.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const solc = require("solc");
const here = (name) => new URL(name, import.meta.url);

const input = {
  language: "Solidity",
  sources: { "TestToken.sol": { content: readFileSync(here("TestToken.sol"), "utf8") } },
  settings: {
    evmVersion: "paris",
    optimizer: { enabled: true, runs: 200 },
    outputSelection: { "TestToken.sol": { TestToken: ["abi", "evm.bytecode.object"] } },
  },
};
const find = (path) => ({ contents: readFileSync(require.resolve(path), "utf8") });
const output = JSON.parse(solc.compile(JSON.stringify(input), { import: find }));

const errors = (output.errors ?? []).filter((e) => e.severity === "error");
if (errors.length > 0) {
  for (const e of errors) console.error(e.formattedMessage);
  process.exit(1);
}
const { abi, evm } = output.contracts["TestToken.sol"].TestToken;
writeFileSync(here("TestToken.json"), JSON.stringify({ solc: solc.version(), abi, bytecode: "0x" + evm.bytecode.object }, null, 1) + "\n");
