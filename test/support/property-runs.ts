// How often properties run, and how many states of a sweep are tested.

/** Environment variable that `npm run test:integration` sets. */
export const ALL_RUNS = 'TEST_ALL_RUNS'

const hasAll = process.env[ALL_RUNS] !== undefined

/** Returns `all` in `npm run test:integration`, and a quarter otherwise. */
export const runs = (all: number): number => (hasAll ? all : Math.ceil(all / 4))

/** Returns the whole list in `npm run test:integration`, and every third element otherwise. */
export const sampleOf = <T>(list: readonly T[]): readonly T[] => list.filter((_, i) => hasAll || i % 3 === 0)
