/**
 * What a match may be played with: the options of each game, as its rules page lists them, the
 * kinds of record it can have, and which names can be told apart.
 */
const OPTIONS = (() => {
  'use strict';

  const { flag, oneOf, within, nullable, listOf, fields, isObject } = FORMS;

  const LONGEST_NAME = 64;
  const MOST = 1000;
  const DAY = 86400;

  /** Each option: what it may be, and what it is where it is not given. Where the default depends
   * on others it is undefined: the game's rules fill it in. */
  const DOLLAR_PRIZE_OPTIONS = {
    first_player: [within(0, 1), 0],
    tie_reflips: [within(0, 10), 1],
    down_conversion: [oneOf('any', 'listed'), 'any'],
    turn_seconds: [nullable(within(1, 365 * DAY)), null],
  };

  const TWELVE_CHIPS_OPTIONS = {
    over_21: [oneOf('bust', 'halve'), 'bust'],
    deal: [oneOf('two_two', 'random'), 'two_two'],
    first_starter: [within(0, 3), 0],
    round_starter: [oneOf('last_trick_winner', 'rotate', 'round_winner'), 'last_trick_winner'],
    tokens_to_win: [within(1, 100), 3],
    turn_seconds: [nullable(within(1, DAY)), null],
    hand_colours_public: [flag, false],
  };

  const isTimeOfDay = (value) =>
    typeof value === 'string' && /^([01][0-9]|2[0-3]):[0-5][0-9]$/.test(value);
  const tokens = within(0, MOST);
  const areStartTokens = (value) => isObject(value)
    && fields({ A: tokens, B: tokens })({ ...START_TOKENS, ...value });
  const START_TOKENS = { A: 5, B: 1 };

  const TOGETHER_OPTIONS = {
    groups: [listOf(oneOf('A', 'B')), undefined],
    start_tokens: [areStartTokens, START_TOKENS],
    garnets: [listOf(within(0, MOST)), undefined],
    kick_rule: [oneOf('most', 'fewest'), 'most'],
    all_tied: [oneOf('all_out', 'none_out'), 'all_out'],
    b_self: [flag, false],
    b_repeats: [flag, true],
    reveal_vote_counts: [flag, true],
    b_winner_rank: [within(1, 32), 2],
    b_loser_rank: [within(1, 32), 1],
    ec_voters: [oneOf('group', 'winners'), 'group'],
    garnet_per_tokens: [within(1, MOST), 7],
    deadline_utc: [isTimeOfDay, '14:00'],
    first_round_hours: [within(0, MOST), 48],
    round_hours: [within(1, MOST), 24],
    vote_hours: [within(1, MOST), 24],
  };

  const chips = within(1, 10000);
  const sized = (count, form) => (value) => listOf(form)(value) && value.length === count;
  const areItems = (held) => listOf(oneOf('bonus', 'peek', 'order'))(held)
    && new Set(held).size === held.length;
  const areItemsOfSeats = (value) =>
    sized(2, areItems)(value) && !value.every((held) => held.includes('bonus'));

  const GROUPING_BW_OPTIONS = {
    variant: [oneOf('death-match', 'final-match-2'), 'death-match'],
    chips: [sized(2, chips), undefined],
    passes_per_set: [within(1, 10), undefined],
    ante_every_sets: [within(1, MOST), undefined],
    raise_cap: [chips, undefined],
    on_fold: [oneOf('pot', 'return'), undefined],
    on_call: [oneOf('pot', 'return'), undefined],
    regroup_limits: [nullable(sized(3, within(0, 9))), undefined],
    fold_8_penalty: [within(0, 10000), undefined],
    short_ante: [oneOf('all_in', 'lose'), undefined],
    items: [areItemsOfSeats, undefined],
    ante_increase_allowed: [flag, undefined],
    starter_chooser: [within(0, 1), undefined],
    own_tile_visible: [flag, undefined],
    leader_check: [flag, undefined],
    bet_seconds: [within(1, DAY), undefined],
    group_seconds: [within(1, DAY), undefined],
  };

  const always = () => true;

  /** Together: a group and garnets for every seat, two seats at least in either group, and
   * different places that win and lose. */
  const fitTogether = ({ groups, garnets, ...rest }, seats) => {
    const sizes = ['A', 'B'].map((group) => groups?.filter((own) => own === group).length ?? 2);
    return (groups ?? garnets ?? Array(seats)).length === seats
      && (garnets ?? groups ?? Array(seats)).length === seats
      && Math.min(...sizes) >= 2 && rest.b_winner_rank !== rest.b_loser_rank;
  };

  /** For each game: its options, what must hold of them together, and its kinds of record. */
  const GAMES = {
    'dollar-prize': [DOLLAR_PRIZE_OPTIONS, always, ['opened_at_end', 'closed']],
    'twelve-chips': [
      TWELVE_CHIPS_OPTIONS,
      ({ first_starter: starter }, seats) => starter < seats,
      ['opened_at_end', 'closed'],
    ],
    together: [TOGETHER_OPTIONS, fitTogether, ['closed']],
    'grouping-bw': [GROUPING_BW_OPTIONS, always, ['opened_at_end', 'closed']],
  };

  /** All options of a match as its record has them, or null if no match can be played with
   * them. */
  const complete = (game, given, seats) => {
    const [known, fit] = GAMES[game];
    if (!isObject(given) || !Object.keys(given).every((name) => Object.hasOwn(known, name))) {
      return null;
    }
    if (!Object.keys(given).every((name) => known[name][0](given[name]))) {
      return null;
    }
    const granted = Object.entries(known).map(([name, [, usual]]) => [name, usual]);
    const filled = granted.filter(([, usual]) => usual !== undefined);
    const options = { ...Object.fromEntries(filled), ...given };
    if (game === 'together') {
      options.start_tokens = { ...START_TOKENS, ...options.start_tokens };
    }
    return fit(options, seats) ? options : null;
  };

  /** Whether matches of the game can have a record of this kind. */
  const allowsRecord = (game, record) => GAMES[game][2].includes(record);

  // Names.

  /** Printable for Unicode, and showing nothing: Default_Ignorable_Code_Point, and the blank of
   * Braille. */
  const UNSEEN = new RegExp(
    '[\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2800\\u3164\\ufe00-\\ufe0f\\uffa0'
    + '\\u{e0100}-\\u{e01ef}]',
    'gu',
  );
  const UNPRINTABLE = /[\p{C}\p{Z}]/u;

  /** The name as it looks. */
  const seen = (name) => name.replace(UNSEEN, '').normalize('NFC').split(/ +/)
    .filter((word) => word !== '').join(' ');

  /** Whether people can read the name: neither empty nor endless, with something to see. */
  const readable = (name) => {
    const plain = !UNPRINTABLE.test(name.replaceAll(' ', '')) && !/^ | $/.test(name);
    const length = [...name].length;
    return length > 0 && length <= LONGEST_NAME && plain && seen(name) !== '';
  };

  /** Whether the names can be read and told apart. */
  const areNames = (names) =>
    names.every(readable) && new Set(names.map(seen)).size === names.length;

  return { complete, allowsRecord, areNames };
})();
