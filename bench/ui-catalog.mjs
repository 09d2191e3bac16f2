// Measures the responsiveness of the catalog and key pages with long lists: at load, during changes, searches and scrolling.
// Usage: node bench/ui-catalog.mjs [--services N] [--nodes N] [--keys N] [--changes N] [--only WORD]   (after a build; needs chromium-headless-shell)
import { parseArgs } from 'node:util'
import { startServer, temporaryFolder } from '../dist/test/support/process.js'
import { scoped } from './measuring.mjs'
import { makeUiLog } from './ui-log.mjs'
import { go, launched, measured, number, opened, ROOT, scroll, send, shows } from './ui-page.mjs'

const { values } = parseArgs({
  options: {
    services: { type: 'string', default: '50000' },
    nodes: { type: 'string', default: '1000' },
    keys: { type: 'string', default: '100000' },
    changes: { type: 'string', default: '1000' },
    only: { type: 'string', default: '' }
  }
})
/** Half of the instances belong to one service, all others to services of their own. Half of them have a check. */
const [services, nodes, keys, changes] = ['services', 'nodes', 'keys', 'changes'].map(name =>
  Number(values[name])
)
const half = services / 2
const LARGE = 'large'
/** Operations of a transaction. */
const AT_ONCE = 50

const inTransactions = async (server, count, operationOf) => {
  for (let n = 0; n < count; n += AT_ONCE) {
    const operations = Array.from({ length: Math.min(AT_ONCE, count - n) }, (_, at) => operationOf(n + at))
    await send(server, 'PUT', '/v1/txn', operations)
  }
}

const setKey = n => ({
  KV: { Verb: 'set', Key: `folder/key-${String((n * 7919) % 1_000_003).padStart(7, '0')}`, Value: 'eA==' }
})

/** Services and their checks in turn, with another check status each time. */
const changed = (server, round) =>
  inTransactions(server, changes, n => {
    const Node = `node-${n % nodes}`
    const ID = `new-${round}-${n >> 1}`
    return n % 2 === 0
      ? { Service: { Verb: 'set', Node, Service: { ID, Service: n % 4 === 0 ? LARGE : ID, Port: 80 } } }
      : { Check: { Verb: 'set', Check: { Node, CheckID: `${ID}-check`, Name: ID, Status: 'warning' } } }
  })

const CATALOG = [
  { path: '/ui/services', what: 'services', label: 'Services', count: half + 1, text: 'service-4711' },
  { path: '/ui/nodes', what: 'nodes', label: 'Nodes', count: nodes, text: 'node-471' },
  { path: '/ui/checks', what: 'checks', label: 'Checks', count: half, text: 'service 4711' },
  {
    path: `/ui/service/one?name=${LARGE}&ns=default&partition=default`,
    what: 'instances',
    label: 'Instances',
    count: half,
    text: 'service-4711'
  }
]

const pageOf = async (browser, server, { path, what, label, count, text }, change) => {
  const page = await opened(browser, server, '/ui/sign-in')
  await measured(page, server, `${number(count)} ${what}: load`, async () => {
    await go(page, path)
    await shows(page, new RegExp(`^[\\d,]+ ${what}$`))
  })
  if (change)
    await measured(page, server, `${number(changes)} changes`, async () => {
      const answers = await change()
      await shows(page, answers)
    })
  await measured(page, server, 'search, a letter at a time', async () => {
    const search = page.getByLabel(`Search in ${label}`)
    await search.pressSequentially(text, { delay: 60 })
    await shows(page, new RegExp(`^[\\d,]+ (of [\\d,]+ ${what}|found among [\\d,]+ keys)$`))
    await search.fill('')
    await shows(page, new RegExp(`^[\\d,]+ ${what}$`))
  })
  await measured(page, server, 'scroll through all', () => scroll(page))
  await page.close()
}

await scoped(async scope => {
  const dataDir = temporaryFolder(scope)
  const nameOf = n => (n % 2 === 0 ? LARGE : `service-${n}`)
  await makeUiLog(dataDir, { services, checks: half, onNode: services / nodes, nameOf })
  const server = await startServer(scope, { dataDir, initialManagement: ROOT })
  const browser = await launched(scope)
  const isWanted = ({ what }) => what.includes(values.only)
  for (const [round, listed] of CATALOG.entries()) {
    if (!isWanted(listed)) continue
    await pageOf(browser, server, listed, async () => {
      await changed(server, round)
      // The last write becomes visible last.
      await send(server, 'PUT', '/v1/catalog/register', {
        Node: `!last-${round}`,
        Address: '10.0.0.1',
        Service: { ID: `!last-${round}`, Service: listed.what === 'instances' ? LARGE : `!last-${round}` },
        Check: { CheckID: `!last-${round}`, Name: `!last-${round}`, Status: 'critical' }
      })
      return `!last-${round}`
    })
  }
  const folder = {
    path: '/ui/keys?under=folder/',
    what: 'keys and folders in folder/',
    label: 'Keys',
    count: keys,
    text: '0004711'
  }
  if (!isWanted(folder)) return
  await inTransactions(server, keys, setKey)
  await pageOf(browser, server, folder)
})
