// Gives each test file that a group imports a `test` of its own, `file-tests.ts`, in place of the one of ava, and servers in process the programs
// of the bundle, and snapshots and verifications without a process or thread. Ends the thread of the group after its tests.
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { registerCompletionHandler } from 'ava'
import { groupFolder, titleOf } from './groups.js'

const grouped = new Set<string>()
const groups = pathToFileURL(join(groupFolder, '/')).href
const build = new URL('../../', import.meta.url).href
const urlOf = (file: string): string => new URL(file, import.meta.url).href
/** Modules of servers, and what takes their place, which may import them. */
const replaced = new Map([
  [urlOf('../../events/program-files.js'), urlOf('./bundled-programs.js')],
  [urlOf('../../server/snapshots/child-process.js'), urlOf('./snapshots-in-thread.js')],
  [urlOf('../../http/routes/snapshot/start-verification.js'), urlOf('./verification-in-thread.js')]
])

/**
 * Returns true for a module whose address the specifier tells. Node would look for its file and its package, which takes a quarter of the
 * processor time of loading a server.
 */
const isComplete = (specifier: string, parentURL: string): boolean =>
  /^\.\.?\//.test(specifier) &&
  (specifier.endsWith('.mjs') || (specifier.endsWith('.js') && parentURL.startsWith(build)))

registerHooks({
  resolve: (specifier, context, next) => {
    const { parentURL = '' } = context
    if (specifier === 'ava' && grouped.has(parentURL)) {
      const url = new URL('./file-tests.js', import.meta.url)
      url.searchParams.set('file', titleOf(fileURLToPath(parentURL)))
      return { url: url.href, format: 'module', shortCircuit: true }
    }
    const resolved = isComplete(specifier, parentURL)
      ? { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
      : next(specifier, context)
    if (parentURL.startsWith(groups)) grouped.add(resolved.url)
    const url = replaced.get(resolved.url)
    return url === undefined || parentURL === url ? resolved : { ...resolved, url }
  }
})

// One connection that its peer never closes would keep the thread, and with it the whole run.
registerCompletionHandler(() => process.exit())
