/**
 * The games whose rules this page has. Each file in `games/` is one statement that registers its
 * game here; a match of any other game is judged as far as it can be without its rules.
 */
const GAMES = (() => {
  'use strict';

  const STORED_NAME = /^[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+\.[1-9][0-9]*$/;

  /** What a game has unless it says otherwise: both kinds of record, any options together, a
   * result that follows from sealed events, and no sealed phase. */
  const USUAL = {
    records: ['opened_at_end', 'closed'], fit: () => true, publicResult: false,
    sealedPhase: () => false, reopened: (state) => state,
  };

  const registered = [];

  /** The game with this id and version of its rules; undefined if it is not here. */
  const of = (id, version) =>
    registered.find((game) => game.id === id && game.rulesVersion === version);

  /** Whether it is the stored name of an event of the game. */
  const names = (id, type) => STORED_NAME.test(type) && type.startsWith(`${id}.`);

  /**
   * Adds a game. `make` is given FORMS and answers with
   *
   * - `id`, `rulesVersion`, `seats` (least and most), `hidesDraws`: whether a draw may be sealed,
   *   `publicResult`: whether the public events alone give the result (default: no);
   * - `events`, by stored name: who may see them, their fields in stored order, and those that may
   *   be missing at the end;
   * - `options`, by name: what each may be, what it is where it is not given (undefined if the
   *   rules fill it in), and how a given one is completed if it is;
   * - `fit(options, seats)`: whether the options go together (default: always), and `records`, the
   *   kinds of record that the game can have (default: both);
   * - `sealedPhase(id)`: whether the phase with this id is sealed (default: none is), and
   *   `reopened(state)`: the state once a rewind has opened such a phase again (default: the same);
   * - the rules: `initial`, `open`, `awaits`, `decide`, `settle`, `expire`, `evolve`, `result`;
   * - `older`: for each older version of the rules its `rulesVersion` and all that was otherwise,
   *   but for the events, which are the same (default: none).
   */
  const register = (make) => {
    const { older = [], ...current } = make(FORMS);
    const game = { ...USUAL, ...current };
    const versions = [...older.map((rules) => ({ ...game, ...rules })), game];
    for (const { id, rulesVersion } of versions) {
      if (of(id, rulesVersion) !== undefined) {
        throw new Error(`${id} ${rulesVersion} is registered twice`);
      }
    }
    for (const type of Object.keys(game.events)) {
      if (!names(game.id, type)) {
        throw new Error(`${type} is no event of ${game.id}`);
      }
      if (registered.some(({ events }) => Object.hasOwn(events, type))) {
        throw new Error(`${type} is registered twice`);
      }
    }
    registered.push(...versions.map(Object.freeze));
  };

  return { register, of, names, all: () => [...registered] };
})();
