// Prints structural figures of the sources. Usage: node bench/structure.mjs [--chain] [--trace]
// Lines and files of the sources, files of `http/`, the longest chain of value imports, circular imports,
// constructor parameters that are assigned to fields, and words of the private dialect. --chain prints that chain; --trace counts the
// calls of single requests, as bench/trace.mjs does.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const root = join(import.meta.dirname, '..')
const FOLDERS = ['events', 'projections', 'actors', 'http', 'server', 'clients', 'library']

const filesIn = (folder, endings) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && endings.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter(path => !path.includes('node_modules'))

const read = path => readFileSync(join(root, path), 'utf8')
/** The words that the language test rejects. */
const [, pattern] = /const DIALECT =\s*\/(.+)\/g/.exec(read('test/language.test.ts'))
const DIALECT = new RegExp(pattern, 'g')
const sources = FOLDERS.flatMap(folder => filesIn(folder, /\.(ts|tsx|css|mjs)$/))
const lines = sources.reduce((sum, path) => sum + read(path).split('\n').length - 1, 0)

/** The imports of each source: by value, by type, or dynamic. */
const IMPORT =
  /^[ \t]*(?:import|export)(\s+type)?\b[^'"`;]*?\bfrom\s*'(\.[^']+)'|^import\s*'(\.[^']+)'|\bimport\(\s*'(\.[^']+)'\s*\)/gm
const known = new Set(sources)
const imports = new Map(
  sources.map(path => {
    const found = [...read(path).matchAll(IMPORT)].flatMap(([, isType, from, bare, late]) => {
      const stem = normalize(join(dirname(path), from ?? bare ?? late)).replace(/\.(js|tsx?)$/, '')
      const target = [`${stem}.ts`, `${stem}.tsx`].find(each => known.has(each))
      return target === undefined ? [] : [{ target, isValue: isType === undefined && late === undefined }]
    })
    return [path, found]
  })
)

const longest = new Map()
const chainFrom = path => {
  const measured = longest.get(path)
  if (measured !== undefined) return measured
  longest.set(path, [path])
  const below = imports.get(path).filter(({ isValue }) => isValue)
  const chain = below
    .map(({ target }) => chainFrom(target))
    .reduce((a, b) => (b.length > a.length ? b : a), [])
  longest.set(path, [path, ...chain])
  return longest.get(path)
}
const chain = sources.map(chainFrom).reduce((a, b) => (b.length > a.length ? b : a), [])

/** Returns true if a source imports itself through others, types included. */
const isCircular = path => {
  const reached = new Set()
  const open = imports.get(path).map(({ target }) => target)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === path) return true
    if (reached.has(next)) continue
    reached.add(next)
    open.push(...imports.get(next).map(({ target }) => target))
  }
  return false
}

const wordsOf = text =>
  text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]/g, ' ')
    .replaceAll(/\n[ \t]*(?:\/\/+|\*|>)/g, '\n')
    .toLowerCase()
const dialectIn = paths =>
  paths.reduce((sum, path) => sum + (wordsOf(read(path)).match(DIALECT)?.length ?? 0), 0)
/** Returns the constructor parameters that are only assigned to a field. */
const copiesIn = text =>
  [
    ...text.matchAll(/^ {2}constructor\((?<parameters>(?:(?!\) \{\})[^])*?)\) \{\n(?<body>[^]*?)^ {2}\}$/gm)
  ].flatMap(({ groups }) =>
    [...groups.body.matchAll(/^ {4}this\.#?\w+ = (\w+)$/gm)].filter(([, name]) =>
      new RegExp(`(^|[\\s(])${name}\\??:`).test(groups.parameters.replaceAll(/\{[^}]*\}/g, ''))
    )
  )
const copies = sources.reduce((sum, path) => sum + copiesIn(read(path)).length, 0)

const rows = [
  ['source lines', lines],
  ['source files', sources.length],
  ['.ts and .tsx files in http/', sources.filter(path => /^http\/.*\.tsx?$/.test(path)).length],
  ['longest chain of value imports', chain.length],
  ['sources in circular imports', sources.filter(isCircular).length],
  ['constructor parameters copied by hand', copies],
  [
    'words of the dialect in sources and READMEs',
    dialectIn([...sources, ...FOLDERS.flatMap(folder => filesIn(folder, /\.md$/))])
  ],
  ['words of the dialect in docs', dialectIn(filesIn('docs', /\.md$/))]
]
for (const [name, value] of rows) console.log(`${name.padEnd(46)} ${String(value).padStart(7)}`)
if (process.argv.includes('--chain')) console.log(chain.join('\n'))
if (process.argv.includes('--trace')) await import('./trace.mjs')
