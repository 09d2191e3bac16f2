// Profiles of this process in the formats of Chrome's developer tools. They contain names of functions and no data.
import type { HeapProfiler, Profiler } from 'node:inspector'
import type { Session } from 'node:inspector/promises'
import { Lifecycle, scoped } from 'tsyringe'
import { Refusal } from '../../../actors/refusal.js'
import { Timers } from '../../../actors/clock.js'
import { ShutdownSignal } from '../../wire/shutdown-signal.js'

type ProfileKind = 'cpu' | 'heap'

/** Ends a profile early. */
interface Waiting {
  /** Milliseconds. */
  readonly time: number
  /** Calls when the client has disconnected; returns a function that removes the listener. */
  readonly onGone: (gone: () => void) => () => void
}

/** Microseconds between two samples. */
const CPU_INTERVAL = 1000

/** The running profiles. V8 supports one of each kind in a process. */
const underWay = new Set<ProfileKind>()

@scoped(Lifecycle.ContainerScoped)
export class Profiles {
  constructor(
    private readonly timers: Timers,
    private readonly closing: ShutdownSignal
  ) {}

  /** The running profiles of this process. */
  get taken(): ReadonlySet<ProfileKind> {
    return underWay
  }

  /** Records a `.cpuprofile`. @throws Refusal `too-many` while another one runs */
  cpu(waiting: Waiting): Promise<Profiler.Profile> {
    return this.#take('cpu', async session => {
      await session.post('Profiler.enable')
      await session.post('Profiler.setSamplingInterval', { interval: CPU_INTERVAL })
      await session.post('Profiler.start')
      await this.#wait(waiting)
      return (await session.post('Profiler.stop')).profile
    })
  }

  /** Records allocations that are still in memory as a `.heapprofile`. @throws Refusal `too-many` while another one runs */
  heap(waiting: Waiting): Promise<HeapProfiler.SamplingHeapProfile> {
    return this.#take('heap', async session => {
      await session.post('HeapProfiler.enable')
      await session.post('HeapProfiler.startSampling')
      await this.#wait(waiting)
      return (await session.post('HeapProfiler.stopSampling')).profile
    })
  }

  async #take<T>(kind: ProfileKind, take: (session: Session) => Promise<T>): Promise<T> {
    if (underWay.has(kind)) throw new Refusal('agent.too-many', `Another ${kind} profile is taken just now`)
    underWay.add(kind)
    const inspector = await import('node:inspector/promises')
    const session = new inspector.Session()
    try {
      session.connect()
      return await take(session)
    } finally {
      session.disconnect()
      underWay.delete(kind)
    }
  }

  #wait({ time, onGone }: Waiting): Promise<void> {
    const { signal } = this.closing
    return new Promise(resolve => {
      const end = (): void => {
        this.timers.clearTimeout(timer)
        signal.removeEventListener('abort', end)
        stop()
        resolve()
      }
      const timer = this.timers.setTimeout(end, time)
      const stop = onGone(end)
      signal.addEventListener('abort', end)
      if (signal.aborted) end()
    })
  }
}
