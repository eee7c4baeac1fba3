/*
 * Dollar Prize, judged a second time: two seats grow a line of coins each, and the richer one takes
 * the prize once it has a dollar. The numbers are those of the rules: 1 setup, 2 a turn, 3 the end
 * of a round.
 */
GAMES.register((forms) => {
  'use strict';

  const COINS = ['penny', 'nickel', 'dime', 'quarter'];
  const CENTS = [1, 5, 10, 25];

  /** Rule 3.1: coins are flipped once a side has so many cents. */
  const FIRST_STEAL = 5;
  const DOLLAR = 100;

  const YEAR = 365 * 86_400;

  /** Rule 2: what each recipe adds to a line, as numbers of coins in the order of COINS. */
  const RECIPES = {
    five_pennies: [-5, 1, 0, 0],
    two_nickels: [0, -2, 1, 0],
    nickel_and_two_dimes: [0, -1, -2, 1],
    five_pennies_and_two_dimes: [-5, 0, -2, 1],
  };

  /** With the option `listed`: the one way to exchange each stolen coin, as numbers of coins. */
  const LISTED = {
    nickel: [5, 0, 0, 0],
    dime: [0, 2, 0, 0],
    quarter: [0, 1, 2, 0],
  };

  // What can stand on a record, and what can be chosen.

  const events = ({ PUBLIC, whole: seat, whole, oneOf, listOf, row }) => {
    const face = oneOf('heads', 'tails');
    const coin = oneOf(...COINS);
    const recipe = oneOf(...Object.keys(RECIPES));
    const flips = listOf(row(coin, face));
    return {
      'dollar-prize.side-chosen.1': [PUBLIC, { seat, side: face }],
      'dollar-prize.pennies-dealt.1': [PUBLIC, { flips, pennies: row(whole, whole) }],
      'dollar-prize.turn-began.1': [PUBLIC, { round: whole, seat }],
      'dollar-prize.coin-placed.1': [PUBLIC, { seat, coin }],
      'dollar-prize.coins-converted.1': [PUBLIC, { seat, recipe }],
      'dollar-prize.steal-began.1': [PUBLIC, { round: whole, number: whole }],
      'dollar-prize.coins-flipped.1': [PUBLIC, { flips }],
      'dollar-prize.coin-stolen.1': [PUBLIC, { giver: whole, receiver: whole, coin }],
      'dollar-prize.coin-kept.1': [PUBLIC, { seat, coin }],
      'dollar-prize.coin-exchanged.1': [PUBLIC, { seat, coin, coins: listOf(coin) }],
      'dollar-prize.prize-taken.1': [PUBLIC, { seats: listOf(whole) }],
    };
  };

  const options = ({ within, oneOf, nullable }) => ({
    first_player: [within(0, 1), 0],
    tie_reflips: [within(0, 10), 1],
    down_conversion: [oneOf('any', 'listed'), 'any'],
    turn_seconds: [nullable(within(1, YEAR)), null],
  });

  // A line is how many pennies, nickels, dimes and quarters lie on one side.

  const plus = (line, change) => line.map((count, rank) => count + change[rank]);
  const minus = (line, change) => line.map((count, rank) => count - change[rank]);
  const one = (coin) => COINS.map((kind) => Number(kind === coin));
  const counted = (coins) => COINS.map((kind) => coins.filter((coin) => coin === kind).length);
  const equal = (line, other) => line.every((count, rank) => count === other[rank]);
  const total = (line) => line.reduce((sum, count, rank) => sum + count * CENTS[rank], 0);

  /** The rank of the highest coin of a line; a penny's if there is none (rule 2.2). */
  const highest = (line) => Math.max(0, line.map(Boolean).lastIndexOf(true));

  /** Whether the line holds the coins of the recipe. */
  const holds = (line, recipe) => plus(line, RECIPES[recipe]).every((count) => count >= 0);
  const convertible = (line) => Object.keys(RECIPES).some((recipe) => holds(line, recipe));

  const refuse = (code) => {
    throw { refused: code };
  };

  // What can happen.

  const sideChosen = (seat, side) => ({ type: 'dollar-prize.side-chosen.1', seat, side });
  const penniesDealt = (flips, pennies) => (
    { type: 'dollar-prize.pennies-dealt.1', flips, pennies }
  );
  const turnBegan = (round, seat) => ({ type: 'dollar-prize.turn-began.1', round, seat });
  const coinPlaced = (seat, coin) => ({ type: 'dollar-prize.coin-placed.1', seat, coin });
  const coinsConverted = (seat, recipe) => (
    { type: 'dollar-prize.coins-converted.1', seat, recipe }
  );
  const stealBegan = (round, number) => ({ type: 'dollar-prize.steal-began.1', round, number });
  const coinsFlipped = (flips) => ({ type: 'dollar-prize.coins-flipped.1', flips });
  const coinStolen = (giver, receiver, coin) => (
    { type: 'dollar-prize.coin-stolen.1', giver, receiver, coin }
  );
  const coinKept = (seat, coin) => ({ type: 'dollar-prize.coin-kept.1', seat, coin });
  const coinExchanged = (seat, coin, coins) => (
    { type: 'dollar-prize.coin-exchanged.1', seat, coin, coins }
  );
  const prizeTaken = (seats) => ({ type: 'dollar-prize.prize-taken.1', seats });

  // The setup and whom or what a match waits for.

  /** `seat` acts, or acted last; `stolen` is the coin its receiver may exchange (rule 3.4). */
  const initial = (options) => ({
    options,
    phase: 'choose_side',
    seat: options.first_player,
    heads: null,
    round: 0,
    lines: [[0, 0, 0, 0], [0, 0, 0, 0]],
    converted: false,
    placed: false,
    steal: 0,
    stolen: null,
    winners: [],
  });

  const open = () => [];

  const flip = (label) => ({ kind: 'flip', label });

  /** Rule 1.2: five pennies; rule 3.2: a coin of every kind, from the highest on either side. */
  const awaitedDraw = (state) => {
    if (state.phase === 'setup') {
      return { id: 'setup', parts: Array(5).fill(flip('penny')), audience: 'public' };
    }
    const rank = Math.max(...state.lines.map(highest));
    const parts = COINS.slice(0, rank + 1).reverse().map(flip);
    return { id: `r${state.round}/steal/${state.steal}`, parts, audience: 'public' };
  };

  /** One deadline for a whole turn, and one for each decision outside a turn. */
  const awaitedDeadline = (state) => {
    const seconds = state.options.turn_seconds;
    if (seconds === null) {
      return null;
    }
    const names = {
      choose_side: 'setup/side',
      turn: `r${state.round}/turn/${state.seat}`,
      exchange: `r${state.round}/steal/${state.steal}/exchange`,
    };
    return { id: names[state.phase], wait: { seconds } };
  };

  const awaits = (state) => {
    if (state.phase === 'over') {
      return { seats: [], draw: null, deadline: null };
    }
    if (state.phase === 'setup' || state.phase === 'steal') {
      return { seats: [], draw: awaitedDraw(state), deadline: null };
    }
    return { seats: [state.seat], draw: null, deadline: awaitedDeadline(state) };
  };

  // What a seat can ask for.

  const MOST_COINS = 64;
  const oneOf = (values) => (value) => values.includes(value);

  /** Each kind of action, and what each of its fields may hold. */
  const FORMS = {
    choose_side: { side: oneOf(['heads', 'tails']) },
    place: { coin: oneOf(COINS) },
    convert: { recipe: oneOf(Object.keys(RECIPES)) },
    end_turn: {},
    keep: {},
    exchange: {
      coins: (value) => (
        Array.isArray(value) && value.length <= MOST_COINS && value.every(oneOf(COINS))
      ),
    },
  };

  const checkForm = ({ type, ...fields }) => {
    const form = Object.hasOwn(FORMS, type) ? FORMS[type] : {};
    const known = Object.keys(fields).every((name) => Object.hasOwn(form, name));
    const right = Object.keys(form).every((name) => form[name](fields[name]));
    if (!Object.hasOwn(FORMS, type) || !known || !right) {
      throw new TypeError(`not an action of this game: ${type}`);
    }
  };

  // What follows from an action.

  /** Rule 1.1: the other seat has the opposite side. */
  const chooseSide = (state, { side }) => [sideChosen(state.seat, side)];

  /** Rule 2.2; the turn is over if nothing is left to do in it. */
  const place = (state, { coin }) => {
    if (state.placed) {
      refuse('already_placed');
    }
    if (COINS.indexOf(coin) > highest(state.lines[state.seat])) {
      refuse('coin_too_high');
    }
    const placed = coinPlaced(state.seat, coin);
    const after = evolve(state, placed);
    const done = state.converted || !convertible(after.lines[state.seat]);
    return done ? [placed, ...afterTurn(after)] : [placed];
  };

  /** Rules 2.1 and 2.3: one recipe once; after a placement that ends the turn. */
  const convert = (state, { recipe }) => {
    if (state.converted) {
      refuse('already_converted');
    }
    if (!holds(state.lines[state.seat], recipe)) {
      refuse('coins_missing');
    }
    const converted = coinsConverted(state.seat, recipe);
    return state.placed
      ? [converted, ...afterTurn(evolve(state, converted))]
      : [converted];
  };

  const endTurn = (state) => (state.placed ? afterTurn(state) : refuse('not_placed'));

  const keep = (state) => [coinKept(state.seat, state.stolen), ...afterSteal(state)];

  /** Rule 3.4: the stolen coin for lower ones of its value. */
  const exchange = (state, { coins }) => {
    const { stolen } = state;
    if (coins.some((coin) => COINS.indexOf(coin) >= COINS.indexOf(stolen))) {
      refuse('not_lower');
    }
    const given = counted(coins);
    if (total(given) !== total(one(stolen))) {
      refuse('wrong_value');
    }
    if (state.options.down_conversion === 'listed' && !equal(given, LISTED[stolen])) {
      refuse('not_listed');
    }
    const row = given.flatMap((count, rank) => Array(count).fill(COINS[rank]));
    return [coinExchanged(state.seat, stolen, row), ...afterSteal(state)];
  };

  const ANSWERS = {
    choose_side: ['choose_side', chooseSide],
    place: ['turn', place],
    convert: ['turn', convert],
    end_turn: ['turn', endTurn],
    keep: ['exchange', keep],
    exchange: ['exchange', exchange],
  };

  /** Throws TypeError for what no seat can have sent. */
  const decide = (state, seat, action) => {
    checkForm(action);
    if (state.phase === 'over') {
      refuse('game_over');
    }
    const [phase, answer] = ANSWERS[action.type];
    if (state.phase !== phase) {
      refuse('wrong_phase');
    }
    if (seat !== state.seat) {
      refuse('not_your_turn');
    }
    return answer(state, action);
  };

  // How a round goes on.

  /** Rule 2: the other seat's turn; with both taken, rule 3.1. */
  const afterTurn = (state) => {
    const first = state.options.first_player;
    if (state.seat === first) {
      return [turnBegan(state.round, 1 - first)];
    }
    if (state.lines.some((line) => total(line) >= FIRST_STEAL)) {
      return [stealBegan(state.round, 1)];
    }
    return [turnBegan(state.round + 1, first)];
  };

  /** Rule 3.5: play goes on, the richer seat wins, or a tie is broken by more steals or shared. */
  const afterSteal = (state) => {
    const [mine, other] = state.lines.map(total);
    if (mine < DOLLAR && other < DOLLAR) {
      return [turnBegan(state.round + 1, state.options.first_player)];
    }
    if (mine !== other) {
      return [prizeTaken([mine > other ? 0 : 1])];
    }
    const reflipped = state.steal - 1;
    return reflipped < state.options.tie_reflips
      ? [stealBegan(state.round, state.steal + 1)]
      : [prizeTaken([0, 1])];
  };

  // What follows from a draw and from a deadline.

  const settle = (state, draw, outcome) => {
    const flips = draw.parts.map(({ label }, place) => [label, outcome[place]]);
    return state.phase === 'setup' ? dealt(state, flips) : flipped(state, flips);
  };

  /** Rule 1.2: all five pennies are handed out; rule 1.3: round 1 begins. */
  const dealt = (state, flips) => {
    const heads = flips.filter(([, face]) => face === 'heads').length;
    const pennies = [0, 1].map((seat) => (seat === state.heads ? heads : flips.length - heads));
    return [penniesDealt(flips, pennies), turnBegan(1, state.options.first_player)];
  };

  /** Rules 3.3 and 3.4: a coin may move, and its receiver is asked unless it is a penny. */
  const flipped = (state, flips) => {
    const moved = theft(state, flips);
    if (moved === null) {
      return [coinsFlipped(flips), ...afterSteal(state)];
    }
    const after = evolve(state, moved);
    const rest = after.phase === 'exchange' ? [] : afterSteal(after);
    return [coinsFlipped(flips), moved, ...rest];
  };

  /** Rule 3.3: the first heads from the highest down decides, even if then nothing moves. */
  const theft = (state, flips) => {
    const deciding = flips.find(([, face]) => face === 'heads');
    if (deciding === undefined) {
      return null;
    }
    const [coin] = deciding;
    const [mine, other] = state.lines.map((line) => line[COINS.indexOf(coin)]);
    if (mine === other) {
      return null;
    }
    const giver = mine > other ? 0 : 1;
    return coinStolen(giver, 1 - giver, coin);
  };

  /** The option `turn_seconds`: heads, a penny, the end of the turn, or the coin kept. */
  const expire = (state, deadline) => {
    const { seats, deadline: awaited } = awaits(state);
    if (seats.length === 0 || awaited === null || deadline.id !== awaited.id) {
      return [];
    }
    if (state.phase === 'choose_side') {
      return chooseSide(state, { side: 'heads' });
    }
    if (state.phase === 'exchange') {
      return keep(state);
    }
    if (state.placed) {
      return afterTurn(state);
    }
    const placed = coinPlaced(state.seat, 'penny');
    return [placed, ...afterTurn(evolve(state, placed))];
  };

  // How each event changes the state.

  const changed = (state, seat, change) => (
    state.lines.map((line, side) => (side === seat ? plus(line, change) : line))
  );

  const EVOLVERS = {
    'dollar-prize.side-chosen.1': (state, { seat, side }) => (
      { ...state, phase: 'setup', heads: side === 'heads' ? seat : 1 - seat }
    ),
    'dollar-prize.pennies-dealt.1': (state, { pennies }) => (
      { ...state, lines: pennies.map((count) => [count, 0, 0, 0]) }
    ),
    'dollar-prize.turn-began.1': (state, { round, seat }) => (
      { ...state, phase: 'turn', round, seat, converted: false, placed: false }
    ),
    'dollar-prize.coin-placed.1': (state, { seat, coin }) => (
      { ...state, placed: true, lines: changed(state, seat, one(coin)) }
    ),
    'dollar-prize.coins-converted.1': (state, { seat, recipe }) => (
      { ...state, converted: true, lines: changed(state, seat, RECIPES[recipe]) }
    ),
    'dollar-prize.steal-began.1': (state, { number }) => (
      { ...state, phase: 'steal', steal: number }
    ),
    'dollar-prize.coin-stolen.1': (state, { giver, receiver, coin }) => {
      const taken = changed(state, giver, minus([0, 0, 0, 0], one(coin)));
      const lines = changed({ lines: taken }, receiver, one(coin));
      return coin === 'penny'
        ? { ...state, lines }
        : { ...state, phase: 'exchange', seat: receiver, stolen: coin, lines };
    },
    'dollar-prize.coin-exchanged.1': (state, { seat, coin, coins }) => (
      { ...state, lines: changed(state, seat, minus(counted(coins), one(coin))) }
    ),
    'dollar-prize.prize-taken.1': (state, { seats }) => (
      { ...state, phase: 'over', winners: seats }
    ),
  };

  const evolve = (state, event) => {
    const { type } = event;
    return Object.hasOwn(EVOLVERS, type) ? EVOLVERS[type](state, event) : state;
  };

  /** The scores are the totals in cents. */
  const result = (state) => {
    if (state.phase !== 'over') {
      return null;
    }
    const { winners } = state;
    const losers = [0, 1].filter((seat) => !winners.includes(seat));
    return { winners, losers, shared: winners.length > 1, scores: state.lines.map(total) };
  };

  return {
    id: 'dollar-prize',
    rulesVersion: 1,
    seats: [2, 2],
    hidesDraws: false,
    publicResult: true,
    events: events(forms),
    options: options(forms),
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
