// Replaces modules of the product that are loaded later: the log's disk by a simulated one, the client of webhooks, the counters of workers and streams of compression likewise, and a module by one with a deliberate bug.
import { registerHooks } from 'node:module'
import { changedSource, type SourceChange } from './bugs.js'

const DISK = '/events/log/node-disk.js'
const COUNTER = '/events/log/cluster/shared-counter.js'
const SIMULATED_COUNTER = new URL('shared-counter.js', import.meta.url).href
const SIMULATED_DISK = new URL('disk.js', import.meta.url).href
const SIMULATED_ZLIB = new URL('zlib.js', import.meta.url).href
const SIMULATED_UNDICI = new URL('undici.js', import.meta.url).href

/** So that a simulation has many segments, and prunes them. */
const SMALL: readonly SourceChange[] = [
  {
    module: '/events/log/segments/segment-event-log.js',
    from: 'segmentBytes: 32 * 1024 * 1024',
    to: 'segmentBytes: 64 * 1024'
  },
  {
    module: '/actors/processes/log-retention.js',
    from: 'PERIOD_MS = 10 * 60_000',
    to: 'PERIOD_MS = 3000'
  }
]

/** Decodes a module's source. */
const textOf = (source: unknown): string => {
  if (typeof source === 'string') return source
  if (source instanceof Uint8Array) return Buffer.from(source).toString()
  throw new Error('the module has no source')
}

/** Must be called before any module of the product is loaded. */
export const replaceModules = (bug: SourceChange | undefined): void => {
  const all = bug ? [...SMALL, bug] : SMALL
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'undici') return { url: SIMULATED_UNDICI, shortCircuit: true }
      if (specifier === 'node:zlib' && !context.parentURL?.includes('/test/'))
        return { url: SIMULATED_ZLIB, shortCircuit: true }
      const resolved = next(specifier, context)
      if (resolved.url.endsWith(COUNTER)) return { ...resolved, url: SIMULATED_COUNTER }
      return resolved.url.endsWith(DISK) ? { ...resolved, url: SIMULATED_DISK } : resolved
    },
    load(url, context, next) {
      const loaded = next(url, context)
      const changes = all.filter(({ module }) => url.endsWith(module))
      if (changes.length === 0) return loaded
      return { ...loaded, source: changes.reduce(changedSource, textOf(loaded.source)) }
    }
  })
}
