// Lets many test files be one thread of ava, where `together.config.js` has made a file that imports them: each gets the `test` of
// `own-test.ts` for that of ava.
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { projectRoot } from './process.js'

const built = pathToFileURL(join(projectRoot, 'dist/')).href
const ownTest = new URL('own-test.js', import.meta.url).href

if (test.meta.file.startsWith(`${built}together/`))
  registerHooks({
    resolve(specifier, context, next) {
      const from = context.parentURL ?? ''
      if (specifier !== 'ava' || !from.startsWith(built) || from.startsWith(ownTest))
        return next(specifier, context)
      const file = from
        .slice(built.length)
        .replace(/^test\//, '')
        .replace(/(\.test)?\.js$/, '')
      return { url: `${ownTest}?of=${file}`, shortCircuit: true }
    }
  })
