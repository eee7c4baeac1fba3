/** How a match ended, by the events of a bundle that can be read. */
const ENDING = (() => {
  'use strict';

  const { wrong } = LOG;

  const ENDED = 'match.ended.1';
  const VOIDED = 'match.voided.1';
  const CONFIRMED = 'match.confirmed.1';
  const RULED = 'match.ruled.1';
  const REWOUND = 'match.rewound.1';

  /** Where there is a window, the end of it counts from the first end of the match. */
  const checkEnded = ({ protest_hours: hours }, found, before, first, event, index) => {
    if (found !== null && before?.type !== 'match.result-ruled.1') {
      wrong(`event ${index} ends the match a second time`);
    }
    const until = hours === undefined ? undefined : first + hours * PROTESTS.HOUR;
    if (event.protests_until !== until) {
      wrong(`event ${index} names another end of the protest window`);
    }
  };

  /** A provisional result is confirmed by a ruling, right behind it as far as can be read, or when
   * its window has ended. */
  const checkConfirmed = (found, at, ruling, index) => {
    if (found === null) {
      wrong(`event ${index} confirms no result`);
    }
    const until = found.event.protests_until;
    if (ruling?.kind !== 'confirm' && (until === undefined || at < until)) {
      wrong(`event ${index} confirms the result before the protest window has ended`);
    }
  };

  /** How the match ended, after one record more. */
  const step = (created, found, { at, event }, before, ruling, index) => {
    const { type } = event;
    if (found?.over) {
      if (!REJUDGE.REVEALED.includes(type)) {
        wrong(`event ${index} stands behind the end, and reveals no seed`);
      }
      return found;
    }
    const first = found?.first ?? at;
    if (type === ENDED) {
      checkEnded(created, found, before, first, event, index);
      return { event, before, first, over: event.protests_until === undefined };
    }
    if (type === VOIDED) {
      return { event, before, first, over: true };
    }
    if (type === REWOUND) {
      // No end is behind the point where the match goes on.
      return null;
    }
    if (type === CONFIRMED) {
      checkConfirmed(found, at, ruling, index);
      return { ...found, over: true };
    }
    return found;
  };

  /** The event that ended the match and the one right `before` it, if that can be read; `over` once
   * the result is final. Null if it has not ended. Throws Wrong if anything but revealed seeds
   * comes when it is over, or if a protest window is not as it should be. */
  const of = (records) => {
    const created = records[0].event;
    let [found, before, ruling] = [null, null, null];
    records.forEach((record, index) => {
      if (record !== null) {
        found = step(created, found, record, before, ruling, index);
        if (record.audience === EVENTS.PUBLIC) {
          ruling = record.event.type === RULED ? record.event : null;
        }
      }
      before = record?.event ?? null;
    });
    return found;
  };

  return { VOIDED, of };
})();
