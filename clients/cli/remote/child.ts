import { messageOf } from '../../../events/errors.js'
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
  /** A program and its arguments, or one line for the shell. */
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Terminates the program. */
  readonly signal: AbortSignal
  /** Standard input; inherited if absent. */
  readonly input?: string
}

/** Runs a program on this terminal. @returns the exit code, or 128 plus the signal number @throws UsageError if it cannot be run */
export const runChild = async ({ command, env, signal, input }: Child): Promise<number> => {
  const [file = '', ...args] = command
  const child = spawn(file, args, {
    env: { ...env },
    shell: args.length === 0,
    stdio: [input === undefined ? 'inherit' : 'pipe', 'inherit', 'inherit']
  })
  // A program that does not read its input may close it early.
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
    throw new UsageError(`${file} cannot be run: ${messageOf(error)}`)
  } finally {
    signal.removeEventListener('abort', end)
  }
}

const numberOf = (signal: string): number =>
  Object.entries(constants.signals).find(([name]) => name === signal)?.[1] ?? 0
