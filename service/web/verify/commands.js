/** Commands that a match does not execute. */
const COMMANDS = (() => {
  'use strict';

  /** The match is in no position for the command; nothing is recorded. */
  class Conflict extends Error {}

  /** What is on the record cannot have been a command at all. */
  class NotGiven extends Error {}

  const refuse = (code) => {
    throw new Conflict(code);
  };

  const must = (holds) => {
    if (!holds) {
      throw new NotGiven();
    }
  };

  return { Conflict, NotGiven, refuse, must };
})();
