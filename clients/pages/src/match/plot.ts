/** Draws a course with uPlot. It is a file of its own, which is read only where there is a course. */
import uPlot from "uplot";
import style from "uplot/dist/uPlot.min.css";
import type { Course } from "../board.js";

const HEIGHT = 220;

const sheet = new CSSStyleSheet();
sheet.replaceSync(style);
document.adoptedStyleSheets.push(sheet);

/** Lines of different seats differ without their colours, too. */
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 5], [14, 4]];

/** Draws it in a place, as wide as that, until the signal; a click tells at which `x` it was. */
export function plot(
  place: HTMLElement,
  course: Course,
  mark: number | null,
  chosen: (x: number) => void,
  signal: AbortSignal,
): void {
  let chart = drawn(place, course, mark, chosen);
  const again = () => {
    chart.destroy();
    chart = drawn(place, course, mark, chosen);
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again, { signal });
  const sized = new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height: HEIGHT }));
  sized.observe(place);
  signal.addEventListener("abort", () => {
    sized.disconnect();
    chart.destroy();
  });
}

function drawn(place: HTMLElement, course: Course, mark: number | null, chosen: (x: number) => void): uPlot {
  const colour = colours(place);
  const font = `12px ${getComputedStyle(place).fontFamily}`;
  const axis: uPlot.Axis = {
    font,
    labelFont: font,
    stroke: colour("--quiet"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { stroke: colour("--line"), width: 1 },
  };
  const options: uPlot.Options = {
    width: place.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    scales: { x: { time: false } },
    axes: [{ ...axis, label: course.along, labelSize: 22, incrs: [1, 2, 5, 10, 20, 50, 100] }, axis],
    cursor: { drag: { x: false, y: false }, y: false },
    series: [{}, ...course.lines.map(({ seat }) => line(seat, colour))],
    hooks: { draw: [(chart) => drawMark(chart, mark, colour("--now"))], ready: [(chart) => listen(chart, chosen)] },
  };
  return new uPlot(options, [course.x, ...course.lines.map(({ y }) => y)], place);
}

function line(seat: number, colour: (name: string) => string): uPlot.Series {
  return {
    stroke: colour(`--seat-${seat % 6}`),
    width: 2,
    dash: DASHES[seat % DASHES.length] ?? [],
    points: { size: 5 },
    spanGaps: true,
  };
}

/** A colour of the style as it is now, in the light or in the dark. */
function colours(place: HTMLElement): (name: string) => string {
  return (name) => {
    place.style.color = `var(${name})`;
    const found = getComputedStyle(place).color;
    place.style.color = "";
    return found;
  };
}

function drawMark({ ctx, bbox, valToPos }: uPlot, mark: number | null, colour: string): void {
  if (mark === null) return;
  const x = Math.round(valToPos(mark, "x", true));
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 2 * devicePixelRatio;
  ctx.setLineDash([]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}

function listen(chart: uPlot, chosen: (x: number) => void): void {
  chart.over.addEventListener("click", () => {
    const index = chart.cursor.idx;
    const x = index == null ? undefined : chart.data[0][index];
    if (x !== undefined) chosen(x);
  });
}
