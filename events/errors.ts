export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Returns the result of `run`, or that of `handle` for an error of this class. Throws every other error. */
export const recover = <Result, Failure extends Error, Fallback>(
  run: () => Result,
  failure: abstract new (...args: never) => Failure,
  handle: (error: Failure) => Fallback
): Result | Fallback => {
  try {
    return run()
  } catch (error) {
    return recovery(failure, handle)(error)
  }
}

/** Returns the result of `run`. Throws an error of this class as another one, and every other error unchanged. */
export const rethrowAs = <Result>(
  run: () => Result,
  failure: abstract new (...args: never) => Error,
  errorOf: (message: string) => Error
): Result =>
  recover(run, failure, ({ message }) => {
    throw errorOf(message)
  })

/** Returns a handler of rejections that calls `handle` for errors of this class, and throws every other error. */
export const recovery =
  <Failure extends Error, Fallback>(
    failure: abstract new (...args: never) => Failure,
    handle: (error: Failure) => Fallback
  ) =>
  (error: unknown): Fallback => {
    if (error instanceof failure) return handle(error)
    throw error
  }

/** Detects errors of the system or of Node by a code such as ENOENT. */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

export const isMissingFile = (error: unknown): boolean => hasCode(error, 'ENOENT')

/** Returns the result, or undefined if the work fails with an expected error. */
export async function orUndefined<T>(
  work: Promise<T>,
  isExpected: (error: unknown) => boolean
): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (isExpected(error)) return undefined
    throw error
  }
}
