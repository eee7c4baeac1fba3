'use strict';

/*
 * Judges matches with the rules of one game in JavaScript and says where they differ.
 *
 *   node judge.js <script of the game> <version of the rules>
 *
 * Standard input has a match a line, as judging.py writes it; standard output gets one JSON value,
 * the verdict. What is compared is JSON text, so the order of keys counts.
 */

const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const SOURCES = path.join(__dirname, '../../../../service/web/verify');

/** What a game needs to register itself. */
const NEEDED = ['forms.js', 'games.js'];

/** Rules do without these: a script that reaches for one of them fails. */
const FORBIDDEN = 'delete globalThis.Date; delete globalThis.console; delete globalThis.Intl;'
  + 'delete Math.random; delete globalThis.WebAssembly;';

/** The game that the script registers in its one statement, by this version of its rules. */
function load(file, version) {
  const script = fs.readFileSync(file, 'utf8');
  const comments = String.raw`(?:\s|/\*[^]*?\*/|//[^\n]*\n)*`;
  const alone = String.raw`GAMES\.register\(\(forms\) => \{\s*'use strict';[^]*\n\}\);\s*`;
  if (!new RegExp(`^${comments}${alone}$`).test(script)) {
    throw new Error(`${file} is not the one statement GAMES.register((forms) => {...});`);
  }
  const context = vm.createContext({});
  vm.runInContext(FORBIDDEN, context);
  for (const needed of NEEDED) {
    vm.runInContext(fs.readFileSync(path.join(SOURCES, needed), 'utf8'), context);
  }
  vm.runInContext(script, context, { filename: file });
  const registered = vm.runInContext('GAMES.all()', context);
  if (new Set(registered.map(({ id }) => id)).size !== 1) {
    throw new Error(`${file} registers more than one game`);
  }
  const game = registered.find(({ rulesVersion }) => rulesVersion === version);
  if (game === undefined) {
    throw new Error(`${file} has no version ${version} of the rules`);
  }
  return game;
}

/** The value as JSON text; throws for what a record cannot hold. */
function text(value) {
  return JSON.stringify(value, recordable);
}

function recordable(key, value) {
  const kind = typeof value;
  const whole = kind === 'number' && Number.isSafeInteger(value) && !Object.is(value, -0);
  const tag = Object.prototype.toString.call(value);
  const nested = tag === '[object Array]' || tag === '[object Object]';
  if (value === null || kind === 'string' || kind === 'boolean' || whole || nested) {
    return value;
  }
  throw new Error(`${key} holds ${String(value)}, which cannot be recorded`);
}

/** The same value, from now on unchangeable: who changes a state in place throws. */
function frozen(value) {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

/** The game's answer to a cause: events, its refusal, or that the action is malformed. */
function answer(game, match, state, cause) {
  try {
    return { events: frozen(events(game, match, state, cause)) };
  } catch (thrown) {
    if (typeof thrown.refused === 'string' || typeof thrown.invalid === 'string') {
      return thrown;
    }
    if (cause.malformed === true) {
      return { malformed: true };
    }
    throw thrown;
  }
}

function events(game, match, state, cause) {
  switch (cause.kind) {
    case 'start': return game.open(match.options, match.seats);
    case 'act': return game.decide(state, cause.seat, cause.action);
    case 'settle': return game.settle(state, game.awaits(state).draw, cause.outcome);
    case 'expire': return game.expire(state, game.awaits(state).deadline);
    default: throw new Error(`nobody knows the cause ${cause.kind}`);
  }
}

/** What the state waits for; draws and waits as they are stored, in their own order of keys. */
function awaited(game, state) {
  const { seats, draw, deadline } = game.awaits(state);
  if (draw !== null && draw.audience !== 'public' && !game.hidesDraws) {
    throw new Error(`the draw ${draw.id} is hidden`);
  }
  return {
    seats,
    draw: draw && { id: draw.id, parts: draw.parts, audience: draw.audience },
    deadline: deadline && { id: deadline.id, wait: deadline.wait },
  };
}

class Difference extends Error {}

function same(what, expected, given) {
  const found = text(given);
  if (found !== expected) {
    throw new Difference(`${what}: expected ${expected} but got ${found}`);
  }
}

/** The state after a step; throws if anything in it differs from what is expected. */
function judgedStep(game, match, state, step, counts) {
  const said = answer(game, match, state, step.cause);
  same('answer', step.answer, said);
  const after = (said.events ?? []).reduce((now, event) => frozen(game.evolve(now, event)), state);
  same('awaits', step.awaits, awaited(game, after));
  same('result', step.result, game.result(after));
  for (const tried of step.tries) {
    counts.tries += 1;
    same(`tried ${JSON.stringify(tried.cause)}`, tried.answer, answer(game, match, after, tried.cause));
  }
  if (game.evolve(after, { type: 'somebody-else.was-here.1' }) !== after) {
    throw new Difference('an event that nobody knows changes the state');
  }
  return after;
}

/** What differs in a match, or null. */
function differing(game, match, counts) {
  let number = -1;
  try {
    let state = frozen(game.initial(match.options, match.seats));
    for (const step of match.steps) {
      number += 1;
      state = judgedStep(game, match, state, step, counts);
    }
    return null;
  } catch (thrown) {
    const what = thrown instanceof Difference ? thrown.message : String(thrown.stack ?? thrown);
    const { name, options, seats } = match;
    return { match: name, options, seats, step: number, cause: match.steps[number]?.cause, what };
  }
}

function main([file, version]) {
  const game = load(file, Number(version));
  const counts = { matches: 0, steps: 0, tries: 0 };
  const differences = [];
  for (const line of fs.readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
    const match = frozen(JSON.parse(line));
    const difference = differing(game, match, counts);
    counts.matches += 1;
    counts.steps += match.steps.length;
    if (difference !== null) {
      differences.push(difference);
    }
  }
  const { id, rulesVersion, seats, hidesDraws } = game;
  const verdict = { id, rulesVersion, seats, hidesDraws, counts, differences };
  process.stdout.write(JSON.stringify(verdict));
}

main(process.argv.slice(2));
