// How often properties run, and how many states of a sweep are tested.

/** Environment variable that `npm run test:integration` sets. */
export const ALL_RUNS = 'TEST_ALL_RUNS'

/** `npm test` has one run in so many. */
const SHARE = 8

const hasAll = process.env[ALL_RUNS] !== undefined

/** Returns `all` in `npm run test:integration`, and an eighth otherwise. */
export const runs = (all: number): number => (hasAll ? all : Math.ceil(all / SHARE))

/** Returns the whole list in `npm run test:integration`, and every eighth element otherwise. */
export const sampleOf = <T>(list: readonly T[]): readonly T[] =>
  list.filter((_, i) => hasAll || i % SHARE === 0)
