// Bundles the server and the command line into `program`, where few files load faster than some 2,000 modules. The modules are those that tsc
// emitted, since only it emits the metadata of decorators. Chunks that no command needs at its start are loaded when they are used.
import { existsSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { rolldown } from 'rolldown'
import { PACKAGE_FOLDER, PROGRAMS } from '../dist/events/program-files.js'

const build = join(PACKAGE_FOLDER, 'dist')

/** Loads a module with the source map of tsc beside it, so that stack traces name lines of TypeScript. */
const loadWithMap = {
  name: 'source maps of the build',
  load(id) {
    if (!id.startsWith(build + sep) || !existsSync(`${id}.map`)) return null
    return { code: readFileSync(id, 'utf8'), map: JSON.parse(readFileSync(`${id}.map`, 'utf8')) }
  }
}

const bundle = await rolldown({
  input: Object.fromEntries(
    Object.values(PROGRAMS).map(path => [path.replace(/\.js$/, ''), join(build, path)])
  ),
  platform: 'node',
  // Binaries of a platform, and what is installed for tracing alone.
  external: ['fs-native-extensions', /^@opentelemetry\//],
  plugins: [loadWithMap],
  onLog: (_level, { message }) => {
    throw new Error(message)
  }
})
await bundle.write({
  dir: join(PACKAGE_FOLDER, 'program'),
  cleanDir: true,
  entryFileNames: '[name].js',
  // One folder below `program`, as `events/program-files.ts` expects.
  chunkFileNames: 'chunks/[name].js',
  sourcemap: true,
  sourcemapExcludeSources: true,
  // Code recognizes errors by the names of their classes.
  keepNames: true,
  // Decorators need reflect-metadata, and modules of different chunks would otherwise run in the order of the chunks.
  strictExecutionOrder: true
})
