/**
 * Every event that can stand in the record of a match: who may see it, and its fields in their
 * stored order. The names are the storage format.
 */
const EVENTS = (() => {
  'use strict';

  const {
    whole, text, flag, bytes, anything, map, oneOf, either, nullable, listOf, row, fields,
  } = FORMS;
  const { Malformed } = BYTES;

  const [PUBLIC, OWN_SEAT, SEALED] = ['public', 'own seat', 'sealed'];

  const wholes = listOf(whole);
  const pair = row(whole, whole);
  const seat = whole;

  // Chance.

  const face = oneOf('heads', 'tails');
  const items = listOf(either(whole, text));
  const kind = (name) => oneOf(name);
  const flip = fields({ kind: kind('flip'), label: text });
  const shuffle = fields({ kind: kind('shuffle'), items });
  const parts = listOf(either(flip, shuffle));
  const outcome = listOf(either(face, items));
  const chance = oneOf('server', 'manual');

  // A match of any game.

  const result = fields({ winners: wholes, losers: wholes, shared: flag, scores: wholes });
  const coded = { seat, code: text };
  const revealed = { epoch: whole, seed: bytes };
  const settled = { id: text, outcome, by: chance, key_commit: nullable(bytes) };

  const MATCH = {
    'match.created.1': [PUBLIC, {
      game: text, rules_version: whole, options: map, seats: listOf(text), chance,
      clock: oneOf('none', 'rules'), record: oneOf('opened_at_end', 'closed'),
      tournament: nullable(text),
    }],
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
      { recorded: whole },
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
    'match.phase-closed.1': [PUBLIC, { phase: text }],
    'match.paused.1': [PUBLIC, { left: nullable(whole) }],
    'match.resumed.1': [PUBLIC, {}],
    'match.ended.1': [PUBLIC, { result }],
  };

  // Dollar Prize.

  const coin = oneOf('penny', 'nickel', 'dime', 'quarter');
  const flips = listOf(row(coin, face));
  const recipe = oneOf(
    'five_pennies', 'two_nickels', 'nickel_and_two_dimes', 'five_pennies_and_two_dimes',
  );

  const DOLLAR_PRIZE_EVENTS = {
    'dollar-prize.side-chosen.1': [PUBLIC, { seat, side: face }],
    'dollar-prize.pennies-dealt.1': [PUBLIC, { flips, pennies: pair }],
    'dollar-prize.turn-began.1': [PUBLIC, { round: whole, seat }],
    'dollar-prize.coin-placed.1': [PUBLIC, { seat, coin }],
    'dollar-prize.coins-converted.1': [PUBLIC, { seat, recipe }],
    'dollar-prize.steal-began.1': [PUBLIC, { round: whole, number: whole }],
    'dollar-prize.coins-flipped.1': [PUBLIC, { flips }],
    'dollar-prize.coin-stolen.1': [PUBLIC, { giver: whole, receiver: whole, coin }],
    'dollar-prize.coin-kept.1': [PUBLIC, { seat, coin }],
    'dollar-prize.coin-exchanged.1': [PUBLIC, { seat, coin, coins: listOf(coin) }],
    'dollar-prize.prize-taken.1': [PUBLIC, { seats: wholes }],
  };

  // 12 Chips.

  const chip = { seat, chip: whole };

  const TWELVE_CHIPS_EVENTS = {
    'twelve-chips.round-began.1': [PUBLIC, { round: whole, starter: whole }],
    'twelve-chips.hand-dealt.1': [OWN_SEAT, { seat, chips: wholes }],
    'twelve-chips.chips-set-aside.1': [SEALED, { chips: wholes }],
    'twelve-chips.deal-completed.1': [
      PUBLIC, { backs: nullable(listOf(listOf(oneOf('red', 'blue')))) },
    ],
    'twelve-chips.trick-began.1': [PUBLIC, { trick: whole, starter: whole }],
    'twelve-chips.chip-played.1': [PUBLIC, chip],
    'twelve-chips.trick-won.1': [PUBLIC, { seat }],
    'twelve-chips.chip-won.1': [PUBLIC, chip],
    'twelve-chips.chip-taken.1': [PUBLIC, chip],
    'twelve-chips.round-scored.1': [
      PUBLIC, { chips: listOf(wholes), sums: wholes, winners: wholes },
    ],
  };

  // Together We Survive, Together We Prosper.

  const perGroup = (form) => fields({ A: form, B: form });
  const seatsOfGroups = perGroup(wholes);
  const maybeWholes = listOf(nullable(whole));

  const TOGETHER_EVENTS = {
    'together.round-began.1': [PUBLIC, { round: whole }],
    'together.submission-made.1': [
      OWN_SEAT, { seat, a: nullable(wholes), b: nullable(wholes), pay_garnet: flag },
    ],
    'together.round-counted.1': [SEALED, {
      round: whole, a: wholes, b: wholes, charged: wholes, tokens: wholes, garnets: wholes,
    }],
    'together.holdings-told.1': [OWN_SEAT, { seat, tokens: whole, garnets: whole }],
    'together.round-ended.1': [PUBLIC, {
      round: whole, kicked_out: wholes, a: nullable(maybeWholes), b: nullable(maybeWholes),
    }],
    'together.main-match-ended.1': [PUBLIC, {
      b_tokens: maybeWholes, winners: seatsOfGroups, losers: seatsOfGroups, tokens_of_life: wholes,
    }],
    'together.token-of-life-given.1': [PUBLIC, { seat, to: whole }],
    'together.tokens-of-life-lapsed.1': [PUBLIC, { seats: wholes }],
    'together.pools-formed.1': [PUBLIC, { pools: seatsOfGroups }],
    'together.ballot-opened.1': [PUBLIC, { ballot: whole, pools: seatsOfGroups }],
    'together.vote-cast.1': [OWN_SEAT, { seat, candidate: whole }],
    'together.ballot-counted.1': [SEALED, { ballot: whole, votes: wholes, pools: seatsOfGroups }],
    'together.candidate-drawn.1': [PUBLIC, { group: oneOf('A', 'B'), seat }],
    'together.candidates-named.1': [PUBLIC, { candidates: perGroup(nullable(whole)) }],
    'together.garnets-awarded.1': [PUBLIC, { garnets: wholes }],
  };

  // Grouping Black & White.

  const groups = fields({ a: wholes, b: wholes, c: wholes });
  const order = listOf(oneOf('a', 'b', 'c'));
  const colour = oneOf('black', 'white');

  const GROUPING_BW_EVENTS = {
    'grouping-bw.starter-named.1': [PUBLIC, { seat, starter: whole }],
    'grouping-bw.set-began.1': [PUBLIC, { set: whole, ante: whole }],
    'grouping-bw.groups-submitted.1': [
      OWN_SEAT, { seat, groups, use_order: flag, ante_increase: nullable(whole) },
    ],
    'grouping-bw.order-used.1': [OWN_SEAT, { seat }],
    'grouping-bw.grouping-ended.1': [PUBLIC, { increase: whole, ante: whole }],
    'grouping-bw.groups-drawn.1': [OWN_SEAT, { seat, groups }],
    'grouping-bw.pass-began.1': [PUBLIC, { number: whole }],
    'grouping-bw.tiles-laid.1': [SEALED, { tiles: listOf(wholes), orders: listOf(order) }],
    'grouping-bw.order-told.1': [OWN_SEAT, { seat, order }],
    'grouping-bw.round-began.1': [
      PUBLIC, { round: whole, colours: row(colour, colour), starter: whole },
    ],
    'grouping-bw.own-tile-told.1': [OWN_SEAT, { seat, number: whole }],
    'grouping-bw.antes-paid.1': [PUBLIC, { chips: whole }],
    'grouping-bw.ante-missed.1': [PUBLIC, { seats: wholes }],
    'grouping-bw.sudden-death-began.1': [PUBLIC, {}],
    'grouping-bw.raised.1': [PUBLIC, { seat, by: whole }],
    'grouping-bw.called.1': [PUBLIC, { seat }],
    'grouping-bw.folded.1': [PUBLIC, { seat }],
    'grouping-bw.number-told.1': [OWN_SEAT, { seat, number: whole, by: oneOf('fold', 'peek') }],
    'grouping-bw.round-ended.1': [PUBLIC, {
      end: oneOf('call', 'fold', 'allin', 'sudden_death'), winner: nullable(whole),
      folder: nullable(whole), numbers: nullable(pair), stacks: pair, discarded: whole,
      folded_8: flag,
    }],
    'grouping-bw.game-won.1': [PUBLIC, { seat }],
  };

  const KINDS = new Map(Object.entries({
    ...MATCH, ...DOLLAR_PRIZE_EVENTS, ...TWELVE_CHIPS_EVENTS, ...TOGETHER_EVENTS,
    ...GROUPING_BW_EVENTS,
  }).map(([name, [audience, needed, optional = {}]]) => [name, {
    audience,
    names: [...Object.keys(needed), ...Object.keys(optional)],
    has: fields({ type: oneOf(name), ...needed }, optional),
  }]));

  /** The record in its stored bytes: when it was made and what happened. Throws Malformed unless
   * it is spelt as records are. */
  const record = (stored) => {
    const pair = MSGPACK.decode(stored);
    if (!Array.isArray(pair) || pair.length !== 2 || !whole(pair[0])) {
      throw new Malformed('not a record');
    }
    const [at, event] = pair;
    if (!FORMS.isObject(event) || !KINDS.get(event.type)?.has(event)) {
      throw new Malformed('not an event');
    }
    return { at, event };
  };

  /** Who may see the event: `public`, `own seat` or `sealed`. */
  const audience = (event) => KINDS.get(event.type).audience;

  return { KINDS, PUBLIC, OWN_SEAT, SEALED, record, audience };
})();
