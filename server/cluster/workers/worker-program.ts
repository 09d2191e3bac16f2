// The program of a worker process. The main process sends the start options over the IPC channel, and records over the feed.
import 'reflect-metadata'
import { Socket } from 'node:net'
import { SharedCounter } from '../../../events/log/cluster/shared-counter.js'
import { LOGGER } from '../../settings/ports.js'
import { FEED_FILE, POSITION_FILE } from './message-types.js'
import type { FromWorker, ToWorker, WorkerStart } from './message-types.js'
import { startWorker, type RunningWorker } from './worker.js'
import { messageOf } from '../../../events/errors.js'

/** A message that cannot be sent means that the main process has ended, before `disconnect` reports it. */
const send = (message: FromWorker, sent?: () => void): void =>
  void process.send?.(message, undefined, undefined, error => {
    if (error) process.exit()
    sent?.()
  })

/** Requests that wait for the main process, by number. */
const waiting = new Map<number, (isCertain: boolean) => void>()
let asked = 0

const askNewest = async (): Promise<void> => {
  const number = ++asked
  const isCertain = await new Promise<boolean>(resolve => {
    waiting.set(number, resolve)
    send({ kind: 'newest', number })
  })
  waiting.delete(number)
  if (!isCertain) throw new Error('the main process does not know whether anything newer was acknowledged')
}

const run = async (start: WorkerStart): Promise<RunningWorker> => {
  const feed = new Socket({ fd: FEED_FILE, readable: true, writable: false })
  const position = new SharedCounter(POSITION_FILE)
  const running = await startWorker(start, { feed, position, send, newest: askNewest })
  made = running
  send({ kind: 'listening' })
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
      send({ kind: 'beat', sign: { index: made?.index ?? 0, bytes: process.memoryUsage.rss() } })
      break
    case 'report':
      running
        ?.then(({ report }) => report())
        .then(report => send({ kind: 'report', number: message.number, report }), fail)
      break
    case 'end':
      running?.then(({ close }) => close()).then(() => process.exit(0), fail)
  }
})
// The main process has ended, for any reason.
process.on('disconnect', () => process.exit())
// Terminals and service managers signal all processes at once, but only the main process tells workers to end.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGXFSZ'] as const)
  process.on(signal, () => {})
