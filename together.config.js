// Runs all tests with fewer threads than files, as `npm run test:together` does: a file by itself is a thread of ava that loads the server and makes it
// warm, which costs more than most files' tests. Here a thread has some files, one after another (`test/support/together.ts`).
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import config from './ava.config.js'

const built = join(import.meta.dirname, 'dist')
const folder = join(built, 'together')

/** Most files of one thread. */
const MOST = 12

/** Have threads of their own: what takes long, and what needs hooks around its tests or waits while it is loaded. */
const APART = [
  'test/cluster/',
  'test/conformance/',
  'test/datacenters/',
  'test/deploy/',
  'test/docs/',
  'test/events/log.segments',
  'test/http/cli/evidence/tampering',
  'test/http/stream/delivery',
  'test/http/stream/wires/subscriber-pace',
  'test/shapes'
]
const isApart = file => APART.some(name => file.startsWith(name))

const all = ['test', 'examples']
  .flatMap(name => readdirSync(join(built, name), { recursive: true }).map(file => join(name, file)))
  .filter(file => file.endsWith('.test.js') && !file.startsWith(join('test', 'crash')))

/** In the order of their names, so that what needs the same is together, and every run has the same threads. */
const files = all.filter(file => !isApart(file)).toSorted()
const threads = Math.ceil(files.length / MOST)

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (let thread = 0; thread < threads; thread++) {
  const own = files.filter((_, place) => Math.floor((place * threads) / files.length) === thread)
  writeFileSync(join(folder, `${thread + 1}.test.js`), own.map(file => `import '../${file}'\n`).join(''))
}

export default {
  ...config,
  files: [
    'dist/together/*.test.js',
    ...all.filter(isApart).map(file => `dist/${file}`),
    ...config.files.filter(pattern => pattern.startsWith('!'))
  ],
  require: [...config.require, './dist/test/support/together.js']
}
