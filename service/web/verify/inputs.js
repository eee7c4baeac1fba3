/** Inputs as they stand on the record, and the commands that they were. */
const INPUTS = (() => {
  'use strict';

  const { NotGiven, must } = COMMANDS;

  const REUSED_KEY = 'idempotency_key_reused';
  const DIRECTED = 'match.directed.1';

  /** An action; under an idempotency key only the first of a seat counts. */
  const action = (event, keys) => {
    const used = event.key === null ? null : `${event.seat} ${event.key}`;
    const refused = used !== null && keys.has(used) ? REUSED_KEY : null;
    keys.add(used);
    return { kind: 'act', event, refused };
  };

  const entered = ({ id, outcome }) => ({ kind: 'enterDraw', id, outcome });

  const settled = (event, keys, match) => {
    if (event.by === 'manual') {
      return entered(event);
    }
    if (event.key_commit === null || match.created.chance !== 'server') {
      throw new NotGiven();
    }
    return { kind: 'settleDraw', outcome: event.outcome, keyCommit: event.key_commit };
  };

  // Rulings.

  /** Who gave a ruling stands right behind it. */
  const actorOf = ([directed]) => {
    must(directed?.event.type === DIRECTED);
    return directed.event;
  };

  /** A ruling carried out at once, or one that was pending: what it orders stands behind who gave
   * it. */
  const ruled = ({ reason, rule, appeals }, keys, match, behind) => {
    const [actor, ordered] = [actorOf(behind), behind[1]?.event];
    must(ordered?.type === 'match.ruling-ordered.1');
    const { id, ruling, case: closes } = ordered;
    if (MATCH_RULINGS.waiting(match.rulings, id) !== undefined) {
      return { kind: 'secondRuling', id, actor };
    }
    const given = { id, ruling, reason, rule, appeals, case: closes, ask_seats: false };
    return { kind: 'rule', given, actor };
  };

  const proposed = ({ type, lapses, ...given }, keys, match, behind) => (
    { kind: 'rule', given, actor: actorOf(behind) }
  );

  /** Who issued or ended a key stands right behind it. */
  const keyed = (kind) => (event, keys, match, behind) => {
    actorOf(behind);
    return { kind, event };
  };

  /** A case opened by a seat, or by one whom the next event names. */
  const caseOpened = (event, keys, match, behind) => {
    if (!event.by_seat) {
      actorOf(behind);
    }
    return { kind: 'openCase', event };
  };

  /** A case closed by a ruling is no input; who closes one by a note stands right behind it. */
  const caseClosed = (event, keys, match, behind) => {
    must(event.ruling === null);
    return { kind: 'closeCase', event, actor: actorOf(behind) };
  };

  const plain = (kind) => (event) => ({ kind, event });

  const KINDS = {
    'match.seed-committed.1': plain('commitSeed'),
    'match.name-salted.1': plain('tellSalt'),
    'match.client-seed-given.1': plain('giveClientSeed'),
    'match.seed-revealed.1': plain('revealSeed'),
    'match.sealed-seed-revealed.1': plain('revealSeed'),
    'match.started.1': plain('start'),
    'match.action-received.1': action,
    'match.draw-settled.1': settled,
    'match.sealed-draw-settled.1': settled,
    'match.draw-refused.1': entered,
    'match.deadline-passed.1': plain('passDeadline'),
    'match.deadline-set.1': (event) => {
      must(event.because === 'absence');
      return { kind: 'moveDeadline', event };
    },
    'match.phase-closed.1': ({ phase }) => ({ kind: 'closePhase', phase }),
    'match.key-issued.1': keyed('issueKey'),
    'match.key-ended.1': keyed('endKey'),
    'match.moderator-key-issued.1': keyed('issueKey'),
    'match.moderator-key-ended.1': keyed('endKey'),
    'match.case-opened.1': caseOpened,
    'match.case-closed.1': caseClosed,
    'match.paused.1': plain('pause'),
    'match.resumed.1': plain('resume'),
    'match.confirmed.1': plain('endProtests'),
    'match.ruled.1': ruled,
    'match.seat-ruled.1': ruled,
    'match.sealed-ruled.1': ruled,
    'match.ruling-proposed.1': proposed,
    'match.ruling-withdrawn.1': ({ id }, keys, match, behind) => (
      { kind: 'withdrawRuling', id, actor: actorOf(behind) }
    ),
    'match.ruling-lapsed.1': ({ id }) => ({ kind: 'lapseRuling', id }),
    'match.ruling-consented.1': ({ id, giver }) => ({ kind: 'consentToRuling', id, giver }),
  };

  /** What moderators and organisers give: who it was may stand right behind it. */
  const DIRECTABLE = [
    'start', 'enterDraw', 'closePhase', 'issueKey', 'endKey', 'openCase', 'closeCase',
    'rule', 'secondRuling', 'withdrawRuling',
  ];

  /** The command of which this is the first event; `behind` are the records that follow it. Throws
   * NotGiven if it is of none. */
  const commandOf = (event, keys, match, behind) => {
    must(Object.hasOwn(KINDS, event.type));
    return KINDS[event.type](event, keys, match, behind);
  };

  /** The event that says who gave the command, if there is one; else null. */
  const directedBy = ({ kind, event }, [next]) => {
    const directed = DIRECTABLE.includes(kind) && event?.by_seat !== true;
    return directed && next?.event.type === DIRECTED ? next.event : null;
  };

  return { commandOf, directedBy };
})();
