// Where the command line reads its environment and writes its answers; tests give their own.
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'

export interface Console {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly in: Readable & { readonly isTTY?: boolean }
  readonly out: Writable
  readonly err: Writable
}

/** A command that was asked for something it cannot do. Told in one line, without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The reader of our output has gone, as `head` does when it has enough. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone'
}

const isClosedPipe = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EPIPE'

/**
 * Writes lines one after another, waiting while the reader is slower than we are.
 * @throws ReaderGone when nobody reads any more
 */
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
  if (failure !== undefined) throw isClosedPipe(failure) ? new ReaderGone('nobody reads the output') : failure
}
