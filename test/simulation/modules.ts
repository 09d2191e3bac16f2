// Replaces modules of the product that are loaded later: the log's disk by a simulated one, the client of webhooks likewise, and a module by one with a deliberate bug.
import { registerHooks } from 'node:module'
import { withBug, type Bug } from './bugs.js'

const DISK = '/events/log/node-disk.js'
const SIMULATED_DISK = new URL('disk.js', import.meta.url).href
const SIMULATED_UNDICI = new URL('undici.js', import.meta.url).href

/** Decodes a module's source. */
const textOf = (source: unknown): string => {
  if (typeof source === 'string') return source
  if (source instanceof Uint8Array) return Buffer.from(source).toString()
  throw new Error('the module has no source')
}

/** Must be called before any module of the product is loaded. */
export const replaceModules = (bug: Bug | undefined): void => {
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'undici') return { url: SIMULATED_UNDICI, shortCircuit: true }
      const resolved = next(specifier, context)
      return resolved.url.endsWith(DISK) ? { ...resolved, url: SIMULATED_DISK } : resolved
    },
    load(url, context, next) {
      const loaded = next(url, context)
      if (!bug || !url.endsWith(bug.module)) return loaded
      return { ...loaded, source: withBug(textOf(loaded.source), bug) }
    }
  })
}
