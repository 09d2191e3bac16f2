// Keeps words of a private dialect out of the paths that are listed here, and checks the form of the glossary and of the decisions.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { projectRoot } from './support/process.js'

/** Files and folders without these words. Add a path after cleaning it. */
const CLEAN_PATHS: readonly string[] = [
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
  'actors',
  'ava.config.js',
  'bench',
  'clients/cli',
  'clients/typescript',
  'deploy/README.md',
  'deploy/bundle.mjs',
  'deploy/compose',
  'deploy/kubernetes',
  'docs/.vitepress/config.mjs',
  'docs/.vitepress/sections.mjs',
  'docs/decisions',
  'docs/glossary.md',
  'events/README.md',
  'library/examples',
  'http/README.md',
  'server/settings/hcl',
  'server/telemetry/logging',
  'http/openapi',
  'http/initial-resources.ts',
  'http/stream',
  'http/webhooks',
  'http/wire/reads',
  'http/wire/sockets',
  'http/wire/tls',
  'library/README.md',
  'projections/README.md',
  'projections/catalog',
  'projections/chain',
  'projections/sessions',
  'projections/tenancy',
  'test/README.md',
  'test/actors',
  'test/bench',
  'test/clients/cli',
  'test/clients/typescript',
  'test/conformance/conformance.test.ts',
  'test/deploy',
  'test/crash',
  'test/docs',
  'test/events/evidence',
  'test/http/pages',
  'test/http/stream',
  'test/http/tenancy',
  'test/http/webhooks',
  'test/http/wire',
  'test/http/routes/acl/oidc/README.md',
  'test/library',
  'test/projections/kv',
  'test/projections/language',
  'test/releases'
]

/** Texts that the API contract fixes although they contain such a word, with the file that contains them. */
const CONTRACT_TEXTS: readonly { readonly path: string; readonly text: string }[] = [
  { path: 'actors/retention.ts', text: 'LetGo' },
  { path: 'actors/processes/log-retention.ts', text: 'LetGo' },
  { path: 'test/actors/processes/log-retention.test.ts', text: 'LetGo' }
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

const readText = (path: string): string => readFileSync(join(projectRoot, path), 'utf8')

const withoutContractTexts = (path: string): string =>
  CONTRACT_TEXTS.filter(exempt => exempt.path === path).reduce(
    (rest, { text }) => rest.replaceAll(text, ''),
    readText(path)
  )

for (const path of CLEAN_PATHS)
  test(`${path} contains no words of the private dialect`, t => {
    const files = filesIn(path)
    t.true(files.length > 0)
    const found = files.flatMap(file => [
      ...matchesIn(file).map(match => `${file}: name, ${match}`),
      ...matchesIn(withoutContractTexts(file)).map(match => `${file}:${match}`)
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

test('each exempt contract text occurs in its file', t => {
  t.deepEqual(
    CONTRACT_TEXTS.filter(({ path, text }) => !readText(path).includes(text)),
    []
  )
})

test('each README of a folder has at most 60 lines', t => {
  const pages = CLEAN_PATHS.filter(path => path.endsWith('/README.md')).concat(
    'bench/README.md',
    'clients/typescript/README.md'
  )
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
  const rows = rowsOf(readText('docs/glossary.md'))
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
