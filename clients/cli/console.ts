// The environment and the streams of a command, and how it ends.
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { hasCode, messageOf, orUndefined } from '../../events/errors.js'
import { CommanderError } from 'commander'

export interface Console {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly in: Readable & { readonly isTTY?: boolean }
  readonly out: Writable
  readonly err: Writable
}

/** A mistake of the user. Printed in one line, without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A verification could not be carried out. */
class NotVerified extends Error {
  override readonly name = 'NotVerified'
}

/** Runs a verification. @throws NotVerified for errors that are no result of it */
export const verifyOrFail = async (prove: () => Promise<void>): Promise<void> => {
  try {
    await prove()
  } catch (error) {
    const isMistake =
      error instanceof Error &&
      (error.name === 'SettingsError' || error instanceof UsageError || 'syscall' in error)
    throw isMistake ? new NotVerified(error.message, { cause: error }) : error
  }
}

/** The reader has closed the output, as `head` does. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed'
}

const isClosedPipe = (error: unknown): boolean => hasCode(error, 'EPIPE')

/** Writes lines with backpressure. @throws OutputClosed if the reader has closed the output */
export const writeLines = async (out: Writable, lines: AsyncIterable<string>): Promise<void> => {
  let failure: unknown
  const note = (error: unknown) => {
    failure = error
  }
  out.on('error', note)
  try {
    for await (const line of lines) {
      if (!out.write(`${line}\n`) && failure === undefined) await once(out, 'drain')
      if (failure !== undefined) break
    }
  } catch (error) {
    failure ??= error
  } finally {
    if (failure === undefined) out.off('error', note)
  }
  if (failure !== undefined)
    throw isClosedPipe(failure) ? new OutputClosed('the reader has closed the output') : failure
}

/** Exit codes, documented in docs/reference/cli.md. */
export const EXIT = {
  done: 0,
  /** The server refused the request, or the command failed or was misused. */
  failed: 1,
  /** No server was reached, or a verification could not be carried out. */
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

/** A resource does not exist. */
export class Missing extends Failed {}

/** Ends a command with this exit code and without a message. */
export class ExitWith extends Error {
  override readonly name = 'ExitWith'

  constructor(readonly exitCode: number) {
    super(`ends with ${exitCode}`)
  }
}

/** Names of errors that users can solve. Their classes need not be loaded. */
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
  'NotVerified',
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

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The contract fixes the texts of these errors, which do not say what to do. By code, or by name. */
const HINTS: ReadonlyMap<unknown, string> = new Map([
  [
    'acl.token.unknown',
    'The server does not know the token of the request. See --token, --token-file and the context'
  ],
  ['acl.not-found', 'No such resource has this ID or name'],
  [
    'acl.bootstrap.done',
    'The first management token exists. To replace a lost one, see annals help bootstrap'
  ],
  ['Unreachable', 'Start the server with annals serve, or correct --http-addr or the context']
])

const ANONYMOUS = /AccessorID '[0-]+2'/

const helpFor = (error: Error): string => {
  if (hasStatus(error, 403) && error.message.includes(' lacks permission '))
    return ANONYMOUS.test(error.message)
      ? 'The request had no token. See --token, --token-file and the context\n'
      : `To see why: annals explain ${quoted(error.message)}\n`
  const hint = HINTS.get('code' in error ? error.code : error.name)
  return hint === undefined ? '' : `${hint}\n`
}

/** Returns one line, or the stack of an unexpected error. */
export const textOf = (error: unknown): string => {
  if (error instanceof ExitWith) return ''
  if (!(error instanceof Error)) return `annals: ${String(error)}\n`
  return isExpected(error) ? `annals: ${error.message}\n${helpFor(error)}` : `annals: ${error.stack}\n`
}

export const exitCodeOf = (error: unknown): number => {
  if (error instanceof Failed || error instanceof ExitWith) return error.exitCode
  if (error instanceof CommanderError)
    return error.exitCode === 0 || error.code === 'commander.help' ? EXIT.done : EXIT.failed
  const isUntried = error instanceof Error && (error.name === 'NotVerified' || error.name === 'Unreachable')
  return isUntried ? EXIT.notTried : EXIT.failed
}

/** Detects a failed response with one of these statuses. */
export const hasStatus = (error: unknown, ...statuses: readonly number[]): boolean =>
  error instanceof Error && 'status' in error && statuses.some(status => status === error.status)

/** Returns undefined if the server answers 404. */
export const undefinedIfMissing = <Value>(reading: Promise<Value>): Promise<Value | undefined> =>
  orUndefined(reading, error => hasStatus(error, 404))

/** Waits for the read of a file. @param what names it @throws UsageError if it fails */
export const readable = <Value>(what: string, reading: Promise<Value>): Promise<Value> =>
  reading.catch((error: unknown) => {
    throw new UsageError(`${what} cannot be read: ${messageOf(error)}`)
  })
