/** Which seats of an open table have been taken. Until somebody takes a seat, it has a name of its own. */

/** The names of those who sit there. */
export function takenSeats({ seats, open_table }: { seats: readonly string[]; open_table: boolean }): string[] {
  return seats.filter((name, seat) => !open_table || !isFree(name, seat));
}

/** Whether a seat of an open table has the name with which the table was opened. */
export function isFree(name: string, seat: number): boolean {
  return name === `Seat ${seat + 1}`;
}
