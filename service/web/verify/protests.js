/** The protest window: until it ends, or the result is confirmed, a result is provisional. */
const PROTESTS = (() => {
  'use strict';

  const { must } = COMMANDS;

  const HOUR = 3_600_000_000;

  /** The end of a match at `at`. A result that replaces a provisional one does not move the end of
   * the window. */
  const ended = ({ created, protestsUntil }, result, at) => {
    const { protest_hours: hours } = created;
    const event = { type: 'match.ended.1', result };
    return hours === undefined ? event
      : { ...event, protests_until: protestsUntil ?? at + hours * HOUR };
  };

  /** When the clock makes the result final; null if never by itself, or not while a case is
   * open. */
  const windowEnd = ({ protestsUntil, cases }) => (
    cases.some(({ open }) => open) ? null : protestsUntil
  );

  /** The window has ended. */
  const endProtests = (match, command, at) => {
    const end = windowEnd(match);
    must(end !== null && at >= end);
    return [{ type: 'match.confirmed.1' }];
  };

  return { HOUR, ended, windowEnd, endProtests };
})();
