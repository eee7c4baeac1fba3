/** The page: takes a bundle, keys and notes, and shows what comes of them. */
const PAGE = (() => {
  'use strict';

  const { plain } = LISTING;

  const AT_A_TIME = 500;

  const SAYS = {
    HOLDS: '✓ EVIDENCE HOLDS',
    PASS: '✓ PASS',
    FAIL: '✗ FAIL',
    SEALED: '◐ SEALED',
    MANUAL: '✎ MANUAL',
    'NOT JUDGED': '– NOT JUDGED',
  };

  const KEYS = {
    GIVEN: 'The keys are those that you gave: it holds as far as you trust where you got them.',
    SERVER: 'The keys are those of the server that this page came from, which may be the one that '
      + 'you doubt. Compare them with keys that you got elsewhere, or before.',
  };

  const RULES = `Rules: not judged here. The command that judges them: ${CLAIMS.COMMAND}`;

  /** What is claimed of a match, and of a tournament. */
  const CLAIM = {
    container: 'The file is whole, and spelt in the one way there is',
    signatures: 'It is signed by one of the keys above',
    log: 'The events are those that were signed',
    checkpoints: 'Each checkpoint that you kept is of a beginning of it',
    openings: 'What can be read is what the log commits to',
    receipts: 'What the receipts in it and those that you kept acknowledge is there, as they say',
    chance: 'Every draw follows from a seed whose commitment is on record before it',
    rules: 'Every event follows from the rules and from what came in',
    result: 'The result is the one that was played out, or ruled',
    matches: 'The evidence of every match inside holds',
    results: 'Each result that counts is the one of its match, or a ruling',
    lots: 'Every draw of lots follows from a seed whose commitment is on record before it',
    pairings: 'Every round is paired as its method pairs it',
    standings: 'The places follow from the results',
    postings: 'Every garnet that was given or taken is accounted for',
  };

  const byId = (id) => document.getElementById(id);

  /** An element with attributes, and with texts or elements in it. */
  const element = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
    made.append(...children);
    return made;
  };

  // What is given.

  /** What cannot be used, as a sentence for whoever gave it. */
  class Unusable extends Error {}

  let bundleFile = null;

  /** The keys that the server has told, as they stand in the field; null if it was not asked. */
  let serversKeys = null;

  const keySource = () => (byId('keys').value === serversKeys ? KEYS.SERVER : KEYS.GIVEN);

  const choose = (file) => {
    bundleFile = file;
    byId('chosen').textContent = file === null
      ? 'Choose a file, or drop it anywhere on this page.' : `Chosen: ${plain(file.name)}`;
  };

  /** Verifier keys, one a line, or as a server lists them. */
  const keysIn = (text) => {
    if (!text.trim().startsWith('{')) {
      return text.split(/\s+/).filter((key) => key !== '');
    }
    try {
      return JSON.parse(text).keys.map(({ key }) => String(key));
    } catch {
      throw new Unusable('The keys are neither one a line nor the answer of /v1/keys.');
    }
  };

  /** The notes in a file: itself, or what a server answered when it was asked for them. */
  const notesIn = (text, name) => {
    if (!text.startsWith('{')) {
      return [text];
    }
    try {
      const { note, receipts } = JSON.parse(text);
      return note === undefined ? receipts.map((one) => String(one.note)) : [String(note)];
    } catch {
      throw new Unusable(`There is no note in the file ${plain(name)}.`);
    }
  };

  const savedNotes = async () => {
    const found = { checkpoints: [], receipts: [] };
    for (const file of byId('kept').files) {
      for (const note of notesIn(await file.text(), file.name)) {
        if (/^arbiter-(receipt|creation)\//.test(note)) {
          found.receipts.push(note);
        } else if (note.startsWith('arbiter-log/1/')) {
          found.checkpoints.push(note);
        } else {
          throw new Unusable(`Neither a checkpoint nor a receipt: ${plain(file.name)}.`);
        }
      }
    }
    return found;
  };

  // What is shown.

  const say = (kind, headline, ...sentences) => {
    const box = byId('verdict');
    box.className = kind;
    box.replaceChildren(
      element('strong', {}, headline),
      ...sentences.map((sentence) => element('p', {}, sentence)),
    );
  };

  /** The class of a status in the style. */
  const kindOf = (status) => status.replace(' ', '-');

  const claimRow = (name, judged) => {
    const heading = element('th', { scope: 'row' }, name, element('span', { class: 'faint' },
      CLAIM[name]));
    if (judged === undefined) {
      return element('tr', {}, heading, element('td', {}, 'not judged'));
    }
    const { status, text } = judged;
    const said = element('span', { class: `said ${kindOf(status)}` }, SAYS[status]);
    return element('tr', {}, heading, element('td', {}, said, ' ', plain(text)));
  };

  const showClaims = ({ claims, kind }) => {
    const judged = (name) => claims.find(({ claim }) => claim === name);
    const rows = CLAIMS.names(kind).map((name) => claimRow(name, judged(name)));
    byId('claims').tBodies[0].replaceChildren(...rows);
  };

  const FACTS = {
    match: 'Match or tournament',
    game: 'Game',
    rulesVersion: 'Version of its rules',
    audience: 'For whom it was exported',
    size: 'Events',
    sealed: 'Of these sealed',
  };

  const showFacts = (report) => {
    const known = Object.entries(FACTS).filter(([name]) => report[name] !== null);
    byId('facts').replaceChildren(...known.flatMap(([name, title]) => [
      element('dt', {}, title), element('dd', {}, plain(String(report[name]))),
    ]));
  };

  const showReport = (report) => {
    const { verdict, means, finding, sealed } = report;
    const unread = sealed ? [`${sealed} of ${report.size} events are sealed.`] : [];
    const wrong = finding === null ? [] : [`${finding.claim}: ${plain(finding.text)}`];
    say(verdict, SAYS[verdict], ...wrong, means, ...unread, keySource(), RULES);
    showClaims(report);
    showFacts(report);
    byId('report').hidden = false;
  };

  let rows = [];
  let positions = [];
  let match = null;
  let most = AT_A_TIME;

  /** Whether a server has sent this page, which may have the match, too. */
  const isServed = () => location.protocol.startsWith('http');

  /** Where the server of this page shows the board as the public saw it after an event. */
  const boardCell = (number) => {
    const at = positions[number];
    const link = element('a', { href: `m/${encodeURIComponent(match)}?at=${at}` }, String(at));
    return element('td', {}, ...(at > 0 ? [link] : []));
  };

  const eventRow = ([number, ...cells]) => element('tr', {},
    element('th', { scope: 'row' }, number),
    ...cells.map((cell) => element('td', {}, cell)),
    ...(isServed() ? [boardCell(number)] : []));

  const showRows = () => {
    const found = LISTING.holding(rows, byId('filter').value);
    const some = found.slice(0, most);
    byId('events').querySelector('tbody').replaceChildren(...some.map(eventRow));
    byId('shown').textContent = `${some.length} shown, of ${found.length} found among `
      + `${rows.length} events that can be read`;
    byId('more').hidden = some.length === found.length;
  };

  const showEvents = (records, report) => {
    rows = LISTING.rows(records);
    positions = LISTING.positions(records);
    match = report.match;
    byId('readable').textContent = `${rows.length} events`;
    most = AT_A_TIME;
    byId('filter').value = '';
    byId('events').hidden = rows.length === 0;
    showRows();
  };

  // What is done.

  const nextTurn = () => new Promise((resolve) => {
    setTimeout(resolve);
  });

  const onClaim = async ({ claim }, order) => {
    const names = Object.keys(order);
    const next = names[names.indexOf(claim) + 1];
    if (next !== undefined) {
      say('', 'Checking', CLAIM[next]);
      await nextTurn();
    }
  };

  const check = async () => {
    byId('report').hidden = true;
    byId('events').hidden = true;
    if (bundleFile === null) {
      throw new Unusable('Choose the exported match or tournament first.');
    }
    const keys = keysIn(byId('keys').value);
    if (keys.length === 0) {
      throw new Unusable('Give the public keys: without one nothing can be said of it.');
    }
    say('', 'Checking', CLAIM.container);
    const besides = await savedNotes();
    const bytes = new Uint8Array(await bundleFile.arrayBuffer());
    const { report, records } = await CLAIMS.judge(bytes, keys, { ...besides, onClaim });
    showEvents(records, report);
    showReport(report);
    byId('verdict').focus();
  };

  const askServer = async () => {
    const answer = await fetch('v1/keys');
    if (!answer.ok) {
      throw new Unusable('This server does not say its keys.');
    }
    byId('keys').value = keysIn(await answer.text()).join('\n');
    serversKeys = byId('keys').value;
  };

  /** Why it could not be done; that is no verdict on the match. */
  const excuse = (error) => {
    const unusable = error instanceof Unusable || error instanceof NOTES.Unable;
    if (error instanceof BYTES.Malformed) {
      say('', 'Not checked', `A key cannot be used: ${plain(error.message)}.`);
    } else {
      say('', 'Not checked', unusable ? error.message : `It failed: ${plain(String(error))}`);
    }
  };

  const doing = (done) => (event) => {
    event.preventDefault();
    done(event).catch(excuse);
  };

  const drop = async ({ dataTransfer: { files } }) => {
    document.body.classList.remove('over');
    if (files.length !== 1) {
      throw new Unusable('Drop one exported match or tournament.');
    }
    choose(files[0]);
  };

  /** The other pages of the server of this page. */
  const showElsewhere = () => {
    const pages = [
      ['./', 'Matches'], ['docs', 'Documentation'], ['schema', 'API'], ['verify', 'Verify'],
    ];
    const links = pages.map(([href, name]) => element('a', { href }, name));
    links.at(-1).setAttribute('aria-current', 'page');
    byId('elsewhere').replaceChildren(...links);
    byId('elsewhere').hidden = false;
  };

  /** Makes the page answer to whoever uses it. */
  const begin = () => {
    byId('asked').addEventListener('submit', doing(check));
    byId('bundle').addEventListener('change', ({ target }) => choose(target.files[0] ?? null));
    byId('filter').addEventListener('input', () => {
      most = AT_A_TIME;
      showRows();
    });
    byId('more').addEventListener('click', () => {
      most += AT_A_TIME;
      showRows();
    });
    byId('ask').hidden = !isServed();
    if (isServed()) {
      showElsewhere();
    }
    byId('boards').hidden = !isServed();
    byId('ask').addEventListener('click', doing(askServer));
    document.addEventListener('dragover', (event) => {
      event.preventDefault();
      document.body.classList.add('over');
    });
    document.addEventListener('dragleave', () => document.body.classList.remove('over'));
    document.addEventListener('drop', doing(drop));
  };

  return { begin };
})();

if (typeof document !== 'undefined') {
  PAGE.begin();
}
