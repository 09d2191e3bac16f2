// Threads of the product, which run in their process of the simulation: their messages are copied and arrive later.
import { EventEmitter } from 'node:events'
import type { TransferListItem } from 'node:worker_threads'
import { serveImpacts } from '../../http/routes/acl/impact/thread-program.js'
import { serveVerification } from '../../http/routes/snapshot/verification.js'
import { serveCatchUp } from '../../http/stream/catch-up/thread-program.js'
import { replaceIn } from './globals.js'
import type { World } from './world.js'

/** In ms, of a message between threads. */
const LATENCY = 0.05

/** The end of a thread's channel. */
interface Port {
  postMessage(message: unknown, transfer?: readonly TransferListItem[]): void
  on(name: 'message', take: Parameters<EventEmitter['on']>[1]): void
}

/** Programs of the threads that the simulation has, by what their paths contain. Work takes no virtual time. */
const PROGRAMS: Readonly<Record<string, (data: never, port: Port) => void>> = {
  'catch-up': (data, port) => serveCatchUp(data, port, () => 0),
  verification: (data, port) => void serveVerification(data, port),
  'acl/impact': (_data, port) => serveImpacts(port)
}

/** Replaces threads. */
export const replaceThreads = (world: World): void => {
  class SimulatedThread extends EventEmitter {
    readonly threadId = 1
    readonly #inner = new EventEmitter()
    #isOver = false

    constructor(program: URL | string, { workerData }: { readonly workerData: never }) {
      super()
      const serve = Object.entries(PROGRAMS).find(([name]) => String(program).includes(name))?.[1]
      if (!serve) throw new Error(`${String(program)} is not simulated`)
      serve(workerData, {
        postMessage: (answer, transfer = []) => this.#deliver(this, answer, transfer),
        on: (name, take) => void this.#inner.on(name, take)
      })
    }

    postMessage(task: unknown, transfer: readonly TransferListItem[] = []): void {
      this.#deliver(this.#inner, task, transfer)
    }

    unref(): void {}

    async terminate(): Promise<void> {
      this.#isOver = true
      this.emit('exit', 0)
    }

    #deliver(to: EventEmitter, message: unknown, transfer: readonly TransferListItem[]): void {
      const copy: unknown = structuredClone(message, { transfer: [...transfer] })
      world.after(LATENCY, () => void (this.#isOver || to.emit('message', copy)))
    }
  }
  replaceIn('node:worker_threads', { Worker: SimulatedThread })
}
