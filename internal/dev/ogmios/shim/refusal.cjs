"use strict";

// Refusal is an error that a node would answer with.
class Refusal extends Error {
  constructor(code, message, data) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

module.exports = { Refusal };
