// Bundles the server and the command line into `program`, where few files load faster than some 2,000 modules. The modules are those that tsc
// emitted, since only it emits the metadata of decorators. Chunks that no command needs at its start are loaded when they are used.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { rolldown } from 'rolldown'
import { PACKAGE_FOLDER, PROGRAMS } from '../dist/events/program-files.js'

const build = join(PACKAGE_FOLDER, 'dist')
/** What other programs import. */
const LIBRARY = ['library/index.js', 'library/replay/index.js', 'library/testing/index.js']

/** Loads a module with the source map of tsc beside it, so that stack traces name lines of TypeScript. */
const loadWithMap = {
  name: 'source maps of the build',
  load(id) {
    if (!id.startsWith(build + sep) || !existsSync(`${id}.map`)) return null
    return { code: readFileSync(id, 'utf8'), map: JSON.parse(readFileSync(`${id}.map`, 'utf8')) }
  }
}

/**
 * Reads `node:http` without its namespace. To create that, Node gets each export, and some of them load undici, which takes longer than the rest
 * of `node:http`.
 */
const httpWithoutNamespace = {
  name: 'node:http without its namespace',
  resolveId: source => (/^(node:)?http$/.test(source) ? '\0http' : null),
  load: id => (id === '\0http' ? `module.exports = process.getBuiltinModule('node:http')` : null)
}

const bundle = await rolldown({
  input: Object.fromEntries(
    [...Object.values(PROGRAMS), ...LIBRARY].map(path => [path.replace(/\.js$/, ''), join(build, path)])
  ),
  platform: 'node',
  // Binaries of a platform, and packages for tracing alone, other than that of the metrics.
  external: ['fs-native-extensions', /^@opentelemetry\/(?!api$)/],
  plugins: [loadWithMap, httpWithoutNamespace],
  onLog: (_level, { message }) => {
    throw new Error(message)
  }
})
const { output } = await bundle.write({
  dir: join(PACKAGE_FOLDER, 'program'),
  cleanDir: true,
  entryFileNames: '[name].js',
  // One folder below `program`, as `events/program-files.ts` expects.
  chunkFileNames: 'chunks/[name].js',
  sourcemap: true,
  sourcemapExcludeSources: true,
  // Two fifths of the command line's parser are comments.
  comments: { jsdoc: false },
  // Code recognizes errors by the names of their classes.
  keepNames: true,
  // Decorators need reflect-metadata, and modules of different chunks would otherwise run in the order of the chunks.
  strictExecutionOrder: true
})

/** Returns the folder of the package that a module belongs to; undefined for modules of Annals and of rolldown. */
const packageOf = id => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0]

const packages = new Set(output.flatMap(({ modules = {} }) => Object.keys(modules).map(packageOf)))
packages.delete(undefined)
/** Name, version and license text of a package in the bundle, since many licenses demand their text in copies. */
const licenseOf = folder => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find(each => /^licen[sc]e/i.test(each))
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  return `${name}@${version} (${license})\n${text}`
}
const rule = `\n${'-'.repeat(80)}\n\n`
writeFileSync(
  join(PACKAGE_FOLDER, 'program/LICENSES.txt'),
  [...packages]
    .toSorted((one, other) => (one < other ? -1 : 1))
    .map(licenseOf)
    .join(rule)
)
