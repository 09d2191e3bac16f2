// One life of a worker, as the main process sees it.
import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { FEED_FILE } from './files.js'
import type { FromWorker, ToWorker, WorkerReport, WorkerStart } from './messages.js'

const PROGRAM = join(import.meta.dirname, 'child.js')

/** What a worker needs of the main process. */
export interface WorkerHost {
  /** The file of the shared number. */
  readonly position: number
  readonly feed: { attach(socket: Writable): void }
  readonly told: (message: FromWorker, by: number) => void
  readonly ended: (worker: number) => void
}

type Take = (report: WorkerReport | undefined) => void

export class WorkerProcess {
  readonly #child: ChildProcess
  readonly #number: number
  readonly #asked = new Map<number, Take>()
  readonly #ended: Promise<string>
  #numbers = 0
  #hasListened = false
  #isEnded = false

  constructor(start: WorkerStart, { position, feed, told }: WorkerHost) {
    this.#number = start.number
    // Files as in `files.ts`.
    this.#child = fork(PROGRAM, [], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', position, 'pipe'],
      serialization: 'advanced'
    })
    this.#child.on('message', (message: FromWorker) => {
      if (message.kind === 'follow') {
        const socket = this.#child.stdio.at(FEED_FILE)
        if (socket instanceof Writable) feed.attach(socket)
      } else if (message.kind === 'report') this.#asked.get(message.number)?.(message.report)
      else {
        if (message.kind === 'listening') this.#hasListened = true
        told(message, this.#number)
      }
    })
    this.#ended = new Promise(resolve => {
      this.#child.on('error', error => resolve(error.message))
      this.#child.on('exit', (code, signal) => resolve(String(signal ?? code)))
    })
    void this.#ended.then(() => this.#end())
    this.#tell({ kind: 'start', start })
  }

  get number(): number {
    return this.#number
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Whether it has ever answered. */
  get hasListened(): boolean {
    return this.#hasListened
  }

  /** Whether it answers. */
  get isListening(): boolean {
    return this.#hasListened && !this.#isEnded
  }

  /** Resolves, with the reason, when it has ended. */
  get ended(): Promise<string> {
    return this.#ended
  }

  /** What it counts; undefined when it ends before it answers. */
  async report(): Promise<WorkerReport | undefined> {
    if (!this.isListening) return undefined
    const number = ++this.#numbers
    const report = new Promise<WorkerReport | undefined>(resolve => this.#asked.set(number, resolve))
    this.#tell({ kind: 'report', number })
    try {
      return await report
    } finally {
      this.#asked.delete(number)
    }
  }

  /** Has it end after the requests in flight. */
  async end(): Promise<void> {
    this.#tell({ kind: 'end' })
    await this.#ended
  }

  #tell(message: ToWorker): void {
    if (this.#child.connected) this.#child.send(message, () => {})
  }

  #end(): void {
    this.#isEnded = true
    for (const take of this.#asked.values()) take(undefined)
  }
}
