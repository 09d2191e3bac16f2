// The program of a worker process. The main process sends the start options over the IPC channel, and records over the feed.
import 'reflect-metadata'
import { Socket } from 'node:net'
import { SharedCounter } from '../../../events/log/cluster/shared-counter.js'
import { FEED_FILE, POSITION_FILE, type FromWorker } from './message-types.js'
import { startWorker } from './worker.js'
import { serveWorker } from './worker-program.js'

/** A message that cannot be sent means that the main process has ended, before `disconnect` reports it. */
const send = (message: FromWorker, sent?: () => void): void =>
  void process.send?.(message, undefined, undefined, error => {
    if (error) process.exit()
    sent?.()
  })

serveWorker(
  {
    open: () => ({
      feed: new Socket({ fd: FEED_FILE, readable: true, writable: false }),
      position: new SharedCounter(POSITION_FILE)
    }),
    send,
    onMessage: take => void process.on('message', take),
    memory: () => process.memoryUsage.rss(),
    exit: code => process.exit(code)
  },
  startWorker
)
// The main process has ended, for any reason.
process.on('disconnect', () => process.exit())
// Terminals and service managers signal all processes at once, but only the main process tells workers to end.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGXFSZ'] as const)
  process.on(signal, () => {})
