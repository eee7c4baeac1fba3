// A boardgame.io server of one game, in memory, on the loopback port given as argument.
//
// The game has the shape of Arbiter's Liar's Dice: four seats in turn, bids that everybody sees, and
// dice that each seat alone sees until a bid is called. Its state is smaller than Arbiter's view (the
// last bid instead of all bids of the round), and nothing can be undone: less to copy and to send.

"use strict";

const { INVALID_MOVE } = require("boardgame.io/core");
const { Server } = require("boardgame.io/server");

const SEATS = 4;
const DICE = 6;

const rolled = (random, diceLeft) =>
  diceLeft.map((dice) => (dice ? random.D6(dice).sort() : []));

const withDice = (diceLeft, seat) => {
  let next = seat % SEATS;
  while (!diceLeft[next]) next = (next + 1) % SEATS;
  return next;
};

function bid({ G, ctx, events }, count, face) {
  const most = G.diceLeft.reduce((sum, dice) => sum + dice);
  const higher = !G.bid || count > G.bid.count || (count === G.bid.count && face > G.bid.face);
  if (!higher || count > most || face < 1 || face > 6) return INVALID_MOVE;
  const seat = Number(ctx.currentPlayer);
  G.bid = { seat, count, face };
  events.endTurn({ next: String(withDice(G.diceLeft, seat + 1)) });
}

function challenge({ G, ctx, events, random }) {
  if (!G.bid) return INVALID_MOVE;
  const dice = G.hands.flat();
  const matching = dice.filter((die) => die === G.bid.face || die === 1).length;
  const lost = matching >= G.bid.count ? Number(ctx.currentPlayer) : G.bid.seat;
  G.diceLeft[lost] -= 1;
  G.lastRound = { hands: G.hands, bid: G.bid, lost };
  G.bid = null;
  G.round += 1;
  G.hands = rolled(random, G.diceLeft);
  if (G.diceLeft.filter((left) => left).length === 1) events.endGame();
  else events.endTurn({ next: String(withDice(G.diceLeft, lost)) });
}

const game = {
  name: "bidding",
  minPlayers: SEATS,
  maxPlayers: SEATS,
  disableUndo: true,
  setup: ({ random }) => {
    const diceLeft = Array(SEATS).fill(DICE);
    return { diceLeft, hands: rolled(random, diceLeft), bid: null, round: 1, lastRound: null };
  },
  playerView: ({ G, playerID }) => ({
    ...G,
    hands: G.hands.map((hand, seat) => (String(seat) === playerID ? hand : null)),
  }),
  moves: {
    bid: { move: bid, client: false },
    challenge: { move: challenge, client: false },
  },
};

const server = Server({ games: [game], origins: ["*"] });
server.app.silent = true;
server.run({ port: Number(process.argv[2]), callback: () => console.log("ready") });
