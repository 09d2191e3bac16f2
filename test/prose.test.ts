// The texts that people read: sentences of at most 25 words, and the terms of the glossary. Passive voice is a warning.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { helpTexts, uiTexts, type Text } from './support/interface-texts.js'
import { lintProse, MOST_WORDS, TERMS } from './support/prose.js'
import { projectRoot } from './support/process.js'

const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md']
const FOLDERS = ['tutorials', 'how-to', 'reference', 'explanation']
/** Made of declarations of the program: the help of `annals serve`, which is checked, has the texts of the settings. */
const GENERATED = new Set([
  'docs/reference/endpoints.md',
  'docs/reference/metrics.md',
  'docs/reference/settings.md'
])

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8')

const pages: readonly Text[] = [
  ...PAGES,
  ...FOLDERS.flatMap(folder =>
    readdirSync(join(projectRoot, 'docs', folder)).map(name => `docs/${folder}/${name}`)
  )
]
  .filter(path => !GENERATED.has(path))
  .map(path => ({ path, text: read(path) }))

/** Checks the texts of each path together, and logs how often they use passive voice. */
const check = async (t: ExecutionContext, texts: readonly Text[]): Promise<void> => {
  const byPath = new Map<string, string>()
  for (const { path, text } of texts) byPath.set(path, `${byPath.get(path) ?? ''}\n\n${text}`)
  const found: string[] = []
  let passives = 0
  for (const [path, text] of byPath) {
    const prose = await lintProse(path, text)
    found.push(...prose.problems)
    passives += prose.passives
  }
  t.log(`warning: passive voice ${passives} times`)
  t.deepEqual(found, [])
}

test('the documentation has short sentences and the terms of the glossary', async t => {
  t.true(pages.length > 50)
  await check(t, pages)
})

test('a long sentence is found, also in a table, and so is a word for which there is a term', async t => {
  const long = Array.from({ length: MOST_WORDS + 1 }, () => 'word').join(' ')
  for (const text of [`${long}.`, `| One | Two |\n| --- | --- |\n| a | ${long}. |`])
    t.is((await lintProse('page', text)).problems.length, 1, text)
  t.regex(
    String((await lintProse('page', 'The data center has a web hook.')).problems),
    /datacenter.*webhook/
  )
  t.deepEqual(await lintProse('page', 'The server stores the key.'), { problems: [], passives: 0 })
  t.is((await lintProse('page', 'The key was stored by the server.')).passives, 1)
})

test('the help of the command line', async t => {
  const texts = await helpTexts({ env: {}, in: process.stdin, out: process.stdout, err: process.stderr })
  t.true(texts.length > 300)
  await check(t, texts)
})

test('the web UI', async t => {
  const texts = uiTexts()
  t.true(texts.length > 300)
  await check(t, texts)
})

test('each term that the rules prefer is one of the glossary', t => {
  const glossary = read('docs/explanation/glossary.md').toLowerCase()
  for (const [, term] of TERMS) t.true(glossary.includes(`| ${term} `), term)
})
