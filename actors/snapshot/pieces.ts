// The bounds of what a restore does at once.

/** Most events of a piece. */
export const MOST_EVENTS = 100
/** A piece is closed when its events have so many characters. */
export const MOST_CHARACTERS = 256 * 1024
