// The pages of the documentation: the site lists each of them, and every link and every mention leads to a page and a heading that exist.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { projectRoot } from './support/process.js'

interface Section {
  readonly items: readonly { readonly link: string }[]
}

const SOURCES = [
  'actors',
  'bench',
  'clients',
  'deploy',
  'docs',
  'events',
  'http',
  'library',
  'projections',
  'server',
  'test'
]
const ROOT_PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md']
const NOT_OURS = /node_modules|\.vitepress\/(cache|dist)|package-lock|conformance\/cases/

/** Returns the paths of files from the project's folder. */
const filesIn = (folder: string, ending: RegExp): string[] =>
  readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && ending.test(entry.name))
    .map(entry => relative(projectRoot, join(entry.parentPath, entry.name)))
    .filter(path => !NOT_OURS.test(path))

const pages = [...ROOT_PAGES, ...SOURCES.flatMap(folder => filesIn(folder, /\.md$/))]
/** Pages that a page of the API or of the project is generated from, and the start of the site. */
const isListed = (path: string): boolean =>
  !/^docs\/(api|cli|project|decisions)\/|^docs\/index\.md$/.test(path)

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8')

const textOf = (page: string): string => page.replaceAll(/^(`{3,})[^\n]*\n.*?^\1$/gms, '')

/** Returns what a heading is called in a link, where GitHub and the site agree. */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const anchorsOf = (path: string): Set<string> =>
  new Set([...textOf(read(path)).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)))

/** Returns the links of a page to files and headings, without those of code. */
const linksOf = (path: string): string[] =>
  [
    ...textOf(read(path))
      .replaceAll(/`[^`\n]*`/g, '')
      .matchAll(/\]\(([^)\s]+)\)/g)
  ]
    .map(([, target = '']) => target)
    .filter(target => !/^([a-z]+:|\/)/.test(target))

const problemOf = (path: string, link: string): string | undefined => {
  const [file = '', anchor] = link.split('#')
  const target = file === '' ? path : posix.join(dirname(path), file)
  if (!existsSync(join(projectRoot, target))) return `${path}: ${link} leads nowhere`
  if (anchor === undefined || !target.endsWith('.md')) return undefined
  return anchorsOf(target).has(anchor) ? undefined : `${path}: ${link} names no heading`
}

test('the table of contents names each page once, and no other', async t => {
  const { href } = pathToFileURL(join(projectRoot, 'docs/.vitepress/sections.mjs'))
  const { sections }: { readonly sections: readonly Section[] } = await import(href)
  const linked = sections.flatMap(({ items }) => items.map(({ link }) => `docs${link}.md`))
  const expected = pages.filter(path => path.startsWith('docs/') && isListed(path))
  t.deepEqual(linked.toSorted(), expected.toSorted())
})

test('every link leads to a file and to one of its headings', t => {
  t.true(pages.length > 100)
  const problems = pages.flatMap(path => linksOf(path).map(link => problemOf(path, link)))
  t.deepEqual(
    problems.filter(problem => problem !== undefined),
    []
  )
})

test('a link to a file or heading that does not exist is found', t => {
  t.is(problemOf('docs/index.md', 'absent.md'), 'docs/index.md: absent.md leads nowhere')
  t.is(
    problemOf('README.md', 'docs/benchmarks.md#absent'),
    'README.md: docs/benchmarks.md#absent names no heading'
  )
  t.is(problemOf('README.md', '#what-it-adds'), undefined)
})

/** Pages that are written to be read from the beginning to the end. */
const guides = pages.filter(path => /^docs\/(tutorials|how-to|explanation)\//.test(path))

test('tutorials, guides and explanations say their purpose first, are short, and lead on', t => {
  t.true(guides.length > 25)
  for (const path of guides.filter(each => each !== 'docs/explanation/glossary.md')) {
    const page = read(path)
    t.regex(page, /^# [^\n]+\n\n(In this tutorial you|This (guide|page)) /, path)
    t.regex(page, /^## Next steps$/m, path)
    const words = page.split(/\s+/).length
    t.true(words <= 1500, `${path} has ${words} words`)
  }
})

test('every page that sources and messages mention exists', t => {
  const sources = [
    ...ROOT_PAGES,
    ...SOURCES.flatMap(folder => filesIn(folder, /\.(md|m?ts|tsx|mjs|yaml|json|service)$/))
  ]
  const mentions = sources.flatMap(path =>
    [...read(path).matchAll(/(?<![\w./-])docs\/[\w/-]+\.md\b/g)].map(([page]) => ({ path, page }))
  )
  t.true(mentions.length > 50)
  t.deepEqual(
    mentions.filter(
      ({ path, page }) => path !== 'test/docs-site.test.ts' && !existsSync(join(projectRoot, page))
    ),
    []
  )
})
