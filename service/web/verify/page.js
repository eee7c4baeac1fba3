/** The page: takes a bundle, keys and notes, and shows what comes of them. */
const PAGE = (() => {
  'use strict';

  const { plain } = LISTING;

  const AT_A_TIME = 500;

  const YEAR = 365 * 24 * 60 * 60;

  /** The text with these values, in the language of the page. */
  const say = (name, values = {}) =>
    TEXTS[name].replace(/\{(\w+)\}/g, (_, field) => String(values[field]));

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

  const keySource = () => (say(`verified.keys.${byId('keys').value === serversKeys ? 'server' : 'given'}`));

  const choose = (file) => {
    bundleFile = file;
    byId('chosen').textContent = file === null
      ? say('verified.choose') : say('verified.chosen', { file: plain(file.name) });
  };

  /** Verifier keys, one a line, or as a server lists them. */
  const keysIn = (text) => {
    if (!text.trim().startsWith('{')) {
      return text.split(/\s+/).filter((key) => key !== '');
    }
    try {
      return JSON.parse(text).keys.map(({ key }) => String(key));
    } catch {
      throw new Unusable(say('verified.trouble.keys_form'));
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
      throw new Unusable(say('verified.trouble.no_note', { file: plain(name) }));
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
          throw new Unusable(say('verified.trouble.neither', { file: plain(file.name) }));
        }
      }
    }
    return found;
  };

  // What is shown.

  const tell = (kind, headline, ...sentences) => {
    const box = byId('verdict');
    box.className = kind;
    box.replaceChildren(
      element('strong', {}, headline),
      ...sentences.map((sentence) => element('p', {}, sentence)),
    );
  };

  /** The class of a status in the style. */
  const kindOf = (status) => status.replace(' ', '-');

  const statusText = (status) => say(`verified.status.${status.replace(' ', '_')}`);

  const claimRow = (name, judged) => {
    const heading = element('th', { scope: 'row' }, name, element('span', { class: 'faint' },
      say(`verified.claim.${name}`)));
    if (judged === undefined) {
      return element('tr', {}, heading, element('td', {}, say('verified.not_judged')));
    }
    const { status, text } = judged;
    const said = element('span', { class: `said ${kindOf(status)}` }, statusText(status));
    const details = element('span', { lang: 'en' }, plain(text));
    return element('tr', {}, heading, element('td', {}, said, ' ', details));
  };

  const showClaims = ({ claims, kind }) => {
    const judged = (name) => claims.find(({ claim }) => claim === name);
    const rows = CLAIMS.names(kind).map((name) => claimRow(name, judged(name)));
    byId('claims').tBodies[0].replaceChildren(...rows);
  };

  const FACTS = ['match', 'game', 'rulesVersion', 'audience', 'size', 'sealed'];

  const showFacts = (report) => {
    const known = FACTS.filter((name) => report[name] !== null);
    byId('facts').replaceChildren(...known.flatMap((name) => [
      element('dt', {}, say(`verified.fact.${name}`)), element('dd', {}, plain(String(report[name]))),
    ]));
  };

  /** What the page leaves to the command, which it names; nothing where a claim has failed. */
  const leftToCommand = ({ claims }) => {
    const left = claims.filter(({ status }) => status === 'NOT JUDGED').map(({ claim }) => claim);
    if (left.length === 0) {
      return [];
    }
    const how = element('a', { href: 'docs/evidence#afterwards' }, say('verified.rules.how'));
    return [
      say('verified.rules', { claims: left.join(', '), command: CLAIMS.COMMAND }), ...(isServed() ? [how] : []),
    ];
  };

  const showReport = (report) => {
    const { verdict, means, finding, sealed, size } = report;
    const unread = sealed ? [say('verified.sealed', { sealed, size })] : [];
    const wrong = finding === null
      ? [] : [element('span', { lang: 'en' }, `${finding.claim}: ${plain(finding.text)}`)];
    tell(verdict, statusText(verdict), ...wrong, say(`verified.means.${means}`), ...unread, keySource(),
      ...leftToCommand(report));
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
    byId('shown').textContent = say('verified.shown', {
      some: some.length, found: found.length, all: rows.length,
    });
    byId('more').hidden = some.length === found.length;
  };

  const showEvents = (records, report) => {
    rows = LISTING.rows(records);
    positions = LISTING.positions(records);
    match = report.match;
    byId('readable').textContent = say('verified.readable', { count: rows.length });
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
      tell('', say('verified.checking'), say(`verified.claim.${next}`));
      await nextTurn();
    }
  };

  const check = async () => {
    byId('report').hidden = true;
    byId('events').hidden = true;
    if (bundleFile === null) {
      throw new Unusable(say('verified.trouble.no_bundle'));
    }
    const keys = keysIn(byId('keys').value);
    if (keys.length === 0) {
      throw new Unusable(say('verified.trouble.no_keys'));
    }
    tell('', say('verified.checking'), say('verified.claim.container'));
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
      throw new Unusable(say('verified.trouble.no_answer'));
    }
    byId('keys').value = keysIn(await answer.text()).join('\n');
    serversKeys = byId('keys').value;
  };

  /** Why it could not be done; that is no verdict on the match. */
  const excuse = (error) => {
    const unusable = error instanceof Unusable || error instanceof NOTES.Unable;
    const why = plain(error instanceof BYTES.Malformed ? error.message : String(error));
    const kind = error instanceof BYTES.Malformed ? 'bad_key' : 'failed';
    tell('', say('verified.not_checked'), unusable ? error.message : say(`verified.trouble.${kind}`, { why }));
  };

  const doing = (done) => (event) => {
    event.preventDefault();
    done(event).catch(excuse);
  };

  const drop = async ({ dataTransfer: { files } }) => {
    document.body.classList.remove('over');
    if (files.length !== 1) {
      throw new Unusable(say('verified.trouble.one_file'));
    }
    choose(files[0]);
  };

  /** The other pages of the server of this page, and this one in other languages. */
  const showElsewhere = () => {
    for (const link of byId('elsewhere').children) {
      link.href = link.dataset.href;
    }
    for (const choice of byId('languages').children) {
      choice.addEventListener('click', () => speak(choice.dataset.language));
    }
    byId('elsewhere').hidden = false;
    byId('languages').hidden = false;
  };

  /** Keeps the language on this device, as the other pages do. */
  const speak = (language) => {
    const { pathname } = new URL('./', location);
    document.cookie = `language=${language}; path=${pathname}; max-age=${YEAR}; samesite=lax`;
    location.reload();
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
