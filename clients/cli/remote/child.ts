// Child processes of commands, and the handling of signals while one runs.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { UsageError } from '../console.js'

/** This process received a signal to terminate. */
class Interrupted extends Error {
  override readonly name = 'Interrupted'

  constructor(signal: string) {
    super(`ended by ${signal}`)
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** Time between SIGTERM and SIGKILL, in ms. */
const GRACE = 5000

/** Runs `use` with a signal that aborts with an Interrupted when this process is to terminate. */
export const runUntilInterrupted = async <Result>(
  use: (signal: AbortSignal) => Promise<Result>
): Promise<Result> => {
  const controller = new AbortController()
  const interrupt = (signal: NodeJS.Signals): void => controller.abort(new Interrupted(signal))
  for (const signal of SIGNALS) process.on(signal, interrupt)
  try {
    return await use(controller.signal)
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt)
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
