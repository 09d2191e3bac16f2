// Replaces time, timers, randomness, compression and the number of this Node process by those of a world. Nothing else may run in it.
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { gunzipSync, gzipSync, type ZlibOptions } from 'node:zlib'
import type { World } from './world.js'

const require = createRequire(import.meta.url)

/** Epoch ms at which the world begins. */
const BEGINNING = Date.UTC(2026, 0, 1)

/** In ms, of each call. */
const COMPRESSION_MS = 0.05

/** A timer of the world, with the methods of one of Node. */
class VirtualTimer {
  #cancel: () => void = () => {}
  #isActive = true

  constructor(
    private readonly world: World,
    private readonly ms: number,
    private readonly call: () => void,
    private readonly isRepeated: boolean
  ) {
    this.#start()
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  hasRef(): boolean {
    return true
  }

  refresh(): this {
    this.#cancel()
    this.#start()
    return this
  }

  close(): this {
    this.#cancel()
    this.#isActive = false
    return this
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #start(): void {
    this.#cancel = this.world.after(this.ms, () => {
      if (!this.#isActive) return
      if (this.isRepeated) this.#start()
      this.call()
    })
  }
}

const msOf = (ms: unknown): number => (typeof ms === 'number' && ms >= 1 && ms < 2 ** 31 ? ms : 1)

const aborted = (signal: AbortSignal): Error =>
  Object.assign(new Error('The operation was aborted', { cause: signal.reason }), {
    name: 'AbortError',
    code: 'ABORT_ERR'
  })

/** The functions of `node:timers/promises`. */
const promisesOf = (world: World) => {
  const wait = <T>(ms: number, value?: T, options?: { signal?: AbortSignal }): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      const signal = options?.signal
      if (signal?.aborted) return reject(aborted(signal))
      const abort = (): void => {
        cancel()
        if (signal) reject(aborted(signal))
      }
      const cancel = world.after(ms, () => {
        signal?.removeEventListener('abort', abort)
        resolve(value)
      })
      signal?.addEventListener('abort', abort, { once: true })
    })
  return {
    setTimeout: <T>(ms?: number, value?: T, options?: { signal?: AbortSignal }) =>
      wait(msOf(ms), value, options),
    setImmediate: <T>(value?: T, options?: { signal?: AbortSignal }) => wait(0, value, options)
  }
}

const timersOf = (world: World) => {
  const timer =
    (isRepeated: boolean) =>
    (call: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
      new VirtualTimer(world, msOf(ms), () => call(...args), isRepeated)
  const setImmediate = (call: (...args: unknown[]) => void, ...args: unknown[]) =>
    new VirtualTimer(world, 0, () => call(...args), false)
  const clear = (each: unknown): void => void (each instanceof VirtualTimer && each.close())
  return {
    setTimeout: timer(false),
    setInterval: timer(true),
    setImmediate,
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear
  }
}

const dateOf = (world: World): typeof Date => {
  const now = (): number => BEGINNING + Math.floor(world.readClock() + (world.current?.wallOffset ?? 0))
  return new Proxy(Date, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver))
  })
}

/** Random bytes, also of keys: equal for equal seeds. */
const randomnessOf = ({ random }: World) => {
  const fill = <T extends Uint8Array>(target: T): T => {
    for (let at = 0; at < target.length; at++) target[at] = random.below(256)
    return target
  }
  return {
    randomBytes: (size: number) => fill(Buffer.alloc(size)),
    randomFillSync: fill,
    randomUUID: () => random.uuid(),
    randomInt: (...range: [number, number?]) => {
      const [least, limit] = range[1] === undefined ? [0, range[0]] : [range[0], range[1]]
      return least + Math.floor(random.next() * (limit - least))
    }
  }
}

const timeoutSignal =
  (world: World) =>
  (ms: number): AbortSignal => {
    const controller = new AbortController()
    world.after(ms, () => controller.abort(new DOMException('The operation timed out', 'TimeoutError')))
    return controller.signal
  }

type Done = (error: Error | null, result: Buffer) => void

/** Compression, which Node does on threads. */
const compressionOf = (world: World) => {
  const later =
    (convert: (data: Buffer, options: ZlibOptions) => Buffer) =>
    (data: Buffer, options: ZlibOptions, done: Done) =>
      void world.after(COMPRESSION_MS, () => {
        try {
          done(null, convert(data, options))
        } catch (error) {
          done(error instanceof Error ? error : new Error(String(error)), Buffer.alloc(0))
        }
      })
  return { gzip: later(gzipSync), gunzip: later(gunzipSync) }
}

/** Replaces members of a module of Node, also for those that have imported it. */
export const replaceIn = (name: string, members: object): void => {
  Object.assign(require(name), members)
  syncBuiltinESMExports()
}

/** Must be called before any module of the product is loaded. */
export const replaceGlobals = (world: World): void => {
  const timers = timersOf(world)
  replaceIn('node:timers', timers)
  replaceIn('node:timers/promises', promisesOf(world))
  replaceIn('node:crypto', randomnessOf(world))
  replaceIn('node:zlib', compressionOf(world))
  const globals = { ...timers, Date: dateOf(world) }
  for (const [name, value] of Object.entries(globals)) Reflect.set(globalThis, name, value)
  Reflect.set(Math, 'random', () => world.random.next())
  Reflect.set(AbortSignal, 'timeout', timeoutSignal(world))
  // Request IDs contain it, so that its length would decide where segments end.
  Object.defineProperty(process, 'pid', { value: 1 })
  // Work takes no virtual time.
  Reflect.set(process, 'threadCpuUsage', () => ({ user: 0, system: 0 }))
  Object.defineProperty(performance, 'now', { value: () => world.readClock() })
}
