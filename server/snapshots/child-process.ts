// Starts the program that makes a snapshot or a base: a process of its own, of low priority, which holds up no request.
import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Settings } from '../settings/settings.js'

export interface ToChild {
  readonly settings: Settings
  /** Makes the base of the commits up to this index, in place of a snapshot. */
  readonly base?: number
}

export type FromChild =
  | {
      /** The newest commit that is in what was made. */
      readonly index: number
      /** Of a base: its digest. */
      readonly digest?: string
      /** The snapshots that could not be used, and why. */
      readonly unsound: readonly string[]
    }
  | { readonly failure: string }

const PROGRAM = join(import.meta.dirname, 'child.js')
/** What V8 does beside the program it does on the program's own thread: the low priority is that thread's alone. */
const FLAGS = ['--v8-pool-size=0']
/** So much of what the process says of its errors is kept. */
const MAX_ERROR_CHARACTERS = 4096

type Made = Exclude<FromChild, { readonly failure: string }>

/**
 * Has something made in a child process.
 * @param signal ends the process
 * @throws Error why nothing was made
 */
export const runInChild = (order: ToChild, logger: Logger, signal: AbortSignal): Promise<Made> =>
  new Promise((resolve, reject) => {
    const child = fork(PROGRAM, [], {
      execArgv: FLAGS,
      signal,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc']
    })
    let errors = ''
    child.stderr?.on(
      'data',
      (data: Buffer) => (errors = `${errors}${data.toString()}`.slice(-MAX_ERROR_CHARACTERS))
    )
    child.on('message', (message: FromChild) => {
      if ('failure' in message) return reject(new Error(message.failure))
      for (const snapshot of message.unsound) logger.warn({ snapshot }, 'a snapshot was passed over')
      resolve(message)
    })
    child.on('error', reject)
    child.on('exit', (code, end) =>
      reject(new Error(`the process ended with ${code ?? end}: ${errors.trim() || 'it said nothing'}`))
    )
    child.send(order, error => error && reject(error))
  })
