// A command that was asked for something it cannot do.

/** Told in one line, without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
