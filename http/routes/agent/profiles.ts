// Profiles of this process, in the forms that Chrome's developer tools open. They name functions, and hold nothing of what those work on.
import type { HeapProfiler, Profiler } from 'node:inspector'
import type { Session } from 'node:inspector/promises'
import { Lifecycle, scoped } from 'tsyringe'
import { Refusal } from '../../../actors/refusal.js'
import { Timers } from '../../../actors/timers.js'
import { ShutdownSignal } from '../../wire/shutdown-signal.js'

/** What a profile is of. */
type ProfileKind = 'cpu' | 'heap'

/** Ends a profile early. */
interface Waiting {
  /** Milliseconds. */
  readonly time: number
  /** Calls when the client has disconnected; returns a function that removes the listener. */
  readonly onGone: (gone: () => void) => () => void
}

/** Microseconds between two looks at what the processor does. */
const CPU_INTERVAL = 1000

/** Those that are taken just now: of each kind V8 takes one in a process, whichever server of it is asked. */
const underWay = new Set<ProfileKind>()

@scoped(Lifecycle.ContainerScoped)
export class Profiles {
  constructor(
    private readonly timers: Timers,
    private readonly closing: ShutdownSignal
  ) {}

  /** Those that are taken just now, in this process. */
  get taken(): ReadonlySet<ProfileKind> {
    return underWay
  }

  /** What the processor does, as a `.cpuprofile`. @throws Refusal `too-many` while another one is taken */
  cpu(waiting: Waiting): Promise<Profiler.Profile> {
    return this.#take('cpu', async session => {
      await session.post('Profiler.enable')
      await session.post('Profiler.setSamplingInterval', { interval: CPU_INTERVAL })
      await session.post('Profiler.start')
      await this.#wait(waiting)
      return (await session.post('Profiler.stop')).profile
    })
  }

  /** What was allocated meanwhile and is still in memory, as a `.heapprofile`. @throws Refusal `too-many` as `cpu` */
  heap(waiting: Waiting): Promise<HeapProfiler.SamplingHeapProfile> {
    return this.#take('heap', async session => {
      await session.post('HeapProfiler.enable')
      await session.post('HeapProfiler.startSampling')
      await this.#wait(waiting)
      return (await session.post('HeapProfiler.stopSampling')).profile
    })
  }

  async #take<T>(kind: ProfileKind, take: (session: Session) => Promise<T>): Promise<T> {
    if (underWay.has(kind)) throw new Refusal('too-many', `Another ${kind} profile is taken just now`)
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
