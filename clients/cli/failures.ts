// Errors of commands, their messages and exit codes.
import { CommanderError } from 'commander'

/** Exit codes. docs/cli.md has them, too. */
export const EXIT = {
  done: 0,
  /** Refused by the server, failed, or asked for wrongly. */
  failed: 1,
  /** Not tried: no server was reached, or what was to be proved could not be. */
  notTried: 2
} as const

/** A command failed. Printed in one line, without a stack. */
export class Failed extends Error {
  override readonly name = 'Failed'

  constructor(
    message: string,
    readonly exitCode: number = EXIT.failed
  ) {
    super(message)
  }
}

/** A command ends with this exit code, and has nothing to say about it. */
export class ExitWith extends Error {
  override readonly name = 'EndsWith'

  constructor(readonly exitCode: number) {
    super(`ends with ${exitCode}`)
  }
}

/** Errors that the user can solve. By name, so that nothing is loaded to know them. */
const EXPECTED_ERRORS: ReadonlySet<string> = new Set([
  'CommitsGone',
  'Failed',
  'Interrupted',
  'JoinRefused',
  'ListenError',
  'LockLost',
  'LogDamage',
  'LogFailure',
  'LogUnusable',
  'MalformedNote',
  'NotALock',
  'NotTried',
  'RequestRefused',
  'SessionLost',
  'SettingsError',
  'SharedMismatch',
  'SharedUnreachable',
  'TreeDamage',
  'Unproved',
  'Unreachable',
  'UsageError'
])

const isExpected = (error: Error): boolean => EXPECTED_ERRORS.has(error.name) || 'syscall' in error

/** As one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** What helps against a refusal. */
const helpFor = (error: Error): string =>
  'status' in error && error.status === 403 && error.message.includes(' lacks permission ')
    ? `To see why: annals explain ${quoted(error.message)}\n`
    : ''

/** What is printed of an error: one line, or its stack if the program is at fault. */
export const textOf = (error: unknown): string => {
  if (error instanceof ExitWith) return ''
  if (!(error instanceof Error)) return `annals: ${String(error)}\n`
  return isExpected(error) ? `annals: ${error.message}\n${helpFor(error)}` : `annals: ${error.stack}\n`
}

/** The exit code that an error ends the program with. */
export const exitCodeOf = (error: unknown): number => {
  if (error instanceof Failed || error instanceof ExitWith) return error.exitCode
  if (error instanceof CommanderError)
    return error.exitCode === 0 || error.code === 'commander.help' ? EXIT.done : EXIT.failed
  const isUntried = error instanceof Error && (error.name === 'NotTried' || error.name === 'Unreachable')
  return isUntried ? EXIT.notTried : EXIT.failed
}

/** Returns undefined if the server answers 404. */
export const undefinedIfMissing = async <Value>(reading: Promise<Value>): Promise<Value | undefined> => {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 404) return undefined
    throw error
  }
}
