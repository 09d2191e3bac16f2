// Fails on an export of the sources that no other file imports.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import test from 'ava'
import { projectRoot } from './support/process.js'

const SOURCES = ['events', 'projections', 'actors', 'http', 'server', 'clients', 'library']
/** Modules that users of the packages import. */
const PUBLIC = [
  'library/index',
  'library/replay/index',
  'library/testing/index',
  'clients/typescript/typed/index'
]
/** Types that declarations of other modules name although those modules infer them. */
const INFERRED = [
  'actors/replication/replication.ts: Replicated',
  'actors/transaction/transaction.ts: TransactionOutcome',
  'clients/cli/remote/flags.ts: ArgumentDefinition',
  'events/config/fields/object.ts: Field'
]
const EVERYTHING = '*'

const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true })
    .filter(({ name }) => /\.(tsx?|mjs)$/.test(name))
    .map(entry => join(entry.parentPath, entry.name).slice(projectRoot.length + 1))

const namesIn = (list: string): readonly string[] =>
  list.split(',').flatMap(each => /^\s*(?:type\s+)?(\w+)/.exec(each)?.[1] ?? [])

const FROM = /^[ \t]*(?:import|export)\b([^'"`;]*?)\bfrom\s*'(\.[^']+)'/gm
const LATER =
  /(?:\{([^{}]*)\}\s*=\s*await\s+)?import\(\s*['"`](\.[^'"`]+)['"`]\s*\)(?:\)?\.(\w+)|, \{([^{}]*)\})?/g

/** Returns which names of which modules a file imports, as `module name`. */
function importsOf(path: string, code: string): readonly string[] {
  const moduleOf = (specifier: string): string =>
    normalize(join(dirname(path), specifier))
      .replace(/^dist\//, '')
      .replace(/\.(js|tsx?)$/, '')
  const early = [...code.matchAll(FROM)].flatMap(([, names = '', from = '']) => {
    const braces = /\{([^}]*)\}/.exec(names)?.[1]
    const all = braces === undefined || names.includes('*') ? [EVERYTHING] : namesIn(braces)
    return all.map(name => `${moduleOf(from)} ${name}`)
  })
  const late = [...code.matchAll(LATER)].flatMap(([, names, from = '', member, keys]) => {
    const list = names ?? keys
    const all = list === undefined ? [member ?? EVERYTHING] : namesIn(list)
    return all.map(name => `${moduleOf(from)} ${name}`)
  })
  return [...early, ...late]
}

const EXPORTED =
  /^export (?:declare |abstract |async )*(?:function\*?|class|const|let|interface|type|enum) (\w+)/gm

test('each export of the sources is imported by another file', t => {
  const files = [...SOURCES, 'test', 'bench', 'deploy'].flatMap(filesIn)
  const texts = new Map(files.map(path => [path, readFileSync(join(projectRoot, path), 'utf8')]))
  const used = new Set([...texts].flatMap(([path, code]) => importsOf(path, code)))
  const unused = [...texts]
    .filter(([path]) => SOURCES.includes(path.split('/')[0] ?? ''))
    .flatMap(([path, code]) => {
      const module = path.replace(/\.(tsx?|mjs)$/, '')
      if (PUBLIC.includes(module) || used.has(`${module} ${EVERYTHING}`) || /\.(mjs|d\.ts)$/.test(path))
        return []
      return [...code.matchAll(EXPORTED)]
        .map(([, name = '']) => name)
        .filter(name => !used.has(`${module} ${name}`))
        .map(name => `${path}: ${name}`)
    })
  t.true(used.size > files.length)
  t.deepEqual(
    unused.filter(each => !INFERRED.includes(each)),
    []
  )
})
