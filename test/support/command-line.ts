// One command of the command line, run in this process: what `annals` does without the start of a process.
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { run } from '../../server/commands/run.js'

/** How a command ended. */
export interface CommandExit {
  readonly code: number
  /** Standard output. */
  readonly output: string
  /** Standard error. */
  readonly errors: string
}

/** Runs `annals` with these arguments to its end. @param input standard input, which is no terminal */
export const annals = async (
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  input: string = ''
): Promise<CommandExit> => {
  const [out, err] = [new PassThrough(), new PassThrough()]
  const texts = Promise.all([text(out), text(err)])
  const code = await run(args, { env, in: Readable.from([input]), out, err })
  out.end()
  err.end()
  const [output, errors] = await texts
  return { code, output, errors }
}
