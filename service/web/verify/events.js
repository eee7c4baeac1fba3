/**
 * The events that can stand in the record of a match: who may see them, and their fields in their
 * stored order. Those of a match of any game are here, a game registers its own. The names are the
 * storage format.
 */
const EVENTS = (() => {
  'use strict';

  const {
    PUBLIC, OWN_SEAT, SEALED, whole, text, flag, bytes, anything, map, oneOf, either, nullable,
    within, listOf, fields,
  } = FORMS;
  const { Malformed } = BYTES;

  const wholes = listOf(whole);
  const seat = whole;

  // Chance.

  const face = oneOf('heads', 'tails');
  const items = listOf(either(whole, text));
  const kind = (name) => oneOf(name);
  const flip = fields({ kind: kind('flip'), label: text });
  const shuffle = fields({ kind: kind('shuffle'), items });
  /** A word of the stream cannot choose between more. */
  const sides = within(1, 2 ** 32);
  const roll = fields({ kind: kind('roll'), sides, label: text });
  const parts = listOf(either(flip, shuffle, roll));
  const outcome = listOf(either(face, items, whole));
  const chance = oneOf('server', 'manual');

  // A match of any game.

  const result = fields({ winners: wholes, losers: wholes, shared: flag, scores: wholes });
  const coded = { seat, code: text };
  const revealed = { epoch: whole, seed: bytes };
  const drawnBy = oneOf('server', 'manual', 'ruling');
  const settled = { id: text, outcome, by: drawnBy, key_commit: nullable(bytes) };

  const MATCH = {
    'match.created.1': [PUBLIC, {
      game: text, rules_version: whole, options: map, seats: listOf(text), chance,
      clock: oneOf('none', 'rules'), record: oneOf('opened_at_end', 'closed'),
      tournament: nullable(text),
    }, { rulings: oneOf('two', 'single'), protest_hours: within(1, 366 * 24) }],
    'match.seed-committed.1': [PUBLIC, {
      epoch: whole, scheme: text, commit: bytes, rules_hash: bytes, roster_hash: bytes,
      names: listOf(bytes),
    }],
    'match.name-salted.1': [OWN_SEAT, { seat, salt: bytes }],
    'match.client-seed-given.1': [PUBLIC, { seat, seed: text }],
    'match.seed-sealed.1': [PUBLIC, { epoch: whole, clients: bytes, transcript: bytes }],
    'match.seed-revealed.1': [PUBLIC, revealed],
    'match.sealed-seed-revealed.1': [SEALED, revealed],
    'match.started.1': [PUBLIC, {}],
    'match.action-received.1': [
      OWN_SEAT,
      { seat, action: map, key: nullable(text), fingerprint: nullable(bytes) },
      { recorded: whole, key_id: text },
    ],
    'match.action-refused.1': [OWN_SEAT, coded],
    'match.submission-invalid.1': [OWN_SEAT, coded],
    'match.awaiting-changed.1': [PUBLIC, {
      seats: wholes, draw: nullable(fields({ id: nullable(text), parts: nullable(parts) })),
      phase: nullable(text), deadline: nullable(whole),
    }],
    'match.draw-asked.1': [SEALED, { id: text, parts }],
    'match.draw-settled.1': [PUBLIC, settled],
    'match.sealed-draw-settled.1': [SEALED, settled],
    'match.draw-refused.1': [SEALED, { id: text, outcome: listOf(anything), code: text }],
    'match.deadline-passed.1': [PUBLIC, { phase: text }],
    'match.deadline-set.1': [PUBLIC, {
      phase: text, deadline: whole, because: oneOf('absence', 'ruling'), from: whole, to: whole,
    }],
    'match.phase-closed.1': [PUBLIC, { phase: text }],
    'match.directed.1': [SEALED, { by: nullable(text), key_id: text }],
    'match.key-issued.1': [OWN_SEAT, { seat, key_id: text }],
    'match.key-ended.1': [OWN_SEAT, { seat, key_id: text }],
    'match.moderator-key-issued.1': [SEALED, { key_id: text, name: nullable(text) }],
    'match.moderator-key-ended.1': [SEALED, { key_id: text }],
    'match.case-opened.1': [SEALED, { case: text, by_seat: flag }],
    'match.case-closed.1': [SEALED, { case: text, ruling: nullable(text) }],
    'match.paused.1': [PUBLIC, { left: nullable(whole) }],
    'match.resumed.1': [PUBLIC, {}],
    'match.ended.1': [PUBLIC, { result }, { protests_until: whole }],
    ...RULING_EVENTS(result),
  };

  const TABLES = [MATCH, ...GAMES.all().map(({ events }) => events)];

  const KINDS = new Map(TABLES.flatMap(Object.entries)
    .map(([name, [audience, needed, optional = {}]]) => [name, {
      audience,
      names: [...Object.keys(needed), ...Object.keys(optional)],
      has: fields({ type: oneOf(name), ...needed }, optional),
    }]));

  const isOfMatch = (type) => type.startsWith('match.');

  /** Whether it is an event of a game as far as that can be seen without its tables: fields, the
   * first of them a stored name that begins with the id of the game. */
  const couldBeOf = (game, event) => {
    const [first] = Object.keys(event);
    const { type } = event;
    return first === 'type' && text(type) && GAMES.names(game, type) && !isOfMatch(type);
  };

  const isEvent = (value, unknownGame) => FORMS.isObject(value)
    && (KINDS.get(value.type)?.has(value)
      ?? (unknownGame !== null && couldBeOf(unknownGame, value)));

  /** The record in its stored bytes: when it was made and what happened. `unknownGame` is the id of
   * a game whose rules are not here, null if they are. Throws Malformed unless it is spelt as
   * records are. */
  const record = (stored, unknownGame = null) => {
    const pair = MSGPACK.decode(stored);
    if (!Array.isArray(pair) || pair.length !== 2 || !whole(pair[0])) {
      throw new Malformed('not a record');
    }
    const [at, event] = pair;
    if (!isEvent(event, unknownGame)) {
      throw new Malformed('not an event');
    }
    return { at, event };
  };

  /** Who may see the event: `public`, `own seat` or `sealed`. Of one that is not in the tables its
   * leaf says whether it is public (`open`); a private one is for the seat in its field `seat`, as
   * no sealed event has such a field. */
  const audience = (event, open) => {
    const unknown = Object.hasOwn(event, 'seat') ? OWN_SEAT : SEALED;
    return KINDS.get(event.type)?.audience ?? (open ? PUBLIC : unknown);
  };

  /** Whether the event is one of a match of any game, or of the game with this id. */
  const belongs = ({ type }, game) => isOfMatch(type) || GAMES.names(game, type);

  return { KINDS, PUBLIC, OWN_SEAT, SEALED, record, audience, belongs };
})();
