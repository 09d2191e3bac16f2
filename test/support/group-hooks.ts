// Gives each test file that a group imports a `test` of its own, `file-tests.ts`, in place of the one of ava, and servers the programs of the
// bundle. Ends the thread of the group after its tests.
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { registerCompletionHandler } from 'ava'
import { groupFolder, titleOf } from './groups.js'

const grouped = new Set<string>()
const groups = pathToFileURL(join(groupFolder, '/')).href
const programs = new URL('../../events/program-files.js', import.meta.url).href
const bundled = new URL('./bundled-programs.js', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) => {
    const { parentURL = '' } = context
    if (specifier === 'ava' && grouped.has(parentURL)) {
      const url = new URL('./file-tests.js', import.meta.url)
      url.searchParams.set('file', titleOf(fileURLToPath(parentURL)))
      return { url: url.href, format: 'module', shortCircuit: true }
    }
    const resolved = next(specifier, context)
    if (parentURL.startsWith(groups)) grouped.add(resolved.url)
    return resolved.url === programs && parentURL !== bundled ? { ...resolved, url: bundled } : resolved
  }
})

// One connection that its peer never closes would keep the thread, and with it the whole run.
registerCompletionHandler(() => process.exit())
