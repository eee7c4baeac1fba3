/**
 * Where a match of any game stands, from its events. A match is never changed; each event gives a
 * new one.
 */
const STATE = (() => {
  'use strict';

  const NOBODY = {
    type: 'match.awaiting-changed.1', seats: [], draw: null, phase: null, deadline: null,
  };

  /** A match that has just been created by `game`, with complete options. `epoch` is what its
   * chance hangs on: what was committed to, what each seat added, and the transcript.
   * `countedFrom` is the instant that the deadline in force had before it was moved, null for one
   * that was not. `keys` are the ids of those on record as issued, and as ended, and the names of
   * moderators; `cases` those of which the record knows. `protestsUntil` is the end of the protest
   * window of a result that is provisional. */
  const created = (game, id, event, options) => ({
    game,
    id,
    created: event,
    options,
    status: 'created',
    state: null,
    awaiting: NOBODY,
    asked: null,
    left: null,
    countedFrom: null,
    epoch: null,
    result: null,
    keys: { issued: [], ended: [], moderators: [] },
    protestsUntil: null,
    rulings: MATCH_RULINGS.NONE,
    cases: [],
  });

  /** Whether the result is final, or the match is void. */
  const isOver = ({ status, protestsUntil }) => (
    status === 'void' || (status === 'ended' && protestsUntil === null)
  );

  const seatsOf = (match) => match.created.seats.length;

  /** What the rules wait for. Behind a rewind the id of a draw by hand names the branch, so that
   * the draw can be entered again; the rules know it without. */
  const awaits = ({ game, state, created, rulings: { branch } }) => {
    const waits = game.awaits(state);
    if (waits.draw === null || branch === 0 || created.chance !== 'manual') {
      return waits;
    }
    return { ...waits, draw: { ...waits.draw, id: `b${branch}/${waits.draw.id}` } };
  };

  /** The draw that the match waits for, whole; null if for none. */
  const awaitedDraw = (match) => (match.status === 'running' ? awaits(match).draw : null);

  /** Whether the match stands in a phase in which the seats submit without seeing one another. */
  const inSealedPhase = ({ game, awaiting: { phase } }) =>
    phase !== null && game.sealedPhase(phase);

  /** The match where it goes on: what is undone was not folded. A sealed phase is open again. */
  const rewound = (match, { branch }) => ({
    ...match,
    state: inSealedPhase(match) ? match.game.reopened(match.state) : match.state,
    rulings: { ...match.rulings, branch },
    epoch: match.epoch && { ...match.epoch, ended: true },
  });

  const withEpoch = (match, change) =>
    (match.epoch === null ? match : { ...match, epoch: { ...match.epoch, ...change } });

  const unmoved = (match) => match;

  const seedGiven = (match, { seat, seed }) => withEpoch(match, {
    seeds: match.epoch?.seeds.map((had, own) => (own === seat ? seed : had)),
  });

  /** Of several epochs the last is revealed last. */
  const seedRevealed = (match, { epoch }) =>
    (match.epoch?.committed.epoch === epoch ? withEpoch(match, { revealed: true }) : match);

  const awaitingChanged = (match, event) => {
    const { phase, deadline } = match.awaiting;
    const same = event.phase === phase && event.deadline === deadline;
    return { ...match, awaiting: event, countedFrom: same ? match.countedFrom : null };
  };

  /** Moved again, a deadline still counts as what it was at first. */
  const deadlineSet = (match, { deadline }) => ({
    ...match,
    awaiting: { ...match.awaiting, deadline },
    countedFrom: match.countedFrom ?? match.awaiting.deadline,
  });

  const keyIssued = (match, { key_id: id, name = null }) => {
    const { issued, ended, moderators } = match.keys;
    const named = name === null ? moderators : [...moderators, name];
    return { ...match, keys: { issued: [...issued, id], ended, moderators: named } };
  };

  const keyEnded = (match, { key_id: id }) => (
    { ...match, keys: { ...match.keys, ended: [...match.keys.ended, id] } });

  /** What a match that was played out, or is void, does not wait for any more. */
  const WAITS_NO_MORE = { awaiting: NOBODY, left: null, countedFrom: null };

  const EVOLVERS = {
    'match.created.1': unmoved,
    'match.seed-committed.1': (match, event) => {
      const seeds = Array(seatsOf(match)).fill(null);
      const epoch = {
        committed: event, seeds, salted: 0, transcript: null, revealed: false, ended: false,
      };
      return { ...match, epoch };
    },
    'match.name-salted.1': (match) => withEpoch(match, { salted: match.epoch?.salted + 1 }),
    'match.client-seed-given.1': seedGiven,
    'match.seed-sealed.1': (match, { transcript }) => withEpoch(match, { transcript }),
    'match.seed-revealed.1': seedRevealed,
    'match.sealed-seed-revealed.1': seedRevealed,
    'match.started.1': (match) => (
      { ...match, status: 'running', state: match.game.initial(match.options, seatsOf(match)) }
    ),
    'match.action-received.1': unmoved,
    'match.action-refused.1': unmoved,
    'match.submission-invalid.1': unmoved,
    'match.awaiting-changed.1': awaitingChanged,
    'match.draw-asked.1': (match, { id }) => ({ ...match, asked: id }),
    'match.draw-settled.1': unmoved,
    'match.sealed-draw-settled.1': unmoved,
    'match.draw-refused.1': unmoved,
    'match.key-issued.1': keyIssued,
    'match.key-ended.1': keyEnded,
    'match.moderator-key-issued.1': keyIssued,
    'match.moderator-key-ended.1': keyEnded,
    ...MATCH_CASES.EVOLVERS,
    'match.deadline-passed.1': unmoved,
    'match.deadline-set.1': deadlineSet,
    'match.phase-closed.1': unmoved,
    'match.paused.1': (match, { left }) => ({ ...match, status: 'paused', left }),
    'match.rewound.1': rewound,
    'match.rewind-ordered.1': unmoved,
    'match.struck.1': unmoved,
    'match.admitted.1': unmoved,
    'match.reapplied.1': unmoved,
    'match.seat-reapplied.1': unmoved,
    'match.sealed-reapplied.1': unmoved,
    'match.voided.1': (match) => (
      { ...match, status: 'void', result: null, protestsUntil: null, ...WAITS_NO_MORE }
    ),
    'match.confirmed.1': (match) => ({ ...match, protestsUntil: null }),
    'match.resumed.1': (match) => ({ ...match, status: 'running', left: null }),
    'match.ended.1': (match, { result, protests_until: protestsUntil = null }) => (
      { ...match, status: 'ended', result, protestsUntil, ...WAITS_NO_MORE }
    ),
  };

  /** The match after an event that undoes none before it; never refuses. */
  const evolve = (match, event) => {
    if (Object.hasOwn(MATCH_RULINGS.EVOLVERS, event.type)) {
      const rulings = MATCH_RULINGS.EVOLVERS[event.type](match.rulings, event);
      if (event.type === 'match.directed.1') {
        return { ...match, rulings, cases: MATCH_CASES.directed(match.cases, event) };
      }
      return rulings === match.rulings ? match : { ...match, rulings };
    }
    if (Object.hasOwn(EVOLVERS, event.type)) {
      return EVOLVERS[event.type](match, event);
    }
    const state = match.game.evolve(match.state, event);
    return state === match.state ? match : { ...match, state };
  };

  return { NOBODY, created, isOver, seatsOf, awaits, awaitedDraw, inSealedPhase, evolve };
})();
