// The environment and the streams of a command.
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { hasCode } from '../../events/errors.js'

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
