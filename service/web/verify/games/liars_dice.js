/**
 * Liar's Dice, read from its rules page: everybody rolls in secret, bids rise, and somebody calls
 * the last one. Rule numbers are those of that page.
 */
GAMES.register((forms) => {
  'use strict';

  const SIDES = 6;
  const YEAR = 366 * 86_400;

  // What can stand on a record, and what can be chosen.

  const events = ({ PUBLIC, OWN_SEAT, whole: seat, whole, oneOf, nullable, listOf, fields }) => {
    const numbers = listOf(whole);
    const bid = fields({ seat, count: whole, face: whole });
    const shown = fields({
      dice: listOf(numbers), bid, call: oneOf('challenge', 'exact'), by: seat, matching: whole,
      lost: nullable(seat), gained: nullable(seat),
    });
    return {
      'liars-dice.dice-rolled.1': [OWN_SEAT, { seat, dice: numbers }],
      'liars-dice.bid-placed.1': [PUBLIC, { bid }],
      'liars-dice.round-ended.1': [PUBLIC, { shown, dice_left: numbers, starter: nullable(seat) }],
    };
  };

  const options = ({ within, flag, nullable }) => ({
    dice: [within(1, 6), 5],
    wild_ones: [flag, true],
    exact_call: [flag, false],
    first_player: [within(0, 5), 0],
    turn_seconds: [nullable(within(5, YEAR)), null],
  });

  const fit = ({ first_player: first }, seats) => first < seats;

  // The table. `hands` has null for a seat that has not rolled in this round; `turn` is who acts
  // once all have, null when the game is over.

  const initial = (chosen, seats) => ({
    options: chosen,
    round: 1,
    turn: chosen.first_player,
    left: Array(seats).fill(chosen.dice),
    hands: Array(seats).fill(null),
    bid: null,
    bids: 0,
  });

  const inPlay = ({ left }) => left.reduce((sum, dice) => sum + dice, 0);

  /** Rule 1: the first seat that has dice to roll; -1 if all lie. */
  const roller = ({ left, hands }) => left.findIndex((dice, at) => dice > 0 && hands[at] === null);

  /** Rule 2: this seat if it has dice, else the next upwards that has, round the table. */
  const withDice = (left, from) => {
    const order = [...left.keys()].map((step) => (from + step) % left.length);
    const found = order.find((seat) => left[seat] > 0);
    if (found === undefined) {
      throw new RangeError('nobody has dice');
    }
    return found;
  };

  // Whom or what the match waits for.

  const roll = ({ round, left }, seat) => ({
    id: `round${round}/roll/${seat}`,
    parts: Array.from({ length: left[seat] }, (_, die) => (
      { kind: 'roll', sides: SIDES, label: `die ${die + 1}` }
    )),
    audience: 'sealed',
  });

  /** Each turn has a deadline of its own, or none. */
  const deadline = ({ options: { turn_seconds: seconds }, round, bids }) =>
    (seconds === null ? null : { id: `round${round}/turn${bids + 1}`, wait: { seconds } });

  const awaits = (state) => {
    if (state.turn === null) {
      return { seats: [], draw: null, deadline: null };
    }
    const seat = roller(state);
    return seat >= 0
      ? { seats: [], draw: roll(state, seat), deadline: null }
      : { seats: [state.turn], draw: null, deadline: deadline(state) };
  };

  // What a seat can ask for.

  const refuse = (code) => {
    throw { refused: code };
  };

  const isFace = (value) => Number.isSafeInteger(value) && value >= 1 && value <= SIDES;

  /** Each kind of action, and what each of its fields may hold. */
  const ACTIONS = new Map([
    ['bid', { count: Number.isSafeInteger, face: isFace }],
    ['challenge', {}],
    ['exact', {}],
  ]);

  const isUnderstood = ({ type, ...sent }) => {
    const known = ACTIONS.get(type);
    return known !== undefined
      && Object.keys(sent).every((name) => Object.hasOwn(known, name))
      && Object.entries(known).every(([name, holds]) => holds(sent[name]));
  };

  /** Rule 3: more dice, or as many of a higher face. */
  const isHigher = ({ bid }, count, face) => (bid === null
    ? count > 0
    : count > bid.count || (count === bid.count && face > bid.face));

  /** Rule 3. */
  const placed = (state, count, face) => {
    if (count > inPlay(state)) {
      refuse('too_many_dice');
    }
    if (!isHigher(state, count, face)) {
      refuse('not_higher');
    }
    return [{ type: 'liars-dice.bid-placed.1', bid: { seat: state.turn, count, face } }];
  };

  /** Throws TypeError for what no seat can have sent. */
  const decide = (state, seat, action) => {
    if (!isUnderstood(action)) {
      throw new TypeError("This is no action of Liar's Dice.");
    }
    if (state.turn === null) {
      refuse('game_over');
    }
    if (roller(state) >= 0) {
      refuse('wrong_phase');
    }
    if (seat !== state.turn) {
      refuse('not_your_turn');
    }
    return action.type === 'bid'
      ? placed(state, action.count, action.face)
      : called(state, action.type);
  };

  // The end of a round.

  /** Rule 4: those of the face, and ones if they are wild; for a bid on ones that is the same. */
  const countMatching = ({ options: { wild_ones: wild }, hands, bid: { face } }) =>
    hands.flatMap((hand) => hand ?? []).filter((die) => die === face || (wild && die === 1)).length;

  /** Rule 4: who is wrong loses a die. */
  const challenged = ({ turn, bid }, matching) =>
    ({ lost: matching >= bid.count ? turn : bid.seat, gained: null });

  /** Rule 5: the caller gains a die, up to as many as at the start, or loses one. */
  const calledExact = ({ options: { dice }, turn, left, bid }, matching) => {
    if (matching !== bid.count) {
      return { lost: turn, gained: null };
    }
    return { lost: null, gained: left[turn] < dice ? turn : null };
  };

  const called = (state, call) => {
    if (call === 'exact' && !state.options.exact_call) {
      refuse('exact_not_allowed');
    }
    if (state.bid === null) {
      refuse('no_bid_yet');
    }
    return [roundEnded(state, call)];
  };

  /** Rules 4 and 5; by rules 2 and 6 another round is begun, or one seat alone has dice. */
  const roundEnded = (state, call) => {
    const { turn: by, bid } = state;
    const matching = countMatching(state);
    const { lost, gained } = (call === 'exact' ? calledExact : challenged)(state, matching);
    const left = state.left.map((dice, seat) =>
      dice + Number(seat === gained) - Number(seat === lost));
    const over = left.filter((dice) => dice > 0).length === 1;
    return {
      type: 'liars-dice.round-ended.1',
      shown: {
        dice: state.hands.map((hand) => hand ?? []), bid, call, by, matching, lost, gained,
      },
      dice_left: left,
      starter: over ? null : withDice(left, lost ?? by),
    };
  };

  // What follows from a draw and from a deadline.

  /** Rule 1: the seat alone sees what it rolled. */
  const settle = (state, draw, outcome) => {
    const dice = [...outcome].sort((one, other) => one - other);
    return [{ type: 'liars-dice.dice-rolled.1', seat: roller(state), dice }];
  };

  /** Rule 7: the lowest bid that is higher; where there is none, a challenge. */
  const expire = (state) => {
    const { count, face } = state.bid ?? { count: 0, face: SIDES };
    const [more, higher] = face < SIDES ? [count, face + 1] : [count + 1, 1];
    return more > inPlay(state) ? called(state, 'challenge') : placed(state, more, higher);
  };

  // How each event changes the state.

  const EVOLVERS = new Map([
    ['liars-dice.dice-rolled.1', (state, { seat, dice }) => (
      { ...state, hands: state.hands.map((hand, at) => (at === seat ? dice : hand)) }
    )],
    ['liars-dice.bid-placed.1', (state, { bid }) => (
      { ...state, bid, bids: state.bids + 1, turn: withDice(state.left, bid.seat + 1) }
    )],
    ['liars-dice.round-ended.1', (state, { dice_left: left, starter }) => ({
      ...initial(state.options, left.length), round: state.round + 1, turn: starter, left,
    })],
  ]);

  const evolve = (state, event) => EVOLVERS.get(event.type)?.(state, event) ?? state;

  /** Rule 6: the scores are the dice left. */
  const result = ({ turn, left }) => {
    if (turn !== null) {
      return null;
    }
    const winner = withDice(left, 0);
    const losers = [...left.keys()].filter((seat) => seat !== winner);
    return { winners: [winner], losers, shared: false, scores: left };
  };

  return {
    id: 'liars-dice',
    rulesVersion: 1,
    seats: [2, 6],
    hidesDraws: true,
    publicResult: true,
    events: events(forms),
    options: options(forms),
    fit,
    initial,
    open: () => [],
    awaits,
    decide,
    settle,
    expire,
    evolve,
    result,
  };
});
