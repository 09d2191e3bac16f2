// The files that a worker is started with, beside those that every process has and the channel to the main one.

/** Of the shared number: see `Feed`. */
export const POSITION_FILE = 4
/** The end of the socket that the worker reads. */
export const FEED_FILE = 5
