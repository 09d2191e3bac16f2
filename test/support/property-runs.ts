// How often properties run.

/** Environment variable that `npm run test:integration` sets. */
export const ALL_RUNS = 'TEST_ALL_RUNS'

/** Returns `all` in `npm run test:integration`, and a quarter otherwise. */
export const runs = (all: number): number => (process.env[ALL_RUNS] === undefined ? Math.ceil(all / 4) : all)
