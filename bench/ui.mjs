// Prints the Lighthouse scores of the UI, on a server with a thousand tokens and services.
// Usage: node bench/ui.mjs [--rounds N] [--lighthouse FOLDER]   (after a build; needs chromium-headless-shell)
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { usePinnedNode } from './pinned.mjs'
import { startBenched } from './server.mjs'
import { median } from './statistics.mjs'

usePinnedNode()

const BROWSER = '/usr/bin/chromium-headless-shell'
const VERSION = '13.5.0'
const RESOURCES = 1000
/** The target is 95 of 100 for the median of the rounds, since the machine is noisy. */
const CATEGORIES = ['performance', 'accessibility', 'best-practices']
const PAGES = ['/ui/', '/ui/tokens', '/ui/services']

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    lighthouse: { type: 'string', default: join(import.meta.dirname, '..') }
  }
})

const needs = (isThere, what) => {
  if (isThere) return
  console.error(what)
  process.exit(2)
}

/** Resolves a dependency of Lighthouse, or Lighthouse itself, which is too large to be a dependency of this program. */
const load = async name => {
  const found = createRequire(join(values.lighthouse, 'package.json'))
  return import(pathToFileURL(found.resolve(name)).href)
}
needs(existsSync(BROWSER), `${BROWSER} is missing: apt-get install chromium-headless-shell`)
needs(
  existsSync(join(values.lighthouse, 'node_modules/lighthouse')),
  `Lighthouse is missing: npm install --prefix /tmp/lighthouse lighthouse@${VERSION}, then node bench/ui.mjs --lighthouse /tmp/lighthouse`
)
const { default: lighthouse, desktopConfig } = await load('lighthouse')
const { default: puppeteer } = await load('puppeteer-core')

/** Creates tokens and services, so that lists are long. */
const fill = async ({ call, createTokens }) => {
  await createTokens(RESOURCES)
  for (let i = 0; i < RESOURCES; i++)
    await call('PUT', '/v1/catalog/register', {
      Node: `n${i % 10}`,
      Address: `10.0.0.${i % 10}`,
      Service: { ID: `web-${i}`, Service: `web-${i % 100}`, Port: 8000 + i },
      Check: { Name: 'http', ServiceID: `web-${i}`, Status: i % 50 === 0 ? 'critical' : 'passing' }
    })
}

/** Scores a page in a signed-in tab. */
const lookAt = async (browser, { base, root }, path, config) => {
  const page = await browser.newPage()
  await page.goto(`${base}/ui/`)
  await page.evaluate(secret => sessionStorage.setItem('annals-token', secret), root)
  const flags = { disableStorageReset: true, onlyCategories: CATEGORIES }
  const { lhr } = await lighthouse(base + path, flags, config, page)
  await page.close()
  return lhr
}

/** Titles of the audits that cost a page points. */
const faultsOf = ({ audits }) =>
  Object.values(audits)
    .filter(
      ({ score, scoreDisplayMode }) =>
        score !== null && score < 0.9 && ['binary', 'numeric'].includes(scoreDisplayMode)
    )
    .map(({ title }) => title)

const releases = []
const scope = { teardown: release => releases.unshift(release) }
try {
  const server = await startBenched(scope, {})
  await fill(server)
  const browser = await puppeteer.launch({
    executablePath: BROWSER,
    headless: 'shell',
    args: ['--no-sandbox']
  })
  releases.unshift(() => browser.close())
  console.log(`${'page'.padEnd(16)}${'as'.padEnd(10)}${CATEGORIES.join('  ')}`)
  for (const [as, config] of [
    ['phone', undefined],
    ['desktop', desktopConfig]
  ])
    for (const path of PAGES) {
      const seen = []
      for (let round = 0; round < Number(values.rounds); round++)
        seen.push(await lookAt(browser, server, path, config))
      const cells = CATEGORIES.map(name =>
        String(median(seen.map(({ categories }) => Math.round(categories[name].score * 100)))).padStart(
          name.length
        )
      )
      console.log(`${path.padEnd(16)}${as.padEnd(10)}${cells.join('  ')}`)
      for (const fault of new Set(seen.flatMap(faultsOf))) console.log(`  ${fault}`)
    }
} finally {
  for (const release of releases) await release()
}
