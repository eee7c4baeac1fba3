// The first page's match goes on: its picture follows it for as long as somebody looks at the page.
const PACE = 1_000;
const OVER = ["match.ended.1", "match.voided.1"];

const picture = document.getElementById("alive");
const root = picture.src.split("/m/")[0];
const { match, at } = picture.dataset;

/** The card says so when its match has ended, as its picture does. */
function end() {
  const status = picture.closest("a").querySelector("[data-status]");
  status.dataset.status = "ended";
  status.textContent = picture.dataset.ended;
  document.getElementById("alive-about").textContent = picture.dataset.decided;
}

/** Resolves once the page is seen, and no sooner than the pace allows. */
async function seen() {
  await new Promise((resolve) => setTimeout(resolve, PACE));
  while (document.hidden) await new Promise((resolve) => addEventListener("visibilitychange", resolve, { once: true }));
}

/** Shows the board behind each public event from here on, to the end of the match. */
async function follow(after) {
  for (let over = false; !over; ) {
    await seen();
    const answer = await fetch(`${root}/v1/matches/${match}/events?as=public&after=${after}&wait=20`);
    if (!answer.ok) return;
    const { events } = await answer.json();
    over = events.some(({ type }) => OVER.includes(type));
    if (events.some(({ type }) => type === OVER[0])) end();
    if (events.length > 0) picture.src = `${root}/m/${match}/board.svg?at=${(after = events.at(-1).seq)}`;
  }
}

if (picture.closest("a").querySelector("[data-status=running]")) follow(Number(at)).catch(() => {});
