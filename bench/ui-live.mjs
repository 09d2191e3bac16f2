// Measures the responsiveness of the UI with long lists and many events, and the delay until a write is visible.
// Usage: node bench/ui-live.mjs [--tokens N] [--services N] [--seconds S] [--writes N]   (after a build; needs chromium-headless-shell)
import { parseArgs } from 'node:util'
import { startServer, temporaryFolder } from '../dist/test/support/process.js'
import { scoped } from './measuring.mjs'
import { percentile } from './statistics.mjs'
import { makeUiLog } from './ui-log.mjs'
import { go, launched, measured, number, opened, ROOT, scroll, send, shows } from './ui-page.mjs'

const { values } = parseArgs({
  options: {
    tokens: { type: 'string', default: '100000' },
    services: { type: 'string', default: '50000' },
    seconds: { type: 'string', default: '20' },
    writes: { type: 'string', default: '100' }
  }
})
const [tokens, services, seconds, writes] = ['tokens', 'services', 'seconds', 'writes'].map(name =>
  Number(values[name])
)
/** Events per transaction, and transactions per second. */
const EVENTS = 10
const RATE = 100
const SEEN = 200

const lists = async (browser, server) => {
  for (const [path, count, what] of [
    ['/ui/tokens', tokens, 'tokens'],
    ['/ui/services', services, 'services']
  ]) {
    const page = await opened(browser, server, '/ui/sign-in')
    await measured(page, server, `${number(count)} ${what}: load`, async () => {
      await go(page, path)
      await shows(page, new RegExp(`^\\d+,\\d+ ${what}$`))
    })
    if (what === 'tokens') await rows(page, server)
    await page.close()
  }
}

const rows = async (page, server) => {
  const search = page.getByLabel('Search in Tokens')
  await measured(page, server, 'search, a letter at a time', async () => {
    await search.pressSequentially('service 4711', { delay: 60 })
    await shows(page, /^\d+ of \d+,\d+ tokens$/)
    await page
      .getByRole('gridcell', { name: /service 4711,/ })
      .first()
      .waitFor()
    await search.fill('')
    await shows(page, /^\d+,\d+ tokens$/)
  })
  // The list is sorted by its first column, the description; another click reverses it.
  const orders = [
    ['Description', /Initial Management Token/],
    ['Description', /Anonymous Token/],
    ['Policies', /Anonymous Token/],
    ['Policies', /policy-9/]
  ]
  await measured(page, server, 'sort by two columns, both ways', async () => {
    for (const [title, first] of orders) {
      await page.getByRole('columnheader', { name: title }).getByRole('button').click()
      await page.locator('.body .row[aria-rowindex="2"]', { hasText: first }).waitFor()
    }
  })
  await measured(page, server, 'scroll through all', () => scroll(page))
  await seen(page, server)
}

/** Measures the delay from the response to a write until the page shows it among all other rows. */
const seen = async (page, server) => {
  await page.getByRole('columnheader', { name: 'Description' }).getByRole('button').click()
  await page.locator('[aria-sort=ascending]', { hasText: 'Description' }).waitFor()
  const times = []
  await measured(page, server, `${writes} tokens written`, async () => {
    for (let n = writes; n > 0; n--) {
      const text = `!written ${String(n).padStart(6, '0')}`
      const shown = page.evaluate(
        wanted =>
          new Promise(resolve => {
            const look = () => {
              if (!document.querySelector('.rows').textContent.includes(wanted)) return
              observer.disconnect()
              resolve(performance.timeOrigin + performance.now())
            }
            const observer = new MutationObserver(look)
            observer.observe(document.querySelector('.rows'), {
              subtree: true,
              childList: true,
              characterData: true
            })
          }),
        text
      )
      await send(server, 'PUT', '/v1/acl/token', { Description: text })
      const acknowledged = performance.timeOrigin + performance.now()
      times.push(Math.max(0, (await shown) - acknowledged))
    }
    times.sort((one, other) => one - other)
    const [p50, p99] = [0.5, 0.99].map(share => percentile(times, share))
    const verdict = p99 > SEEN ? 'NOT reached' : 'reached'
    return `seen after the answer: p50 ${number(p50)}, p99 ${number(p99)} ms (target <= ${SEEN}: ${verdict})`
  })
}

const events = async (browser, server) => {
  const page = await opened(browser, server, '/ui/events')
  await shows(page, /^[\d,]+ events/)
  await measured(page, server, `${number(EVENTS * RATE)} events/s, ${seconds} s`, async () => {
    const begin = performance.now()
    const sent = []
    for (let n = 0; n < seconds * RATE; n++) {
      const wait = begin + (n * 1000) / RATE - performance.now()
      if (wait > 0) await new Promise(resolve => void setTimeout(resolve, wait))
      const operations = Array.from({ length: EVENTS }, (_, at) => ({
        KV: {
          Verb: 'set',
          Key: `load/${(n * EVENTS + at) % 1000}`,
          Value: Buffer.from(String(n)).toString('base64')
        }
      }))
      sent.push(send(server, 'PUT', '/v1/txn', operations))
    }
    await Promise.all(sent)
    const answers = performance.now() - begin
    const last = (await send(server, 'GET', '/v1/kv/load/999')).headers.get('X-Service-Index')
    await page
      .getByRole('button', { name: new RegExp(`^Open event ${last}:`) })
      .first()
      .waitFor()
    return `${number((seconds * RATE * EVENTS * 1000) / answers)} events/s were answered; the page says: ${await page.getByRole('status').first().innerText()}`
  })
  await page.close()
}

await scoped(async scope => {
  const dataDir = temporaryFolder(scope)
  await makeUiLog(dataDir, { tokens, services })
  const server = await startServer(scope, { dataDir, initialManagement: ROOT })
  const browser = await launched(scope)
  await lists(browser, server)
  await events(browser, server)
})
