// Starts the program that makes a snapshot: a process of its own, of low priority, which holds up no request.
import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Settings } from '../settings.js'
import type { FromChild, ToChild } from './child-messages.js'

const PROGRAM = join(import.meta.dirname, 'child.js')
/** What V8 does beside the program it does on the program's own thread: the low priority is that thread's alone. */
const FLAGS = ['--v8-pool-size=0']

/**
 * Makes a snapshot of all that is durable now.
 * @param signal ends the process
 * @returns the index of the newest commit in it
 * @throws Error why there is none
 */
export const snapshotInChild = (settings: Settings, logger: Logger, signal: AbortSignal): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = fork(PROGRAM, [], {
      execArgv: FLAGS,
      signal,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc']
    })
    let errors = ''
    child.stderr?.on('data', (data: Buffer) => (errors = `${errors}${data.toString()}`.slice(-4096)))
    child.on('message', (message: FromChild) => {
      if ('failure' in message) return reject(new Error(message.failure))
      for (const snapshot of message.unsound) logger.warn({ snapshot }, 'a snapshot was passed over')
      resolve(message.index)
    })
    child.on('error', reject)
    child.on('exit', (code, end) =>
      reject(new Error(`the process ended with ${code ?? end}: ${errors.trim() || 'it said nothing'}`))
    )
    const order: ToChild = { settings }
    child.send(order, error => error && reject(error))
  })
