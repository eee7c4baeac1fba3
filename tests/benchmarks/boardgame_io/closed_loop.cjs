// The clients of the closed loop, for both servers: at each table four seats and a spectator, each
// with an open stream. A seat moves as soon as its own stream has told it that it is to move.
//
// node closed_loop.cjs arbiter|boardgame.io PORT TABLES SECONDS [KEY]
//
// In the end every move that was made must have reached a spectator, once. Prints one line of JSON:
// the moves a second that reached the spectators, and the share of a core that these clients used.

"use strict";

const http = require("node:http");

const [, , side, portText, tablesText, secondsText, key] = process.argv;
const PORT = Number(portText);
const SEATS = 4;
const DICE = 6;
const MATCHES = Number(tablesText) === 1 ? 8 : 2; // a table, one after another: 1,800 moves each
const WARM_UP_MS = 500;
const ARRIVES_MS = 10_000; // within which the last moves reach the spectators
const NAMES = ["Ann", "Ben", "Cy", "Dee"];

let made = 0;
let seen = 0;
let stopped = false;

// The least bid that is higher than the last one, or null where there is none.
function higher(bid, diceLeft) {
  if (!bid) return { count: 1, face: 1 };
  if (bid.face < 6) return { count: bid.count, face: bid.face + 1 };
  const most = diceLeft.reduce((sum, dice) => sum + dice);
  return bid.count < most ? { count: bid.count + 1, face: 1 } : null;
}

function fail(reason) {
  console.error(reason);
  process.exit(1);
}

function post(path, body, bearer, agent) {
  return new Promise((resolve) => {
    const sent = body === undefined ? "" : JSON.stringify(body);
    const headers = { "Content-Length": Buffer.byteLength(sent) };
    if (sent) headers["Content-Type"] = "application/json";
    if (bearer) headers.Authorization = `Bearer ${bearer}`;
    const options = { host: "127.0.0.1", port: PORT, method: "POST", path, headers, agent };
    const request = http.request(options, (answer) => {
      const parts = [];
      answer.on("data", (part) => parts.push(part));
      answer.on("end", () => {
        if (answer.statusCode >= 300) fail(`${path}: ${answer.statusCode} ${Buffer.concat(parts)}`);
        resolve(Buffer.concat(parts));
      });
    });
    request.on("error", fail);
    request.end(sent);
  });
}

// One match: its seats move from `go` on. When it is over, the next match of the same chain goes.
class Table {
  constructor(next) {
    this.seats = [];
    this.going = false;
    this.next = next;
  }

  go() {
    this.going = true;
    for (const seat of this.seats) seat.go();
  }

  over() {
    if (!this.going) return;
    this.going = false;
    if (!this.next) fail("no match is left to play: measure for less long");
    this.next.go();
  }
}

// A seat that is to move does so when its table goes, and from then on at once.
class Seat {
  constructor(table, move) {
    this.table = table;
    this.bid = null;
    this.diceLeft = Array(SEATS).fill(DICE);
    this.move = move;
    this.waits = false;
  }

  mayMove() {
    if (!this.table.going) {
      this.waits = true;
      return;
    }
    if (stopped) return;
    made += 1;
    this.move(higher(this.bid, this.diceLeft));
  }

  go() {
    if (this.waits) this.mayMove();
  }
}

// Arbiter: actions over one connection of the seat, events over its stream.

function followed(match, audience, bearer, take) {
  return new Promise((resolve) => {
    const headers = { Accept: "text/event-stream" };
    if (bearer) headers.Authorization = `Bearer ${bearer}`;
    const path = `/v1/matches/${match}/stream?as=${audience}&after=0`;
    const options = { host: "127.0.0.1", port: PORT, path, headers, agent: false };
    http.get(options, (answer) => {
      if (answer.statusCode !== 200) fail(`${path}: ${answer.statusCode}`);
      let rest = "";
      answer.setEncoding("latin1");
      answer.on("data", (part) => {
        const lines = (rest + part).split("\n");
        rest = lines.pop();
        for (const line of lines) {
          if (line.startsWith('data: {"seq":')) take(JSON.parse(line.slice(6)));
        }
      });
      resolve();
    }).on("error", fail);
  });
}

async function arbiterTable(next) {
  const table = new Table(next);
  const new_ = { game: "liars-dice", seats: NAMES, options: { dice: DICE } };
  const made = JSON.parse(await post("/v1/matches", new_, key));
  await post(`/v1/matches/${made.id}/start`, undefined, key);
  table.seats = made.seats.map(({ key: own }) => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    return new Seat(table, (bid) =>
      post(
        `/v1/matches/${made.id}/actions`,
        bid ? { type: "bid", ...bid } : { type: "challenge" },
        own,
        agent,
      ),
    );
  });
  for (const [number, seat] of table.seats.entries()) {
    await followed(made.id, `seat:${number}`, made.seats[number].key, ({ type, data }) => {
      if (type === "liars-dice.bid-placed.1") seat.bid = data.bid;
      else if (type === "liars-dice.round-ended.1") {
        seat.bid = null;
        seat.diceLeft = data.dice_left;
      } else if (type === "match.awaiting-changed.1" && data.seats.includes(number)) seat.mayMove();
    });
  }
  await followed(made.id, "public", null, ({ type }) => {
    if (type === "liars-dice.bid-placed.1" || type === "liars-dice.round-ended.1") seen += 1;
    else if (type === "match.ended.1") table.over();
  });
  return table;
}

// boardgame.io: one socket for both.

function joined(match, player, credentials, take) {
  const { io } = require("socket.io-client");
  const options = { transports: ["websocket"], forceNew: true };
  const socket = io(`http://127.0.0.1:${PORT}/bidding`, options);
  return new Promise((resolve) => {
    socket.on("connect", () => socket.emit("sync", match, player, credentials, SEATS));
    socket.on("sync", (_, info) => {
      take(info.state);
      resolve(socket);
    });
    socket.on("update", (_, state) => take(state));
    socket.on("connect_error", fail);
  });
}

async function boardgameTable(next) {
  const table = new Table(next);
  const { matchID } = JSON.parse(await post("/games/bidding/create", { numPlayers: SEATS }));
  for (let number = 0; number < SEATS; number += 1) {
    const playerID = String(number);
    const body = { playerID, playerName: NAMES[number] };
    const answer = JSON.parse(await post(`/games/bidding/${matchID}/join`, body));
    const credentials = answer.playerCredentials;
    let stateID = 0;
    let socket = null;
    const seat = new Seat(table, (bid) => {
      const move = bid ? { type: "bid", args: [bid.count, bid.face] } : { type: "challenge", args: [] };
      const action = { type: "MAKE_MOVE", payload: { ...move, playerID, credentials } };
      socket.emit("update", action, stateID, matchID, playerID);
    });
    socket = await joined(matchID, playerID, credentials, ({ G, ctx, _stateID }) => {
      stateID = _stateID;
      seat.bid = G.bid;
      seat.diceLeft = G.diceLeft;
      if (ctx.currentPlayer === playerID && !ctx.gameover) seat.mayMove();
    });
    table.seats.push(seat);
  }
  let last = 0;
  await joined(matchID, null, undefined, ({ ctx, _stateID }) => {
    if (_stateID > last) seen += 1;
    last = _stateID;
    if (ctx.gameover) table.over();
  });
  return table;
}

async function main() {
  const open = side === "arbiter" ? arbiterTable : boardgameTable;
  const tables = [];
  for (let number = 0; number < Number(tablesText); number += 1) {
    let table = null;
    for (let match = 0; match < MATCHES; match += 1) table = await open(table);
    tables.push(table);
  }
  for (const table of tables) table.go();
  setTimeout(() => {
    const before = seen;
    const began = process.hrtime.bigint();
    const busy = process.cpuUsage();
    setTimeout(() => {
      const seconds = Number(process.hrtime.bigint() - began) / 1e9;
      const used = process.cpuUsage(busy);
      const clients = (used.user + used.system) / 1e6 / seconds;
      const result = JSON.stringify({ rate: (seen - before) / seconds, clients });
      stopped = true;
      setTimeout(() => fail(`${made} moves were made, ${seen} seen`), ARRIVES_MS);
      setInterval(() => {
        if (made !== seen) return;
        console.log(result);
        process.exit(0);
      }, 10);
    }, Number(secondsText) * 1000);
  }, WARM_UP_MS);
}

main().catch(fail);
