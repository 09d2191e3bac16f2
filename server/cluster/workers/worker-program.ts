// What a worker process does with the messages of the main process, which sends the start options first.
import { LOGGER } from '../../settings/ports.js'
import { messageOf } from '../../../events/errors.js'
import type { ToWorker, WorkerStart } from './message-types.js'
import type { MainProcess } from './main-link.js'
import type { RunningWorker, startWorker } from './worker.js'

/** The process of a worker, and its connection to the main process. */
interface WorkerChannel extends Pick<MainProcess, 'send'> {
  /** Opens the feed of records, and the position that the main process publishes. */
  readonly open: () => Pick<MainProcess, 'feed' | 'position'>
  readonly onMessage: (take: (message: ToWorker) => void) => void
  /** Returns the memory of the process, in bytes. */
  readonly memory: () => number
  readonly exit: (code: number) => void
}

/** Serves the main process until the channel exits. @param begin starts the worker */
export const serveWorker = (channel: WorkerChannel, begin: typeof startWorker): void =>
  new WorkerProgram(channel, begin).serve()

class WorkerProgram {
  /** Requests that wait for the main process, by number. */
  readonly #waiting = new Map<number, (isCertain: boolean) => void>()
  #asked = 0
  #running: Promise<RunningWorker> | undefined
  #made: RunningWorker | undefined

  constructor(
    private readonly channel: WorkerChannel,
    private readonly begin: typeof startWorker
  ) {}

  serve(): void {
    this.channel.onMessage(message => this.#handle(message))
  }

  #handle(message: ToWorker): void {
    const { send, memory, exit } = this.channel
    switch (message.kind) {
      case 'start':
        this.#running ??= this.#run(message.start)
        this.#running.catch(this.#fail)
        break
      case 'newest':
        this.#waiting.get(message.number)?.(message.isCertain)
        break
      case 'beat':
        send({ kind: 'beat', sign: { index: this.#made?.index ?? 0, bytes: memory() } })
        break
      case 'report':
        this.#running
          ?.then(({ report }) => report())
          .then(report => send({ kind: 'report', number: message.number, report }), this.#fail)
        break
      case 'end':
        this.#running?.then(({ close }) => close()).then(() => exit(0), this.#fail)
    }
  }

  async #run(start: WorkerStart): Promise<RunningWorker> {
    const { open, send, exit } = this.channel
    const running = await this.begin(start, { ...open(), send, newest: () => this.#askNewest() })
    this.#made = running
    send({ kind: 'listening' })
    running.followed.then(
      () => exit(0),
      error => {
        running.scope.resolve(LOGGER).error({ err: error }, 'this worker cannot follow the main process')
        exit(1)
      }
    )
    return running
  }

  async #askNewest(): Promise<void> {
    const number = ++this.#asked
    const isCertain = await new Promise<boolean>(resolve => {
      this.#waiting.set(number, resolve)
      this.channel.send({ kind: 'newest', number })
    })
    this.#waiting.delete(number)
    if (!isCertain) throw new Error('the main process does not know whether anything newer was acknowledged')
  }

  readonly #fail = (error: unknown): void => {
    process.stderr.write(`${messageOf(error)}\n`)
    this.channel.exit(1)
  }
}
