/**
 * Grouping Black & White: two seats bet on tiles that neither of them sees.
 *
 * A reading of the rules page of its own, for whoever judges a match again; rule numbers are those
 * of that page. The event types and the order of their fields are the storage format.
 */
GAMES.register((forms) => {
  'use strict';

  const NUMBERS = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const GROUP_NAMES = ['a', 'b', 'c'];
  const SIZES = [2, 3, 4];
  const ROUNDS = 9;
  const EIGHT = 8;
  const BONUS_CHIPS = 10;
  const MOST_INCREASE = 10;
  const MOST_SENT = 32;
  const DAY = 86_400;

  // What can stand on a record, and what can be chosen.

  const events = ({ PUBLIC, OWN_SEAT, SEALED, ...forms }) => {
    const { whole: seat, whole, flag, oneOf, nullable, listOf, row: ofThese, fields } = forms;
    const wholes = listOf(whole);
    const pair = ofThese(whole, whole);
    const groups = fields({ a: wholes, b: wholes, c: wholes });
    const order = listOf(oneOf(...GROUP_NAMES));
    const shade = oneOf('black', 'white');
    return {
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
        PUBLIC, { round: whole, colours: ofThese(shade, shade), starter: whole },
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
  };

  /** Nearly all of them depend on the variant: `complete` fills them in. */
  const options = ({ flag, oneOf, within, nullable, listOf }) => {
    const chips = within(1, 10_000);
    const times = within(1, 1000);
    const seconds = within(1, DAY);
    const sized = (count, form) => (value) => listOf(form)(value) && value.length === count;
    const held = listOf(oneOf('bonus', 'peek', 'order'));
    const areItems = (items) => held(items) && new Set(items).size === items.length;
    const areItemsOfSeats = (items) =>
      sized(2, areItems)(items) && !items.every((own) => own.includes('bonus'));
    return {
      variant: [oneOf('death-match', 'final-match-2'), 'death-match'],
      chips: [sized(2, chips), undefined],
      passes_per_set: [within(1, 10), undefined],
      ante_every_sets: [times, undefined],
      raise_cap: [chips, undefined],
      on_fold: [oneOf('pot', 'return'), undefined],
      on_call: [oneOf('pot', 'return'), undefined],
      regroup_limits: [nullable(sized(3, within(0, 9))), undefined],
      fold_8_penalty: [within(0, 10_000), undefined],
      short_ante: [oneOf('all_in', 'lose'), undefined],
      items: [areItemsOfSeats, undefined],
      ante_increase_allowed: [flag, undefined],
      starter_chooser: [within(0, 1), undefined],
      own_tile_visible: [flag, undefined],
      leader_check: [flag, undefined],
      bet_seconds: [seconds, undefined],
      group_seconds: [seconds, undefined],
    };
  };

  const refuse = (refused) => {
    throw { refused };
  };
  const reject = (invalid) => {
    throw { invalid };
  };

  /** The pair once the seat has `value`. */
  const withSeat = (pair, seat, value) => (seat === 0 ? [value, pair[1]] : [pair[0], value]);

  /** The pair once `chips` have been added to what the seat has. */
  const plus = (pair, seat, chips) => withSeat(pair, seat, pair[seat] + chips);

  /** What the seats hold once the seat has used the item. */
  const spent = (items, seat, item) =>
    withSeat(items, seat, items[seat].filter((held) => held !== item));

  // Tiles and groups.

  /** Even tiles are black, odd ones white. */
  const colour = (number) => (number % 2 === 0 ? 'black' : 'white');

  const ascending = (numbers) => [...numbers].sort((one, other) => one - other);

  /** Nine numbers cut into 2, 3 and 4; within a group they ascend. */
  const inGroups = (row) => ({
    a: ascending(row.slice(0, 2)),
    b: ascending(row.slice(2, 5)),
    c: ascending(row.slice(5)),
  });

  /** Rule 1 of a set: each of 0-8 is in one of the groups, which have their sizes. */
  const isPartition = (groups) => {
    const row = GROUP_NAMES.flatMap((name) => groups[name]);
    const sized = GROUP_NAMES.every((name, place) => groups[name].length === SIZES[place]);
    return sized && NUMBERS.every((number) => row.includes(number));
  };

  /** Rule 1 of a set: no more numbers leave a group than may. */
  const mayBecome = (old, groups, limits) =>
    GROUP_NAMES.every((name, place) => {
      const left = old[name].filter((number) => !groups[name].includes(number));
      return left.length <= limits[place];
    });

  /** The tiles of the present round, one a seat. */
  const numbersOf = (state) => state.tiles.map((row) => row[state.round - 1]);

  /** The seat with the higher tile of the present round; null if they are equal. */
  const higher = (state) => {
    const [first, second] = numbersOf(state);
    if (first === second) return null;
    return first > second ? 0 : 1;
  };

  // Options.

  const DEATH_MATCH = {
    chips: [30, 30],
    passes_per_set: 2,
    ante_every_sets: 1,
    raise_cap: 10,
    on_fold: 'pot',
    on_call: 'pot',
    regroup_limits: null,
    fold_8_penalty: 0,
    short_ante: 'all_in',
    items: [[], []],
    ante_increase_allowed: false,
    own_tile_visible: false,
    leader_check: false,
    bet_seconds: 60,
    group_seconds: 120,
  };
  const FINAL_MATCH_2 = {
    ...DEATH_MATCH,
    chips: [100, 100],
    passes_per_set: 1,
    ante_every_sets: 2,
    on_fold: 'return',
    on_call: 'return',
    regroup_limits: [1, 1, 2],
    fold_8_penalty: 8,
    short_ante: 'lose',
    items: [['bonus', 'peek'], ['order']],
    ante_increase_allowed: true,
  };

  /** All options: early records have only those that were given, the variant says the others. */
  const complete = (options) => {
    const variant = options.variant === 'final-match-2' ? FINAL_MATCH_2 : DEATH_MATCH;
    const house = { ...variant, ...options };
    const bonus = house.items.findIndex((held) => held.includes('bonus'));
    return { starter_chooser: bonus >= 0 ? bonus : 1, ...house };
  };

  /** The chips before the first round; a bonus brings ten more. */
  const stacksOf = ({ chips, items }) =>
    chips.map((some, seat) => some + (items[seat].includes('bonus') ? BONUS_CHIPS : 0));

  // The table, and how events change it.

  const initial = (options) => atTheStart(complete(options));

  const atTheStart = (house) => ({
    house,
    phase: 'name_starter',
    stacks: stacksOf(house),
    items: house.items,
    set: 1,
    pass: 1,
    round: 1,
    ante: 1,
    increases: 0,
    starter: 0,
    toAct: null,
    bet: 1,
    bets: [0, 0],
    groups: [null, null],
    standing: [null, null],
    reopened: false,
    ordered: [false, false],
    tiles: [[], []],
    suddenDeath: false,
    winner: null,
  });

  /** By how much the other's bet is above the seat's own. */
  const toCall = (state, seat) => state.bets[1 - seat] - state.bets[seat];

  /** Puts so many chips of the seat into its bet. */
  const putIn = (state, seat, chips) => ({
    ...state,
    stacks: plus(state.stacks, seat, -chips),
    bets: plus(state.bets, seat, chips),
  });

  /** Both antes are in; a seat with nothing left means that nobody bets (rule 3 of a round). */
  const withAntes = (state, chips) => {
    const paid = putIn(putIn(state, 0, chips), 1, chips);
    return { ...paid, toAct: paid.stacks.includes(0) ? null : paid.starter, bet: 1 };
  };

  /** What each event changes; one that is not here changes nothing that the rules need. */
  const HAPPENED = {
    __proto__: null,
    'grouping-bw.starter-named.1': (state, { starter }) => ({ ...state, starter }),
    'grouping-bw.set-began.1': (state, { set, ante }) => ({
      ...state,
      phase: 'grouping',
      set,
      pass: 1,
      ante,
    }),
    'grouping-bw.groups-submitted.1': (state, said) => ({
      ...state,
      standing: withSeat(state.standing, said.seat, said),
    }),
    'grouping-bw.order-used.1': (state, { seat }) => ({
      ...state,
      items: spent(state.items, seat, 'order'),
      ordered: withSeat(state.ordered, seat, true),
    }),
    'grouping-bw.grouping-ended.1': (state, { increase, ante }) => ({
      ...state,
      phase: 'deal',
      ante,
      increases: state.increases + increase,
      groups: state.standing.map((said, seat) => said?.groups ?? state.groups[seat]),
      standing: [null, null],
      reopened: false,
    }),
    'grouping-bw.groups-drawn.1': (state, { seat, groups }) => ({
      ...state,
      groups: withSeat(state.groups, seat, groups),
    }),
    'grouping-bw.pass-began.1': (state, { number }) => ({ ...state, phase: 'deal', pass: number }),
    'grouping-bw.tiles-laid.1': (state, { tiles }) => ({
      ...state,
      tiles,
      ordered: [false, false],
    }),
    'grouping-bw.round-began.1': (state, { round, starter }) => ({
      ...state,
      phase: 'betting',
      round,
      starter,
    }),
    'grouping-bw.antes-paid.1': (state, { chips }) => withAntes(state, chips),
    'grouping-bw.sudden-death-began.1': (state) => ({ ...state, suddenDeath: true }),
    'grouping-bw.raised.1': (state, { seat, by }) => ({
      ...putIn(state, seat, toCall(state, seat) + by),
      toAct: 1 - seat,
      bet: state.bet + 1,
    }),
    'grouping-bw.called.1': (state, { seat }) => putIn(state, seat, toCall(state, seat)),
    'grouping-bw.number-told.1': (state, { seat, by }) =>
      by === 'peek' ? { ...state, items: spent(state.items, seat, 'peek') } : state,
    'grouping-bw.round-ended.1': (state, { winner, stacks }) => ({
      ...state,
      stacks,
      bets: [0, 0],
      starter: winner ?? state.starter,
    }),
    'grouping-bw.game-won.1': (state, { seat }) => ({ ...state, phase: 'over', winner: seat }),
  };

  const evolve = (state, event) => HAPPENED[event.type]?.(state, event) ?? state;

  /** The event, and what follows from the state that it leaves. */
  const then = (state, event, next) => [event, ...next(evolve(state, event))];

  // Sets.

  /** The ante of a set: 1, what has grown with the sets, and what was agreed on before. */
  const setBegan = (state, set) => ({
    type: 'grouping-bw.set-began.1',
    set,
    ante: 1 + Math.floor((set - 1) / state.house.ante_every_sets) + state.increases,
  });

  /** Rule 0 of a set, by which the first one begins. */
  const starterNamed = (state, seat, starter) => [
    { type: 'grouping-bw.starter-named.1', seat, starter },
    setBegan(state, 1),
  ];

  /** Rule 1 of a set: what stands counts; the ante grows if both named the same number. */
  const groupingEnded = (state) => {
    const said = state.standing.filter((one) => one !== null);
    const [first, second] = said.map((one) => one.ante_increase);
    const increase = said.length === 2 && first === second ? (first ?? 0) : 0;
    const used = said.filter((one) => one.use_order);
    return [
      ...used.map(({ seat }) => ({ type: 'grouping-bw.order-used.1', seat })),
      { type: 'grouping-bw.grouping-ended.1', increase, ante: state.ante + increase },
    ];
  };

  /** The next round, else the next pass, else the next set; sudden death stays in its set. */
  const next = (state) => {
    if (state.round < ROUNDS) return roundBegan(state, state.round + 1);
    if (state.suddenDeath || state.pass < state.house.passes_per_set) {
      return [{ type: 'grouping-bw.pass-began.1', number: state.pass + 1 }];
    }
    return [setBegan(state, state.set + 1)];
  };

  // Rounds.

  /** Rules 1 and 2 of a round: the colours are shown, then the antes are due. */
  const roundBegan = (state, round) => {
    const numbers = numbersOf({ ...state, round });
    const colours = numbers.map(colour);
    const began = { type: 'grouping-bw.round-began.1', round, colours, starter: state.starter };
    const own = numbers.map((number, seat) => ({
      type: 'grouping-bw.own-tile-told.1',
      seat,
      number,
    }));
    return then(state, began, (after) => [
      ...(state.house.own_tile_visible ? own : []),
      ...(state.suddenDeath ? shown(after) : antes(after)),
    ]);
  };

  /** Rule 2 of a round: each puts in the ante, or the smaller stack; or who is short loses. */
  const antes = (state) => {
    const seats = [0, 1].filter((seat) => state.stacks[seat] < state.ante);
    if (seats.length > 0 && state.house.short_ante === 'lose') return anteMissed(state, seats);
    const chips = Math.min(state.ante, ...state.stacks);
    return then(state, { type: 'grouping-bw.antes-paid.1', chips }, (after) =>
      after.toAct === null ? showdown(after, 'allin') : [],
    );
  };

  /** Rule 2 of a round: who alone is short loses; of two who are, the one with more chips wins. */
  const anteMissed = (state, seats) => {
    const missed = { type: 'grouping-bw.ante-missed.1', seats };
    if (seats.length === 1) return [missed, gameWon(1 - seats[0])];
    const [first, second] = state.stacks;
    if (first !== second) return [missed, gameWon(first > second ? 0 : 1)];
    return [missed, ...then(state, { type: 'grouping-bw.sudden-death-began.1' }, shown)];
  };

  const gameWon = (seat) => ({ type: 'grouping-bw.game-won.1', seat });

  const roundEnded = (end, winner, folder, numbers, payout, folded8) => ({
    type: 'grouping-bw.round-ended.1',
    end,
    winner,
    folder,
    numbers,
    stacks: payout.stacks,
    discarded: payout.discarded,
    folded_8: folded8,
  });

  /** Rule 2 of a round: in sudden death the first tile that is higher wins the match. */
  const shown = (state) => {
    const winner = higher(state);
    const payout = { stacks: state.stacks, discarded: 0 };
    const ended = roundEnded('sudden_death', winner, null, numbersOf(state), payout, false);
    return winner === null ? then(state, ended, next) : [ended, gameWon(winner)];
  };

  /** Rule 5 of a round: both numbers are public, the higher wins. */
  const showdown = (state, end) => {
    const winner = higher(state);
    const payout = winner === null ? evenPayout(state) : wonPayout(state, winner);
    return then(state, roundEnded(end, winner, null, numbersOf(state), payout, false), afterRound);
  };

  /** Rule 5 of a round: the pot, or the own bet, for the higher tile. */
  const wonPayout = ({ house, stacks, bets }, winner) => {
    const lost = bets[1 - winner];
    const own = plus(stacks, winner, bets[winner]);
    if (house.on_call === 'pot') return { stacks: plus(own, winner, lost), discarded: 0 };
    return { stacks: own, discarded: lost };
  };

  /** Rule 5 of a round: equal bets go back, or leave the game if that leaves somebody a chip. */
  const evenPayout = ({ house, stacks, bets }) => {
    const broke = stacks[0] === 0 && stacks[1] === 0;
    if (house.on_call === 'return' && !broke) return { stacks, discarded: bets[0] + bets[1] };
    return { stacks: plus(plus(stacks, 0, bets[0]), 1, bets[1]), discarded: 0 };
  };

  /** Rule 4 of a round: only the folder sees the other number. */
  const folded = (state, folder) => {
    const [own, number] = [folder, 1 - folder].map((seat) => numbersOf(state)[seat]);
    const penalty = own === EIGHT ? state.house.fold_8_penalty : 0;
    const payout = foldPayout(state, folder, penalty);
    const ended = roundEnded('fold', 1 - folder, folder, null, payout, penalty > 0);
    return [
      { type: 'grouping-bw.folded.1', seat: folder },
      { type: 'grouping-bw.number-told.1', seat: folder, number, by: 'fold' },
      ...then(state, ended, afterRound),
    ];
  };

  /** Rule 4 of a round: the pot, or the own bet, for the other; an 8 costs what there is. */
  const foldPayout = ({ house, stacks, bets }, folder, penalty) => {
    const fine = Math.min(penalty, stacks[folder]);
    const left = plus(plus(stacks, folder, -fine), 1 - folder, bets[1 - folder]);
    if (house.on_fold === 'return') return { stacks: left, discarded: fine + bets[folder] };
    return { stacks: plus(left, 1 - folder, bets[folder]), discarded: fine };
  };

  /** Rule 7 of a round: without chips a seat loses, unless the next ante is what decides. */
  const afterRound = (state) => {
    const broke = state.stacks.indexOf(0);
    return state.house.short_ante === 'all_in' && broke >= 0 ? [gameWon(1 - broke)] : next(state);
  };

  // Whom or what the match waits for.

  /** Rule 2 of a set, before it the groups of a seat that made none in time. */
  const drawOf = (state) => {
    const shuffle = (items) => ({ kind: 'shuffle', items });
    const bare = state.groups.indexOf(null);
    if (bare >= 0) {
      const id = `set${state.set}/grouping/${bare}`;
      return { id, parts: [shuffle(NUMBERS)], audience: 'sealed' };
    }
    const parts = state.groups.flatMap(({ a, b, c }) => [a, b, c, GROUP_NAMES].map(shuffle));
    return { id: `set${state.set}/pass${state.pass}`, parts, audience: 'sealed' };
  };

  const deadlineOf = ({ house, phase, set, pass, round, bet }) => {
    const wait = { seconds: phase === 'betting' ? house.bet_seconds : house.group_seconds };
    if (phase === 'name_starter') return { id: 'starter', wait };
    if (phase === 'grouping') return { id: `set${set}/grouping`, wait };
    return { id: `set${set}/pass${pass}/round${round}/bet${bet}`, wait };
  };

  /** The chooser, both seats or the one to bet. */
  const AWAITED = {
    name_starter: (state) => [state.house.starter_chooser],
    grouping: () => [0, 1],
    betting: (state) => [state.toAct],
  };

  const awaits = (state) => {
    if (state.phase === 'over') return { seats: [], draw: null, deadline: null };
    if (state.phase === 'deal') return { seats: [], draw: drawOf(state), deadline: null };
    return { seats: AWAITED[state.phase](state), draw: null, deadline: deadlineOf(state) };
  };

  // What a seat may do.

  const isTiles = (tiles) =>
    Array.isArray(tiles) && tiles.length <= MOST_SENT && tiles.every(Number.isSafeInteger);

  const isMaybeFlag = (value) => value === undefined || typeof value === 'boolean';
  const isMaybeWhole = (value) => (value ?? null) === null || Number.isSafeInteger(value);

  /** Rule 0 of a set: the chooser names either seat. */
  const nameStarter = (state, seat, action) => {
    if (seat !== state.house.starter_chooser) refuse('not_your_turn');
    if (action.seat !== 0 && action.seat !== 1) refuse('no_such_seat');
    return starterNamed(state, seat, action.seat);
  };

  /** A grouping that a rewind has opened again does not end because both are in. */
  const reopened = (state) => ({ ...state, reopened: true });

  /** Rule 1 of a set: the grouping may be replaced until both are in. */
  const group = (state, seat, action) => {
    const said = {
      type: 'grouping-bw.groups-submitted.1',
      seat,
      groups: checkedGroups(state, seat, action),
      use_order: action.use_order ?? false,
      ante_increase: checkedIncrease(state, seat, action),
    };
    return then(state, said, (after) =>
      after.reopened || after.standing.includes(null) ? [] : groupingEnded(after),
    );
  };

  /** Rule 1 of a set: a partition, and from the second set on within the limits. */
  const checkedGroups = (state, seat, action) => {
    if (!isPartition(action)) reject('not_a_partition');
    const old = state.groups[seat];
    const groups = inGroups([...action.a, ...action.b, ...action.c]);
    const limits = state.house.regroup_limits;
    if (old !== null && limits !== null && !mayBecome(old, groups, limits)) {
      reject('too_many_moved');
    }
    return groups;
  };

  /** Rule 1 of a set: what may be sent along, an order first, then a number from 1 to 10. */
  const checkedIncrease = (state, seat, action) => {
    const lacking = action.use_order ? lackOf(state, seat, 'order') : null;
    if (lacking !== null) reject(lacking);
    const increase = action.ante_increase ?? null;
    if (increase === null) return null;
    if (!state.house.ante_increase_allowed) reject('ante_increase_not_allowed');
    if (increase < 1 || increase > MOST_INCREASE) reject('ante_increase_out_of_range');
    return increase;
  };

  /** Why the seat cannot use the item, if it cannot: never had, or used before. */
  const lackOf = (state, seat, item) => {
    if (state.items[seat].includes(item)) return null;
    return state.house.items[seat].includes(item) ? 'item_used' : 'item_not_held';
  };

  const checkTurn = (state, seat) => {
    if (seat !== state.toAct) refuse('not_your_turn');
  };

  /** Rule 3 of a round: nobody raises beyond what he has and what the other could call. */
  const raise = (state, seat, { by }) => {
    checkTurn(state, seat);
    const own = state.stacks[seat] - toCall(state, seat);
    const most = Math.min(state.house.raise_cap, state.stacks[1 - seat], own);
    if (by < 1 || by > most) refuse('raise_out_of_range');
    return [{ type: 'grouping-bw.raised.1', seat, by }];
  };

  /** Rule 3 of a round: at equal bets only the starter may call, and only by that option. */
  const call = (state, seat) => {
    checkTurn(state, seat);
    const check = state.house.leader_check && seat === state.starter;
    if (toCall(state, seat) === 0 && !check) refuse('nothing_to_call');
    return then(state, { type: 'grouping-bw.called.1', seat }, (after) => showdown(after, 'call'));
  };

  /** Rule 3 of a round: at any turn of one's own. */
  const fold = (state, seat) => {
    checkTurn(state, seat);
    return folded(state, seat);
  };

  /** Between the deal and the end of a round, whoever's turn it is. */
  const peek = (state, seat) => {
    const lacking = lackOf(state, seat, 'peek');
    if (lacking !== null) refuse(lacking);
    const number = numbersOf(state)[1 - seat];
    return [{ type: 'grouping-bw.number-told.1', seat, number, by: 'peek' }];
  };

  /** Each kind of action: its phase, what its fields may hold at all, and what follows. */
  const ACTIONS = {
    __proto__: null,
    name_starter: {
      phase: 'name_starter',
      fields: { seat: Number.isSafeInteger },
      answer: nameStarter,
    },
    group: {
      phase: 'grouping',
      fields: {
        a: isTiles,
        b: isTiles,
        c: isTiles,
        use_order: isMaybeFlag,
        ante_increase: isMaybeWhole,
      },
      answer: group,
    },
    raise: { phase: 'betting', fields: { by: Number.isSafeInteger }, answer: raise },
    call: { phase: 'betting', fields: {}, answer: call },
    fold: { phase: 'betting', fields: {}, answer: fold },
    peek: { phase: 'betting', fields: {}, answer: peek },
  };

  /** Whether it is an action of these rules at all; no other can be on a record. */
  const isUnderstood = ({ type, ...sent }) => {
    const fields = ACTIONS[type]?.fields;
    if (typeof type !== 'string' || fields === undefined) return false;
    return (
      Object.keys(sent).every((name) => Object.hasOwn(fields, name)) &&
      Object.keys(fields).every((name) => fields[name](sent[name]))
    );
  };

  const decide = (state, seat, action) => {
    if (!isUnderstood(action)) throw new TypeError('This is no action of Grouping Black & White.');
    if (state.phase === 'over') refuse('game_over');
    const { phase, answer } = ACTIONS[action.type];
    if (state.phase !== phase) refuse('wrong_phase');
    return answer(state, seat, action);
  };

  // What follows from chance and time.

  /** Rule 2 of a set: the groups, each in its drawn order, lie in the drawn order of groups. */
  const row = ([a, b, c, order]) => {
    const groups = { a, b, c };
    return order.flatMap((name) => groups[name]);
  };

  /** Groups for a seat without any, or the tiles of a pass, with which its first round begins. */
  const settle = (state, draw, outcome) => {
    const bare = state.groups.indexOf(null);
    if (bare >= 0) {
      return [{ type: 'grouping-bw.groups-drawn.1', seat: bare, groups: inGroups(outcome[0]) }];
    }
    const shuffles = [outcome.slice(0, 4), outcome.slice(4)];
    const orders = shuffles.map((shuffled) => shuffled[3]);
    const laid = { type: 'grouping-bw.tiles-laid.1', tiles: shuffles.map(row), orders };
    const ordered = [0, 1].filter((seat) => state.ordered[seat]);
    return then(state, laid, (after) => [
      ...ordered.map((seat) => ({ type: 'grouping-bw.order-told.1', seat, order: orders[seat] })),
      ...roundBegan(after, 1),
    ]);
  };

  /** The chooser starts itself, the groups stay as they stand, the seat to bet folds. */
  const expire = (state, deadline) => {
    if (awaits(state).deadline?.id !== deadline.id) return [];
    if (state.phase === 'grouping') return groupingEnded(state);
    if (state.phase === 'betting') return folded(state, state.toAct);
    const chooser = state.house.starter_chooser;
    return starterNamed(state, chooser, chooser);
  };

  /** The scores are the stacks. */
  const result = ({ winner, stacks }) =>
    winner === null
      ? null
      : { winners: [winner], losers: [1 - winner], shared: false, scores: stacks };

  return {
    id: 'grouping-bw',
    rulesVersion: 1,
    seats: [2, 2],
    hidesDraws: true,
    publicResult: true,
    events: events(forms),
    options: options(forms),
    initial,
    open: () => [],
    awaits,
    decide,
    settle,
    expire,
    evolve,
    result,
    sealedPhase: (id) => id.endsWith('/grouping'),
    reopened,
  };
});
