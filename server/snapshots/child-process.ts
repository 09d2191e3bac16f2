// Runs the program that writes snapshots: a process of low priority, so that it delays no requests.
import { fork } from 'node:child_process'
import type { Logger } from 'pino'
import { programFile } from '../../events/program-files.js'
import type { Settings } from '../settings/settings.js'

export interface ToChild {
  readonly settings: Settings
  /** Creates the base snapshot at this index instead of a snapshot. */
  readonly base?: number
}

export interface MadeSnapshot {
  /** The newest commit in the snapshot. */
  readonly index: number
  /** The digest of a base snapshot. */
  readonly digest?: string
  /** Unusable snapshots, with reasons. */
  readonly unsound: readonly string[]
}

export type FromChild = MadeSnapshot | { readonly failure: string }

/** Keeps V8's work on the program's own thread, which is the only one with low priority. */
const FLAGS = ['--v8-pool-size=0']
/** Limit of the captured error output. */
const MAX_ERROR_CHARACTERS = 4096

/** Creates a snapshot in a child process. @param signal ends the process @throws Error with the reason of a failure */
export const runInChild = (order: ToChild, logger: Logger, signal: AbortSignal): Promise<MadeSnapshot> =>
  new Promise((resolve, reject) => {
    const child = fork(programFile('snapshot'), [], {
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
      for (const snapshot of message.unsound) logger.warn({ snapshot }, 'a snapshot was skipped')
      resolve(message)
    })
    child.on('error', reject)
    child.on('exit', (code, end) =>
      reject(new Error(`the process ended with ${code ?? end}: ${errors.trim() || 'it said nothing'}`))
    )
    child.send(order, error => error && reject(error))
  })
