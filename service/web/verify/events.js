/**
 * The events on which evidence rests: who may see them, and their fields in their stored order. The
 * names are the storage format. Any other event, of a match or of its game, is read as far as it
 * can be without a table.
 */
const EVENTS = (() => {
  'use strict';

  const {
    PUBLIC, OWN_SEAT, SEALED, whole, text, flag, bytes, map, oneOf, either, nullable, within,
    instant, listOf, fields,
  } = FORMS;
  const { Malformed } = BYTES;

  const MOST_SEATS = 1_000;
  const wholes = listOf(whole);
  const seat = whole;
  const label = (value) => text(value) && value !== '' && [...value].length <= 64;

  // Draws.

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
  const drawnBy = oneOf('server', 'manual', 'ruling');

  // The table.

  const result = fields({ winners: wholes, losers: wholes, shared: flag, scores: wholes });
  const coded = { seat, code: text };
  const revealed = { epoch: whole, seed: bytes };
  const settled = { id: text, outcome, by: drawnBy, key_commit: nullable(bytes) };

  const TABLE = {
    'match.created.1': [PUBLIC, {
      game: text, rules_version: whole, options: map, seats: within(1, MOST_SEATS),
      chance: oneOf('server', 'manual'), clock: oneOf('none', 'rules'),
      record: oneOf('opened_at_end', 'closed'), tournament: nullable(text),
    }, {
      rulings: oneOf('two', 'single'), protest_hours: within(1, 366 * 24), title: label, prize: label,
      table: flag, again: text,
    }],
    'match.seed-committed.1': [PUBLIC, {
      epoch: whole, scheme: text, commit: bytes, rules_hash: bytes, roster_hash: bytes,
      names: listOf(bytes),
    }],
    'match.seat-named.1': [PUBLIC, { seat, name: text, blind: bytes }],
    'match.name-salted.1': [OWN_SEAT, { seat, salt: bytes }],
    'match.seat-ready.1': [PUBLIC, { seat }],
    'match.client-seed-given.1': [PUBLIC, { seat, seed: text }],
    'match.seed-sealed.1': [PUBLIC, { epoch: whole, clients: bytes, transcript: bytes }],
    'match.seed-revealed.1': [PUBLIC, revealed],
    'match.sealed-seed-revealed.1': [SEALED, revealed],
    'match.action-received.1': [
      OWN_SEAT,
      { seat, action: map, key: nullable(text), fingerprint: nullable(bytes) },
      { recorded: instant, key_id: text },
    ],
    'match.action-refused.1': [OWN_SEAT, coded],
    'match.submission-invalid.1': [OWN_SEAT, coded],
    'match.awaiting-changed.1': [PUBLIC, {
      seats: wholes, draw: nullable(fields({ id: nullable(text), parts: nullable(parts) })),
      phase: nullable(text), deadline: nullable(instant),
    }],
    'match.draw-asked.1': [SEALED, { id: text, parts }],
    'match.draw-settled.1': [PUBLIC, settled],
    'match.sealed-draw-settled.1': [SEALED, settled],
    'match.draw-refused.1': [SEALED, { id: text, outcome: listOf(() => true), code: text }],
    'match.directed.1': [SEALED, { by: nullable(text), key_id: text }, {
      issued_by: nullable(text), issuer: text, theirs_since: nullable(whole), giver: seat,
    }],
    'match.ruling-ordered.1': [SEALED, { id: text, ruling: map, case: nullable(text) }],
    'match.ruling-proposed.1': [SEALED, {
      id: text, ruling: map, reason: text, rule: nullable(text), appeals: nullable(text),
      case: nullable(text), ask_seats: flag, lapses: whole,
    }],
    'match.ruling-withdrawn.1': [SEALED, { id: text }],
    'match.voided.1': [PUBLIC, { replaced_by: nullable(text) }],
    'match.confirmed.1': [PUBLIC, {}],
    'match.rewound.1': [PUBLIC, { branch: whole, before: whole }],
    'match.ended.1': [PUBLIC, { result }, { protests_until: instant }],
    'tournament.created.1': [PUBLIC, { name: text }, { keys: oneOf('invitations') }],
    'tournament.player-entered.1': [PUBLIC, {
      player: whole, rating: nullable(whole), seed: nullable(whole), team: nullable(text),
    }],
    'tournament.player-named.1': [PUBLIC, { player: whole, name: text, blind: bytes }],
    'tournament.match-settled.1': [
      PUBLIC, { match: text, result: nullable(result) }, { forfeit: flag },
    ],
    'tournament.lots-committed.1': [PUBLIC, {
      epoch: whole, scheme: text, commit: bytes, rules_hash: bytes, roster_hash: bytes,
    }],
    'tournament.lots-seed-given.1': [PUBLIC, { player: whole, seed: text }],
    'tournament.lots-drawn.1': [PUBLIC, {
      epoch: whole, id: text, purpose: text, seed: bytes, outcome: items,
    }],
    'tournament.closed.1': [PUBLIC, { champions: wholes }],
  };

  const KINDS = new Map(Object.entries(TABLE)
    .map(([name, [audience, needed, optional = {}]]) => [name, {
      audience,
      names: [...Object.keys(needed), ...Object.keys(optional)],
      has: fields({ type: oneOf(name), ...needed }, optional),
    }]));

  /** By what a manifest names the rules of tournaments. */
  const TOURNAMENT = 'tournament';
  const STORED_NAME = /^[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+\.[1-9][0-9]*$/;

  /** Whether it is an event of a match of the game as far as that can be seen without a table:
   * fields, the first of them a stored name that begins as it must. */
  const couldBe = (event, game) => {
    const [first] = Object.keys(event);
    const { type } = event;
    return first === 'type' && text(type) && STORED_NAME.test(type)
      && (type.startsWith(`${game}.`) || (type.startsWith('match.') && game !== TOURNAMENT));
  };

  const isEvent = (value, game) => FORMS.isObject(value) && couldBe(value, game)
    && (KINDS.get(value.type)?.has(value) ?? true);

  /** The record in its stored bytes: when it was made, how many records before it its input stands,
   * and what happened in a match of `game`. Throws Malformed unless it is spelt as records are. */
  const record = (stored, game) => {
    const parts = MSGPACK.decode(stored);
    if (!Array.isArray(parts) || parts.length !== 3 || !instant(parts[0])) {
      throw new Malformed('not a record');
    }
    const [at, back, event] = parts;
    if (!within(0, Number.MAX_SAFE_INTEGER)(back)) {
      throw new Malformed('not a record');
    }
    if (!isEvent(event, game)) {
      throw new Malformed('not an event');
    }
    return { at, back, event };
  };

  /** Who may see the event: `public`, `own seat` or `sealed`. Of one that is not in the table its
   * leaf says whether it is public (`open`); a private one is for the seat in its field `seat`, as
   * no sealed event has such a field. */
  const audience = (event, open) => {
    const unlisted = Object.hasOwn(event, 'seat') ? OWN_SEAT : SEALED;
    return KINDS.get(event.type)?.audience ?? (open ? PUBLIC : unlisted);
  };

  return { KINDS, PUBLIC, OWN_SEAT, SEALED, record, audience };
})();
