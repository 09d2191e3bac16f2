// The program of a worker, which the main process of a server starts, gives what it begins with over the channel between them, and
// feeds what is written.
import 'reflect-metadata'
import { Socket } from 'node:net'
import { SharedCounter } from '../../../events/log/cluster/shared-counter.js'
import { LOGGER } from '../../settings/ports.js'
import { FEED_FILE, POSITION_FILE } from './message-types.js'
import type { FromWorker, ToWorker, WorkerStart } from './message-types.js'
import { startWorker } from './worker.js'
import type { RunningWorker } from './worker.js'
import { messageOf } from '../../../events/errors.js'

/** A message that cannot be sent means that the main process has ended, before `disconnect` says so. */
const tell = (message: FromWorker, sent?: () => void): void =>
  void process.send?.(message, undefined, undefined, error => {
    if (error) process.exit()
    sent?.()
  })

/** Who waits for the main process to say whether everything was told, by number. */
const waiting = new Map<number, (isCertain: boolean) => void>()
let asked = 0

const askNewest = async (): Promise<void> => {
  const number = ++asked
  const isCertain = await new Promise<boolean>(resolve => {
    waiting.set(number, resolve)
    tell({ kind: 'newest', number })
  })
  waiting.delete(number)
  if (!isCertain) throw new Error('the main process does not know whether anything newer was acknowledged')
}

const run = async (start: WorkerStart): Promise<RunningWorker> => {
  const feed = new Socket({ fd: FEED_FILE, readable: true, writable: false })
  const position = new SharedCounter(POSITION_FILE)
  const running = await startWorker(start, { feed, position, tell, newest: askNewest })
  made = running
  tell({ kind: 'listening' })
  running.followed.then(
    () => process.exit(0),
    error => {
      running.scope.resolve(LOGGER).error({ err: error }, 'this worker cannot follow the main process')
      process.exit(1)
    }
  )
  return running
}

let running: Promise<RunningWorker> | undefined
let made: RunningWorker | undefined

const fail = (error: unknown): never => {
  process.stderr.write(`${messageOf(error)}\n`)
  process.exit(1)
}

process.on('message', (message: ToWorker) => {
  switch (message.kind) {
    case 'start':
      running ??= run(message.start)
      running.catch(fail)
      break
    case 'newest':
      waiting.get(message.number)?.(message.isCertain)
      break
    case 'beat':
      tell({ kind: 'beat', sign: { index: made?.index ?? 0, bytes: process.memoryUsage.rss() } })
      break
    case 'report':
      running
        ?.then(({ report }) => report())
        .then(report => tell({ kind: 'report', number: message.number, report }), fail)
      break
    case 'end':
      running?.then(({ close }) => close()).then(() => process.exit(0), fail)
  }
})
// The main process has ended, however it did.
process.on('disconnect', () => process.exit())
// It says when to end: a terminal, and whoever stops a service, tell all its processes at once.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGXFSZ'] as const)
  process.on(signal, () => {})
