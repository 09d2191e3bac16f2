// Keeps words of a private dialect out of the paths that are listed here, and checks the form of the glossary and of the decisions.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { projectRoot } from './support/process.js'

/** Files and folders without these words. */
const CLEAN_PATHS: readonly string[] = [
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
  'actors',
  'ava.config.js',
  'bench',
  'clients',
  'deploy',
  'docs/.vitepress',
  'docs/cli',
  'docs/decisions',
  'docs/explanation',
  'docs/how-to',
  'docs/index.md',
  'docs/project',
  'docs/reference',
  'docs/tutorials',
  'events',
  'http',
  'library',
  'projections',
  'server',
  'setup.mjs',
  'test'
]

/** Recorded answers of the reference, and the list of the words itself. */
const NOT_OURS: readonly string[] = ['test/conformance/cases/', 'test/language.test.ts']

/** Names in stored events, messages between versions, and the public API, with the files that contain them. */
const FIXED_TEXTS: readonly { readonly text: RegExp; readonly paths: readonly string[] }[] = [
  {
    text: /LetGo/g,
    paths: [
      'actors/processes/log-retention.ts',
      'actors/retention.ts',
      'events/retention.ts',
      'test/actors/processes/log-retention.test.ts',
      'test/http/routes/internal/log.test.ts'
    ]
  },
  {
    text: /Things/g,
    paths: [
      'server/cluster/replication/replication-feed.ts',
      'server/cluster/replication/replication-importer.ts',
      'server/cluster/replication/replication-messages.ts',
      'test/server/cluster/replication/feed.test.ts'
    ]
  },
  {
    text: /'thing'/g,
    paths: ['http/wire/idempotency/keyed-writes.ts', 'projections/acl/granted-permissions.ts']
  },
  { text: /ThingKey/g, paths: ['library/index.ts'] }
]

const DIALECT =
  /\b(told|anew|whoever|nobody|let(?:s|ting)?\s+go|go(?:es|ing)?\s+on|of\s+then|of\s+before|no\s+more|things?)\b/g
const TEXT_FILE = /\.(ts|tsx|mjs|css|md|peggy|sh|yaml|yml|json)$/

/** Separates the words of identifiers, and joins the lines of a comment. Every character keeps its line. */
const wordsOf = (text: string): string =>
  text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]/g, ' ')
    .replaceAll(/\n[ \t]*(?:\/\/+|\*|>)/g, '\n')
    .toLowerCase()

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length

const matchesIn = (text: string): readonly string[] => {
  const words = wordsOf(text)
  return [...words.matchAll(DIALECT)].map(
    ({ 0: match, index }) => `${lineOf(words, index)}: "${match.replaceAll(/\s+/g, ' ')}"`
  )
}

const filesIn = (path: string): readonly string[] =>
  statSync(join(projectRoot, path)).isFile()
    ? [path]
    : readdirSync(join(projectRoot, path), { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile() && TEXT_FILE.test(entry.name))
        .map(entry => join(entry.parentPath, entry.name).slice(projectRoot.length + 1))
        .filter(file => !file.includes('node_modules') && !NOT_OURS.some(other => file.startsWith(other)))

const readText = (path: string): string => readFileSync(join(projectRoot, path), 'utf8')

const withoutFixedTexts = (path: string): string =>
  FIXED_TEXTS.filter(({ paths }) => paths.includes(path)).reduce(
    (rest, { text }) => rest.replaceAll(text, ''),
    readText(path)
  )

for (const path of CLEAN_PATHS)
  test(`${path} contains no words of the private dialect`, t => {
    const files = filesIn(path)
    t.true(files.length > 0)
    const found = files.flatMap(file => [
      ...matchesIn(file).map(match => `${file}: name, ${match}`),
      ...matchesIn(withoutFixedTexts(file)).map(match => `${file}:${match}`)
    ])
    t.deepEqual(found, [])
  })

test('the check finds words in identifiers, file names, comments and across lines', t => {
  t.deepEqual(matchesIn('const toldToken = 1'), ['1: "told"'])
  t.deepEqual(matchesIn('http/thing-list.ts'), ['1: "thing"'])
  t.deepEqual(matchesIn('/**\n * A commit is let\n * go.\n */'), ['2: "let go"'])
  t.deepEqual(matchesIn('LET_GO'), ['1: "let go"'])
  t.deepEqual(matchesIn('something nothing anything'), [])
})

test('each exempt text occurs in its files', t => {
  const unused = FIXED_TEXTS.flatMap(({ text, paths }) =>
    paths.filter(path => readText(path).match(text) === null).map(path => `${path}: ${text.source}`)
  )
  t.deepEqual(unused, [])
})

test('each README of a folder has at most 60 lines', t => {
  const pages = CLEAN_PATHS.filter(path => !path.startsWith('docs') && !path.includes('.'))
    .flatMap(filesIn)
    .filter(path => path.endsWith('/README.md'))
  t.true(pages.length > 0)
  t.deepEqual(
    pages.filter(path => readText(path).trimEnd().split('\n').length > 60),
    []
  )
})

/** The cells of each row of the tables of a page, without their heads. */
const rowsOf = (page: string): readonly (readonly string[])[] =>
  page
    .split('\n')
    .filter(
      (line, at, lines) =>
        line.startsWith('| ') && !line.startsWith('| -') && lines[at + 1]?.startsWith('| -') !== true
    )
    .map(line =>
      line
        .slice(1, -1)
        .split('|')
        .map(cell => cell.trim())
    )

test('the glossary defines each term once, in one sentence, with its place', t => {
  const rows = rowsOf(readText('docs/explanation/glossary.md'))
  t.true(rows.length >= 80)
  const terms = rows.map(([term = '']) => term.toLowerCase())
  t.deepEqual(
    terms.filter((term, at) => terms.indexOf(term) !== at),
    []
  )
  for (const [term, definition = '', place = ''] of rows) {
    t.regex(definition, /^[A-Z].*[^.]\.$/, term)
    t.notRegex(definition, /\. [A-Z]/, term)
    t.not(place, '', term)
  }
})

test('each decision has context, decision and consequences in fewer than 200 words, and stands in the index', t => {
  const index = readText('docs/decisions/README.md')
  const files = readdirSync(join(projectRoot, 'docs/decisions')).filter(name => name !== 'README.md')
  t.is(rowsOf(index).length, files.length)
  for (const name of files) {
    const text = readText(`docs/decisions/${name}`)
    const [, number, title] = /^# (\d+)\. (.+)\n/.exec(text) ?? []
    t.is(number?.padStart(4, '0'), name.slice(0, 4), name)
    t.deepEqual(text.match(/^## .+$/gm), ['## Context', '## Decision', '## Consequences'], name)
    t.true(text.split(/\s+/).length < 200, name)
    t.true(index.includes(`[${title}](${name})`), name)
  }
})

test('each decision that code and documents cite exists', t => {
  const numbers = new Set(readdirSync(join(projectRoot, 'docs/decisions')).map(name => name.slice(0, 4)))
  const cited = [
    'actors',
    'events',
    'http',
    'projections',
    'library',
    'clients',
    'server',
    'bench',
    'deploy',
    'test',
    'docs'
  ]
    .flatMap(folder => filesIn(folder))
    .filter(file => /\.(ts|tsx|mjs|md)$/.test(file))
    .flatMap(file =>
      [...readText(file).matchAll(/decisions\/(\d{4})/g)].map(([, number]) => ({
        file,
        number: number ?? ''
      }))
    )
  t.true(cited.length > 0)
  t.deepEqual(
    cited.filter(({ number }) => !numbers.has(number)).map(({ file, number }) => `${file}: ${number}`),
    []
  )
})

/** Returns the paths of sources and folders that a page cites in backticks. */
const citedPaths = (page: string): readonly string[] =>
  Array.from(
    page.matchAll(
      /`((?:actors|bench|clients|deploy|events|http|library|projections|server|test)\/[\w./-]+)`/g
    ),
    ([, path = '']) => path.replace(/\/$/, '')
  )

test('each path of the sources that a page cites exists', t => {
  const pages = ['README.md', 'CONTRIBUTING.md', ...CLEAN_PATHS.concat('docs').flatMap(filesIn)].filter(
    path => path.endsWith('.md') && path !== 'test/README.md'
  )
  const cited = pages.flatMap(page => citedPaths(readText(page)).map(path => ({ page, path })))
  t.true(cited.length > 100)
  t.deepEqual(
    cited
      .filter(({ path }) => !existsSync(join(projectRoot, path)))
      .map(({ page, path }) => `${page}: ${path}`),
    []
  )
})
