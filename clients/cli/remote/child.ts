// Other programs that a command runs, and what happens when this one is told to end meanwhile.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { UsageError } from '../console.js'

/** This program was told to end. */
class Interrupted extends Error {
  override readonly name = 'Interrupted'

  constructor(signal: string) {
    super(`ended by ${signal}`)
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** How long a program has to end, in ms. */
const GRACE = 5000

/** Runs something whose signal aborts, with an Interrupted, when this program is told to end; it ends when that has ended. */
export const runUntilInterrupted = async <Result>(
  use: (told: AbortSignal) => Promise<Result>
): Promise<Result> => {
  const controller = new AbortController()
  const tell = (signal: NodeJS.Signals): void => controller.abort(new Interrupted(signal))
  for (const signal of SIGNALS) process.on(signal, tell)
  try {
    return await use(controller.signal)
  } finally {
    for (const signal of SIGNALS) process.off(signal, tell)
  }
}

interface Child {
  /** A program and its arguments; a single text is a line for the shell. */
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Ends the program: it is asked to, and after five seconds made to. */
  readonly signal: AbortSignal
  /** Given to its standard input; that of this program when absent. */
  readonly input?: string
}

/**
 * Runs a program to its end, on the terminal of this one.
 * @returns its exit code, or 128 and the number of the signal that ended it, as shells have it
 * @throws UsageError when there is no such program
 */
export const runChild = async ({ command, env, signal, input }: Child): Promise<number> => {
  const [file = '', ...args] = command
  const child = spawn(file, args, {
    env: { ...env },
    shell: args.length === 0,
    stdio: [input === undefined ? 'inherit' : 'pipe', 'inherit', 'inherit']
  })
  // A program that reads nothing closes its input early.
  child.stdin?.on('error', () => {}).end(input)
  const end = (): void => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), GRACE)
    child.once('exit', () => clearTimeout(timer))
  }
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  try {
    const [code, by]: (number | NodeJS.Signals | null)[] = await once(child, 'exit')
    return typeof code === 'number' ? code : 128 + (by ? numberOf(String(by)) : 0)
  } catch (error) {
    throw new UsageError(`${file} cannot be run: ${error instanceof Error ? error.message : 'unknown'}`)
  } finally {
    signal.removeEventListener('abort', end)
  }
}

const numberOf = (signal: string): number =>
  Object.entries(constants.signals).find(([name]) => name === signal)?.[1] ?? 0
