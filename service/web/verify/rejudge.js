/**
 * A match judged again: whatever came from outside, or from the dealer, is decided once more by the
 * rules, and must give the events on the record, to the byte.
 */
const REJUDGE = (() => {
  'use strict';

  const { Conflict, NotGiven } = COMMANDS;
  const { awaitedDraw } = STATE;

  const SETTLED = ['match.draw-settled.1', 'match.sealed-draw-settled.1'];
  const PASSED = 'match.deadline-passed.1';
  const LAPSED = 'match.ruling-lapsed.1';
  const CONFIRMED = 'match.confirmed.1';
  const REVEALED = ['match.seed-revealed.1', 'match.sealed-seed-revealed.1'];

  /** The record is not what its inputs give: where first, and why. */
  class Differs extends Error {
    constructor(index, why) {
      super(`event ${index}: ${why}`);
    }
  }

  /** The rules by which a match was created; undefined if they are not here. */
  const rulesOf = ({ game, rules_version: version }) => GAMES.of(game, version);

  // The beginning.

  /** The match as it was created: what its rules do not allow is not. */
  const createdMatch = (id, event) => {
    const { seats, record } = event;
    const rules = rulesOf(event);
    if (rules === undefined) {
      throw new Differs(0, 'the rules of this match are not known');
    }
    const [least, most] = rules.seats;
    if (seats.length < least || seats.length > most || !OPTIONS.areNames(seats)) {
      throw new Differs(0, 'the rules do not allow such seats');
    }
    const options = OPTIONS.complete(rules, event.options, seats.length);
    if (options === null || !rules.records.includes(record)) {
      throw new Differs(0, 'the rules do not allow such a match');
    }
    return STATE.created(rules, id, event, options);
  };

  /** Whether a seat has not got the salt of its name yet. */
  const toSalt = ({ created, epoch }) =>
    epoch !== null && epoch.committed.epoch === 0 && epoch.salted < created.seats.length;

  /** Throws Differs if what is recorded in one go with the last event is not there. */
  const checkWhole = (match, length) => {
    if (toSalt(match)) {
      const due = 'every seat should get the salt of its name';
      throw new Differs(length, `${due}, and nothing follows`);
    }
    if (lacksSeed(match)) {
      throw new Differs(length, 'a seed should be committed to, and nothing follows');
    }
    if (match.created.chance === 'server' && awaitedDraw(match) !== null) {
      const due = 'the draw that is awaited should be settled';
      throw new Differs(length, `${due}, and nothing follows`);
    }
    if (STATE.isOver(match) && match.epoch !== null && !match.epoch.revealed) {
      throw new Differs(length, 'the seed should be revealed, and nothing follows');
    }
  };

  /** Whether the service has to commit itself to the seed of an epoch: each rewind begins one. */
  const lacksSeed = ({ epoch, status }) => epoch !== null && epoch.ended && status === 'paused';

  // What may come at all.

  /** Throws Differs for what could not have come at this place, whatever the rules say to it. */
  const checkTurn = (match, { at, event }, before, index) => {
    const { type, seat = 0 } = event;
    if (!(seat >= 0 && seat < match.created.seats.length)) {
      throw new Differs(index, 'there is no such seat');
    }
    if (type === 'match.seed-committed.1' && match.epoch === null && index !== 1) {
      throw new Differs(index, 'a seed is committed to right after the creation');
    }
    if (toSalt(match) && type !== 'match.name-salted.1') {
      throw new Differs(index, 'every seat gets the salt of its name at once');
    }
    if (lacksSeed(match) && type !== 'match.seed-committed.1') {
      throw new Differs(index, 'a seed is committed to right behind a rewind');
    }
    if (STATE.isOver(match) && !REVEALED.includes(type)) {
      throw new Differs(index, 'after the end seeds are revealed and nothing else happens');
    }
    const answered = SETTLED.includes(type) && match.created.chance === 'server';
    if (match.created.chance === 'server' && !answered && awaitedDraw(match) !== null) {
      throw new Differs(index, 'the draw that is awaited is not settled at once');
    }
    if (!answered) {
      checkWindow(match, { at, event }, before, index);
      checkLapse(match, { at, event }, index);
      checkTime(match.awaiting.deadline, event, at, before, index);
    }
  };

  /** Throws Differs for a seed that is not the next: all are revealed, epoch by epoch. */
  const checkRevealed = ({ match: { epoch: last }, records }, { type, epoch }) => {
    if (REVEALED.includes(type)) {
      const next = records.filter(({ event }) => REVEALED.includes(event.type)).length;
      if (epoch !== next || next > (last?.committed.epoch ?? -1)) {
        throw new Differs(records.length, 'it is not the seed that is revealed next');
      }
    }
  };

  /** The protest window ends at its instant, or when the last case is closed behind it: nothing
   * else comes then or later. */
  const checkWindow = (match, { at, event: { type } }, before, index) => {
    const end = PROTESTS.windowEnd(match);
    if (end === null) {
      return;
    }
    if (type === CONFIRMED ? at !== Math.max(end, before) : at >= end) {
      throw new Differs(index, type === CONFIRMED ? 'the protest window did not end then'
        : 'the protest window had ended before');
    }
  };

  /** A pending ruling lapses at its instant: nothing else comes then or later, but a deadline that
   * passes or a protest window that ends at that instant. */
  const checkLapse = (match, { at, event: { type, id } }, index) => {
    const lapse = RULINGS.dueLapse(match);
    if (lapse === null) {
      return;
    }
    if (type === LAPSED) {
      if (at !== lapse.lapses || id !== lapse.id) {
        throw new Differs(index, 'it is not the pending ruling that lapses then');
      }
    } else if (at >= lapse.lapses && !([PASSED, CONFIRMED].includes(type) && at === lapse.lapses)) {
      throw new Differs(index, 'a pending ruling had lapsed before');
    }
  };

  /** Microseconds after its last heartbeat in which the service may still have judged: ten seconds,
   * and one by which clocks may differ. */
  const UNSEEN = 11_000_000;

  /** Until a deadline passes nothing comes at its instant or after it, except that it is moved
   * after an absence, in which the match did not go on. */
  const checkTime = (due, event, at, before, index) => {
    const { type } = event;
    if (type === 'match.deadline-set.1') {
      if (event.from + UNSEEN < before) {
        throw new Differs(index, 'the service was not away: this match went on meanwhile');
      }
      return;
    }
    if (due === null || (type === LAPSED && at === due)) {
      return;
    }
    if (type === PASSED ? at !== due : at >= due) {
      throw new Differs(index, 'it is not the deadline in force that passed before it');
    }
  };

  /** The events that an input gives; itself first. */
  const decided = (history, { at, event }, keys, behind) => {
    const { match, length: index } = history;
    try {
      const command = INPUTS.commandOf(event, keys, match, behind);
      const [first, ...rest] = MATCH.decide(match, { ...command, history }, at);
      const directed = INPUTS.directedBy(command, behind);
      return directed === null ? [first, ...rest] : [first, directed, ...rest];
    } catch (thrown) {
      if (thrown instanceof Conflict) {
        throw new Differs(index, `the match was in no position for it: ${thrown.message}`);
      }
      if (thrown instanceof NotGiven) {
        throw new Differs(index, thrown.message || 'it does not follow from what came before');
      }
      throw thrown;
    }
  };

  /** What the service does by itself belongs to the batch of the input before it. */
  const BY_ITSELF = ['match.seed-committed.1', 'match.name-salted.1', ...REVEALED];

  /** Whether a batch begins with what was put in. */
  const begins = ({ type, by }) =>
    !BY_ITSELF.includes(type) && !(SETTLED.includes(type) && by === 'server');

  // The comparison.

  const compare = (at, event, recorded, index) => {
    if (recorded === undefined) {
      throw new Differs(index, `${event.type} should follow, and nothing does`);
    }
    if (!BYTES.equal(MSGPACK.encode([at, event]), recorded.stored)) {
      const { type } = recorded.event;
      throw new Differs(index, type === event.type
        ? `another ${type} is recorded than the rules give`
        : `${type} is recorded where the rules give ${event.type}`);
    }
  };

  /** The match that the inputs among the records give, of which these are the whole record. Each
   * record is `{at, event, stored}`. Throws Differs at the first that they do not give. */
  const judged = (id, records) => {
    if (records[0]?.event.type !== 'match.created.1') {
      throw new Differs(0, 'a record begins with match.created.1');
    }
    const history = new HISTORY.History(createdMatch(id, records[0].event), records[0]);
    const keys = new Set();
    let before = records[0].at;
    while (history.length < records.length) {
      const index = history.length;
      const given = records[index];
      checkTurn(history.match, given, before, index);
      checkRevealed(history, given.event);
      const events = decided(history, given, keys, records.slice(index + 1, index + 3));
      events.forEach((event, place) => {
        compare(given.at, event, records[index + place], index + place);
      });
      history.add(records.slice(index, index + events.length), begins(given.event));
      // A ruling lapses at its instant also while the service is away.
      before = given.event.type === LAPSED ? before : given.at;
    }
    checkWhole(history.match, history.length);
    return history.match;
  };

  /** The public events cannot be those of a match; says why. */
  class Unfit extends Error {}

  /** The fields of public events that name a seat, in games with `publicResult`. */
  const SEATS = ['seat', 'giver', 'receiver', 'starter', 'winner', 'folder'];

  /** Every number in a value, at any depth, with the name of its field. */
  const numbers = (name, value) => {
    if (Array.isArray(value)) {
      return value.flatMap((inner) => numbers(name, inner));
    }
    if (FORMS.isObject(value)) {
      return Object.entries(value).flatMap(([inner, one]) => numbers(inner, one));
    }
    return ['number', 'bigint'].includes(typeof value) ? [[name, value]] : [];
  };

  /** The match after a public event. */
  const publicStep = (match, event) => {
    if (!event.type.startsWith('match.')) {
      if (match.state === null) {
        throw new Unfit('the game goes on before the match has started');
      }
      const odd = numbers('', event).find(([name, number]) => (
        number < 0 || (SEATS.includes(name) && number >= match.created.seats.length)
      ));
      if (odd !== undefined) {
        throw new Unfit(`a public event of the game has no such ${odd[0]}: ${odd[1]}`);
      }
    }
    return STATE.evolve(match, event);
  };

  /** What the public events alone, with their numbers, give as the result; null if they do not end
   * the match. Whether they follow from the rules is not judged. The game must have
   * `publicResult`. */
  const publicResult = (id, numbered) => {
    const end = numbered.findIndex(([, { type }]) => type === 'match.ended.1');
    const created = createdMatch(id, numbered[0][1]);
    const before = end < 0 ? numbered : numbered.slice(0, end);
    const [, ...events] = LIVE.live(before, created.game.sealedPhase);
    const match = events.reduce(publicStep, created);
    return match.game.result(match.state);
  };

  return { Differs, SETTLED, REVEALED, rulesOf, judged, publicResult };
})();
