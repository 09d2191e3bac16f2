// Child processes of the product: the one that writes snapshots runs in its parent's process of the simulation, a worker in its own.
import { EventEmitter } from 'node:events'
import { SharedCounter } from '../../events/log/cluster/shared-counter.js'
import { messageOf } from '../../events/errors.js'
import {
  FEED_FILE,
  POSITION_FILE,
  type FromWorker,
  type ToWorker
} from '../../server/cluster/workers/message-types.js'
import { startWorker } from '../../server/cluster/workers/worker.js'
import { serveWorker } from '../../server/cluster/workers/worker-program.js'
import type { FromChild, ToChild } from '../../server/snapshots/child-process.js'
import { makeSnapshot } from '../../server/snapshots/make-snapshot.js'
import { replaceIn } from './globals.js'
import { HistoryError } from './history.js'
import type { Connection, Network } from './network.js'
import type { SimulatedProcess, World } from './world.js'

/** In ms, of a message between processes of a machine. */
const LATENCY = 0.05

interface ForkOptions {
  readonly signal?: AbortSignal
  readonly stdio?: readonly unknown[]
}

/** Writes a snapshot. */
class SimulatedSnapshot extends EventEmitter {
  readonly stderr = new EventEmitter()
  #isOver = false

  constructor(
    private readonly world: World,
    signal: AbortSignal | undefined
  ) {
    super()
    signal?.addEventListener('abort', () => this.#exit(null, 'SIGKILL'), { once: true })
  }

  send(order: ToChild): void {
    const { world } = this
    const answer = (message: FromChild): void => {
      world.after(LATENCY, () => {
        if (!this.#isOver) this.emit('message', structuredClone(message))
        world.note(`${world.current?.name} snapshot ${JSON.stringify(message)}`)
        this.#exit(0)
      })
    }
    void makeSnapshot(structuredClone(order)).then(answer, error => answer({ failure: messageOf(error) }))
  }

  #exit(code: number | null, signal?: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.emit('exit', code, signal)
  }
}

/** A worker, as its main process sees it. */
class SimulatedWorker extends EventEmitter {
  readonly pid = 1
  connected = true
  /** It ended by itself, with a failure that no decayed file explains. */
  hasFailed = false
  readonly stdio: readonly (Connection | null)[]
  readonly process: SimulatedProcess
  readonly #inner = new EventEmitter()

  constructor(
    private readonly network: Network,
    private readonly main: SimulatedProcess,
    position: number
  ) {
    super()
    this.process = network.world.child(main)
    const [feed, received] = network.pair(main, this.process)
    // A pipe ends without an error.
    for (const end of [feed, received]) end.on('error', () => {})
    this.stdio = Array.from({ length: FEED_FILE + 1 }, (_, file) => (file === FEED_FILE ? feed : null))
    const channel = {
      open: () => ({ feed: received, position: new SharedCounter(position) }),
      send: (message: FromWorker, sent?: () => void) => this.#deliver(this, message, this.main, sent),
      onMessage: (take: (message: ToWorker) => void) => void this.#inner.on('message', take),
      memory: () => 0,
      exit: (code: number) => this.#exit(code)
    }
    network.world.as(this.process, () => serveWorker(channel, startWorker))
  }

  send(message: ToWorker): void {
    this.#deliver(this.#inner, message, this.process)
  }

  kill(): void {
    this.#exit(null, 'SIGKILL')
  }

  #deliver(to: EventEmitter, message: unknown, owner: SimulatedProcess, sent?: () => void): void {
    const { world } = this.network
    const copy: unknown = structuredClone(message)
    if (sent) world.after(0, sent)
    world.after(LATENCY, () => void to.emit('message', copy), owner)
  }

  #exit(code: number | null, signal?: string): void {
    if (!this.connected) return
    const { network, process, main } = this
    network.world.note(`a worker of ${main.name} ends: ${signal ?? code}`)
    this.connected = false
    this.hasFailed = code !== 0 && code !== null && !main.hasDecayed
    process.isAlive = false
    network.drop(process)
    network.world.after(LATENCY, () => void this.emit('exit', code, signal), main)
  }
}

/** The workers of all machines. */
export class SimulatedWorkers {
  readonly #all: SimulatedWorker[] = []

  /** Replaces child processes: those that write snapshots, and workers. */
  static replaceChildren(network: Network): SimulatedWorkers {
    const workers = new SimulatedWorkers()
    const fork = (program: string, _: unknown, { signal, stdio = [] }: ForkOptions) => {
      const { world } = network
      if (program.includes('snapshots/child')) return new SimulatedSnapshot(world, signal)
      if (!program.includes('workers/child') || !world.current) throw new Error(`${program} is not simulated`)
      const worker = new SimulatedWorker(network, world.current, Number(stdio[POSITION_FILE]))
      workers.#all.push(worker)
      return worker
    }
    replaceIn('node:child_process', { fork })
    return workers
  }

  /** Kills the workers of a main process. */
  kill(main: SimulatedProcess): void {
    for (const worker of this.#of(main)) worker.kill()
  }

  /** Stops the workers of a main process until a virtual time. */
  freeze(main: SimulatedProcess, until: number): void {
    for (const { process } of this.#of(main)) process.frozenUntil = until
  }

  /** @throws HistoryError if a worker ended by itself, although the files of its machine had not decayed */
  check(): void {
    const failed = this.#all.find(({ hasFailed }) => hasFailed)
    if (failed) throw new HistoryError(`a worker of ${failed.process.name} ended by itself`)
  }

  #of(main: SimulatedProcess): readonly SimulatedWorker[] {
    return this.#all.filter(({ process }) => process.parent === main && process.isAlive)
  }
}
