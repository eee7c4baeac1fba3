// The rules of 12 Chips, read from their rules page: what follows from each input of a match.
GAMES.register((forms) => {
  'use strict';

  const TWELVE = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
  const SIXTEEN = [1, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 9, 10, 10, 11, 12];
  const HAND = 4;
  const LIMIT = 21;
  const DAY = 86_400;

  // What can stand on a record, and what can be chosen.

  const events = ({ PUBLIC, OWN_SEAT, SEALED, whole: seat, whole, oneOf, nullable, listOf }) => {
    const chips = listOf(whole);
    const colour = oneOf('red', 'blue');
    const ofSeat = { seat, chip: whole };
    return {
      'twelve-chips.round-began.1': [PUBLIC, { round: whole, starter: whole }],
      'twelve-chips.hand-dealt.1': [OWN_SEAT, { seat, chips }],
      'twelve-chips.chips-set-aside.1': [SEALED, { chips }],
      'twelve-chips.deal-completed.1': [PUBLIC, { backs: nullable(listOf(listOf(colour))) }],
      'twelve-chips.trick-began.1': [PUBLIC, { trick: whole, starter: whole }],
      'twelve-chips.chip-played.1': [PUBLIC, ofSeat],
      'twelve-chips.trick-won.1': [PUBLIC, { seat }],
      'twelve-chips.chip-won.1': [PUBLIC, ofSeat],
      'twelve-chips.chip-taken.1': [PUBLIC, ofSeat],
      'twelve-chips.round-scored.1': [
        PUBLIC, { chips: listOf(chips), sums: listOf(whole), winners: listOf(whole) },
      ],
    };
  };

  const options = ({ flag, within, oneOf, nullable }) => ({
    over_21: [oneOf('bust', 'halve'), 'bust'],
    deal: [oneOf('two_two', 'random'), 'two_two'],
    first_starter: [within(0, 3), 0],
    round_starter: [oneOf('last_trick_winner', 'rotate', 'round_winner'), 'last_trick_winner'],
    tokens_to_win: [within(1, 100), 3],
    turn_seconds: [nullable(within(1, DAY)), null],
    hand_colours_public: [flag, false],
  });

  const fit = ({ first_starter: starter }, seats) => starter < seats;

  const ascending = (chips) => [...chips].sort((one, other) => one - other);
  const sum = (chips) => chips.reduce((total, chip) => total + chip, 0);
  const isRed = (chip) => chip >= 4 && chip <= 9;

  /** The list with one item put in the place of another. */
  const withItem = (list, index, item) => list.map((old, at) => (at === index ? item : old));

  /** The chips without one of this number: those of one number are interchangeable. */
  const without = (chips, chip) => {
    const at = chips.indexOf(chip);
    return at < 0 ? chips : [...chips.slice(0, at), ...chips.slice(at + 1)];
  };

  const clockwise = (state, seat) => (seat + 1) % state.seats;

  // The events, each with its fields in their stored order.

  const roundBegan = (round, starter) => ({ type: 'twelve-chips.round-began.1', round, starter });
  const handDealt = (seat, chips) => ({ type: 'twelve-chips.hand-dealt.1', seat, chips });
  const chipsSetAside = (chips) => ({ type: 'twelve-chips.chips-set-aside.1', chips });
  const dealCompleted = (backs) => ({ type: 'twelve-chips.deal-completed.1', backs });
  const trickBegan = (trick, starter) => ({ type: 'twelve-chips.trick-began.1', trick, starter });
  const chipPlayed = (seat, chip) => ({ type: 'twelve-chips.chip-played.1', seat, chip });
  const trickWon = (seat) => ({ type: 'twelve-chips.trick-won.1', seat });
  const chipWon = (seat, chip) => ({ type: 'twelve-chips.chip-won.1', seat, chip });
  const chipTaken = (seat, chip) => ({ type: 'twelve-chips.chip-taken.1', seat, chip });
  const roundScored = (chips, sums, winners) => ({
    type: 'twelve-chips.round-scored.1', chips, sums, winners,
  });

  // The deal.

  /** Rule 1: a shuffle of each colour, or one of all chips; four players have more of them. */
  const dealParts = (state) => {
    const chips = state.seats === 4 ? SIXTEEN : TWELVE;
    const isBlue = (chip) => !isRed(chip);
    const apart = state.options.deal === 'two_two';
    const piles = apart ? [chips.filter(isRed), chips.filter(isBlue)] : [chips];
    return piles.map((items) => ({ kind: 'shuffle', items }));
  };

  /** Rule 1: each seat's share of every shuffled pile, and what is left of them. */
  const dealt = (state, piles) => {
    const share = HAND / piles.length;
    const hands = Array.from({ length: state.seats }, (_, seat) =>
      ascending(piles.flatMap((pile) => pile.slice(seat * share, (seat + 1) * share))));
    const aside = ascending(piles.flatMap((pile) => pile.slice(state.seats * share)));
    return { hands, aside };
  };

  /** The colours on the backs of a hand, in an order that tells nothing of the numbers. */
  const backsOf = (hand) => hand.map((chip) => (isRed(chip) ? 'red' : 'blue')).sort();

  // The trick.

  /** Rule 3: the highest chip wins, of equal ones the one played first. */
  const trickWinner = (centre) =>
    centre.reduce((best, one) => (one.chip > best.chip ? one : best)).seat;

  /** Rule 4: what may be taken: a red chip while one lies there, else any. */
  const takeable = (state) => {
    const chips = state.centre.map((one) => one.chip);
    return chips.some(isRed) ? chips.filter(isRed) : chips;
  };

  /** Rules 2 and 3: when the last seat has played the trick has a winner. */
  const afterPlay = (state, chip) => {
    const played = chipPlayed(state.toAct, chip);
    const { centre } = evolve(state, played);
    return centre.length < state.seats ? [played] : [played, trickWon(trickWinner(centre))];
  };

  /** Rules 4 to 6: when the last seat has taken a chip a new trick begins, or the round ends. */
  const afterTake = (state, chip) => {
    const taken = (state.toAct === state.winner ? chipWon : chipTaken)(state.toAct, chip);
    const next = evolve(state, taken);
    if (next.centre.length > 0) return [taken];
    if (next.hands[next.winner].length > 0) {
      return [taken, trickBegan(next.trick + 1, next.winner)];
    }
    return [taken, ...roundEnd(next)];
  };

  // The end of a round.

  const seatsWhere = (list, holds) => list.flatMap((item, seat) => (holds(item) ? [seat] : []));

  const seatsWithMost = (list) => {
    const most = Math.max(...list);
    return seatsWhere(list, (one) => one === most);
  };

  /** Option over_21: twice the value of a sum, so that half of an odd one stays whole. */
  const doubled = (total) => (total > LIMIT ? total : 2 * total);

  /** Rule 7: the seats with the highest sum of those not over 21, or of all if all are over. */
  const roundWinners = (state, sums) => {
    if (state.options.over_21 === 'halve') return seatsWithMost(sums.map(doubled));
    const within = sums.filter((total) => total <= LIMIT);
    const best = Math.max(...(within.length > 0 ? within : sums));
    return seatsWhere(sums, (total) => total === best);
  };

  /** Who starts the round after this one. */
  const nextStarter = (state, winners) => {
    switch (state.options.round_starter) {
      case 'rotate': return clockwise(state, state.roundStarter);
      case 'round_winner': return winners[0];
      default: return state.winner;
    }
  };

  /** Rules 6 and 7: hands are laid open and counted; without a victor another round begins. */
  const roundEnd = (state) => {
    const chips = state.hands.map((hand, seat) => ascending([...hand, ...state.fronts[seat]]));
    const sums = chips.map(sum);
    const winners = roundWinners(state, sums);
    const scored = roundScored(chips, sums, winners);
    return evolve(state, scored).phase === 'over'
      ? [scored]
      : [scored, roundBegan(state.round + 1, nextStarter(state, winners))];
  };

  // What the match asks.

  const initial = (options, seats) => ({
    options,
    seats,
    phase: 'deal',
    round: 1,
    trick: 1,
    roundStarter: options.first_starter,
    toAct: options.first_starter,
    winner: null,
    centre: [],
    hands: Array.from({ length: seats }, () => []),
    fronts: Array.from({ length: seats }, () => []),
    tokens: Array(seats).fill(0),
  });

  const open = (options) => [roundBegan(1, options.first_starter)];

  /** Option turn_seconds: each turn has a deadline of its own, or none. */
  const turn = (state) => {
    const seconds = state.options.turn_seconds;
    if (seconds === null) return null;
    const id = `round${state.round}/trick${state.trick}/${state.phase}/seat${state.toAct}`;
    return { id, wait: { seconds } };
  };

  /** Rule 1: nobody sees how the chips are shuffled. */
  const deal = (state) => ({
    id: `round${state.round}/deal`,
    parts: dealParts(state),
    audience: 'sealed',
  });

  /** The deal, or the seat whose turn it is. */
  const awaits = (state) => {
    switch (state.phase) {
      case 'over': return { seats: [], draw: null, deadline: null };
      case 'deal': return { seats: [], draw: deal(state), deadline: null };
      default: return { seats: [state.toAct], draw: null, deadline: turn(state) };
    }
  };

  // What follows.

  const refuse = (code) => {
    throw { refused: code };
  };

  /** Whether a seat can have sent this: one of the two actions, with a whole number and no more. */
  const understood = ({ type, chip, ...more }) =>
    ['play', 'take'].includes(type) && Number.isSafeInteger(chip) && Object.keys(more).length === 0;

  /** What follows from playing or taking a chip; throws TypeError for what is no action at all. */
  const decide = (state, seat, action) => {
    if (!understood(action)) throw new TypeError('This is no action of 12 Chips.');
    if (state.phase === 'over') refuse('game_over');
    if (state.phase !== action.type) refuse('wrong_phase');
    if (seat !== state.toAct) refuse('not_your_turn');
    return action.type === 'play' ? play(state, action.chip) : take(state, action.chip);
  };

  /** Rule 2: any chip of the hand. */
  const play = (state, chip) => {
    if (!state.hands[state.toAct].includes(chip)) refuse('not_in_hand');
    return afterPlay(state, chip);
  };

  /** Rule 4: a red chip while one lies there. */
  const take = (state, chip) => {
    if (!state.centre.some((one) => one.chip === chip)) refuse('not_in_centre');
    if (!takeable(state).includes(chip)) refuse('red_first');
    return afterTake(state, chip);
  };

  /** Rule 1: hands are picked up, the rest is set aside, the starter begins. */
  const settle = (state, draw, outcome) => {
    const { hands, aside } = dealt(state, outcome);
    const backs = state.options.hand_colours_public ? hands.map(backsOf) : null;
    return [
      ...hands.map((hand, seat) => handDealt(seat, hand)),
      ...(aside.length > 0 ? [chipsSetAside(aside)] : []),
      dealCompleted(backs),
      trickBegan(1, state.roundStarter),
    ];
  };

  /** Option turn_seconds: the lowest chip that may be played or taken. */
  const expire = (state) => {
    switch (state.phase) {
      case 'play': return afterPlay(state, Math.min(...state.hands[state.toAct]));
      case 'take': return afterTake(state, Math.min(...takeable(state)));
      default: return [];
    }
  };

  // The state after each event.

  const EVOLVED = {
    'twelve-chips.round-began.1': (state, { round, starter }) => ({
      ...initial(state.options, state.seats),
      round,
      roundStarter: starter,
      toAct: starter,
      tokens: state.tokens,
    }),
    'twelve-chips.hand-dealt.1': (state, { seat, chips }) => ({
      ...state, hands: withItem(state.hands, seat, chips),
    }),
    'twelve-chips.trick-began.1': (state, { trick, starter }) => ({
      ...state, phase: 'play', trick, toAct: starter, winner: null, centre: [],
    }),
    'twelve-chips.chip-played.1': (state, { seat, chip }) => ({
      ...state,
      hands: withItem(state.hands, seat, without(state.hands[seat], chip)),
      centre: [...state.centre, { seat, chip }],
      toAct: clockwise(state, seat),
    }),
    'twelve-chips.trick-won.1': (state, { seat }) => ({
      ...state, phase: 'take', winner: seat, toAct: seat,
    }),
    'twelve-chips.chip-won.1': (state, { seat, chip }) => ({
      ...fromCentre(state, seat, chip),
      fronts: withItem(state.fronts, seat, [...state.fronts[seat], chip]),
    }),
    'twelve-chips.chip-taken.1': (state, { seat, chip }) => ({
      ...fromCentre(state, seat, chip),
      hands: withItem(state.hands, seat, [...state.hands[seat], chip]),
    }),
    'twelve-chips.round-scored.1': (state, { winners }) => {
      const tokens = state.tokens.map((had, seat) => had + (winners.includes(seat) ? 1 : 0));
      const over = Math.max(...tokens) >= state.options.tokens_to_win;
      return { ...state, tokens, phase: over ? 'over' : 'deal' };
    },
  };

  /** Rule 4: the chip leaves the centre, and the next seat clockwise is to take one. */
  const fromCentre = (state, seat, chip) => {
    const at = state.centre.findIndex((one) => one.chip === chip);
    const centre = state.centre.filter((_, index) => index !== at);
    return { ...state, centre, toAct: clockwise(state, seat) };
  };

  const evolve = (state, event) =>
    Object.hasOwn(EVOLVED, event.type) ? EVOLVED[event.type](state, event) : state;

  /** All seats with the most tokens share the victory, and then nobody has lost. */
  const result = (state) => {
    if (state.phase !== 'over') return null;
    const winners = seatsWithMost(state.tokens);
    const shared = winners.length > 1;
    const most = state.tokens[winners[0]];
    const losers = shared ? [] : seatsWhere(state.tokens, (tokens) => tokens < most);
    return { winners, losers, shared, scores: state.tokens };
  };

  return {
    id: 'twelve-chips',
    rulesVersion: 1,
    seats: [2, 4],
    hidesDraws: true,
    events: events(forms),
    options: options(forms),
    fit,
    initial,
    open,
    awaits,
    decide,
    settle,
    expire,
    evolve,
    result,
  };
});
