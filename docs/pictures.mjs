// Takes the pictures of the pages that README.md and docs/reference/ui.md show, of a server of its own with a small scene in it.
// Usage: node docs/pictures.mjs   (after a build; needs chromium-headless-shell)
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { usePinnedNode } from '../bench/pinned.mjs'
import { startBenched } from '../bench/server.mjs'
import { send } from '../dist/test/support/client.js'

usePinnedNode()

const BROWSER = '/usr/bin/chromium-headless-shell'
const FOLDER = join(import.meta.dirname, 'pictures')
const SIZE = { width: 1100, height: 620 }
const COMMITS = /^[1-9]\d* commits in the last hour/
const PHONE = { width: 390, height: 844 }

/** Says what is done to a server, by whom and why. */
const actor = (base, token) => async (method, path, body, reason) => {
  const headers = reason === undefined ? {} : { 'X-Service-Reason': reason }
  const { status, text } = await send(base, method, `/v1/${path}`, { token, body, headers })
  if (status !== 200) throw new Error(`${method} ${path} was answered ${status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

const POLICIES = {
  'shop-deploy':
    'service_prefix "shop-" {\n  policy = "write"\n}\nkey_prefix "shop/" {\n  policy = "write"\n}\nnode_prefix "" {\n  policy = "read"\n}',
  'config-write': 'operator = "write"\nservice_prefix "" {\n  policy = "write"\n  intentions = "write"\n}',
  'catalog-read': 'service_prefix "" {\n  policy = "read"\n}\nnode_prefix "" {\n  policy = "read"\n}'
}

const SERVICES = [
  { name: 'shop-web', port: 8080, versions: ['v1', 'v1', 'v2'] },
  { name: 'shop-cart', port: 8081, versions: ['v1', 'v1'] },
  { name: 'shop-payments', port: 8082, versions: ['v3', 'v3'] },
  { name: 'mail', port: 25, versions: ['relay'] }
]

/** A shop in the middle of a working day. @returns the token of who deploys it */
const play = async ({ base, root }) => {
  const operator = actor(base, root)
  for (const [Name, Rules] of Object.entries(POLICIES)) await operator('PUT', 'acl/policy', { Name, Rules })
  await operator('PUT', 'acl/role', {
    Name: 'shop-team',
    Policies: [{ Name: 'shop-deploy' }, { Name: 'catalog-read' }]
  })
  const token = body => operator('PUT', 'acl/token', body, 'OPS-118')
  const deploy = await token({
    Description: 'Deploys the shop',
    Roles: [{ Name: 'shop-team' }],
    ServiceIdentities: [{ ServiceName: 'shop-web' }]
  })
  const mesh = await token({ Description: 'Mesh of the shop', Policies: [{ Name: 'config-write' }] })
  let host = 0
  for (const { name, port, versions } of SERVICES)
    for (const [at, version] of versions.entries()) {
      const ID = `${name}-${at + 1}`
      host += 1
      const isDown = ID === 'shop-cart-2'
      await operator('PUT', 'catalog/register', {
        Node: `host-${host}`,
        Address: `10.20.0.${host}`,
        Service: { ID, Service: name, Port: port, Tags: [version], Meta: { version } },
        Checks: [
          {
            Name: 'HTTP GET /health',
            ServiceID: ID,
            Status: isDown ? 'critical' : 'passing',
            Output: isDown ? 'connection refused' : 'HTTP GET: 200 OK'
          }
        ]
      })
    }
  const configure = actor(base, mesh.SecretID)
  const entry = (body, reason) => configure('PUT', 'config', body, reason)
  await entry({ Kind: 'service-defaults', Name: 'shop-web', Protocol: 'http' })
  await entry({
    Kind: 'service-resolver',
    Name: 'shop-web',
    DefaultSubset: 'v1',
    Subsets: { v1: { Filter: 'Service.Meta.version == v1' }, v2: { Filter: 'Service.Meta.version == v2' } }
  })
  const split = weight => ({
    Kind: 'service-splitter',
    Name: 'shop-web',
    Splits: [
      { Weight: 100 - weight, ServiceSubset: 'v1' },
      { Weight: weight, ServiceSubset: 'v2' }
    ]
  })
  await entry(split(1), 'SHOP-411: first users of v2')
  const write = actor(base, deploy.SecretID)
  await write('PUT', 'kv/shop/web/banner', 'Free shipping until Friday', 'SHOP-402')
  await write('PUT', 'kv/shop/web/max-connections', '400')
  await write('PUT', 'kv/shop/web/max-connections', '600', 'SHOP-409: timeouts at noon')
  await entry(split(10), 'SHOP-411: no errors for an hour')
  await write('PUT', 'kv/shop/web/banner', 'Free shipping until Sunday', 'SHOP-412')
  return deploy
}

const releases = []
const scope = { teardown: release => releases.unshift(release) }
try {
  const server = await startBenched(scope, {})
  const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] })
  releases.unshift(() => browser.close())
  const { AccessorID } = await play(server)
  /** @param ready something that is there when all is shown @param prepare what is pressed before the picture */
  const take = async (name, path, colorScheme, ready, viewport = SIZE) => {
    const context = await browser.newContext({
      viewport,
      colorScheme,
      locale: 'en-GB',
      timezoneId: 'UTC'
    })
    const page = await context.newPage()
    await page.goto(`${server.base}/ui/`)
    await page.evaluate(secret => sessionStorage.setItem('annals-token', secret), server.root)
    await page.goto(server.base + path)
    await ready(page)
    await page.screenshot({ path: join(FOLDER, `${name}.png`) })
    await context.close()
  }
  await take('events', '/ui/events', 'light', async page => {
    // What was before the page is told by the server, from the first commit on.
    await page.getByLabel('From').fill('1')
    await page.getByLabel('From').press('Enter')
    await page.getByText('shop/web/banner').first().waitFor()
  })
  await take(
    'service',
    '/ui/service/one?name=shop-web&ns=default&partition=default&view=chain',
    'dark',
    page => page.getByRole('group', { name: 'Discovery chain' }).waitFor()
  )
  const token = `/ui/tokens/one?key=${AccessorID}&ns=default&partition=default`
  await take('token', `${token}&tab=permissions`, 'light', page =>
    // This stands below the permissions, which come into view with it.
    page.getByRole('heading', { name: 'Test a permission' }).scrollIntoViewIfNeeded()
  )
  const shows = text => page => page.getByText(text).first().waitFor()
  const key = '/ui/keys/one?key=shop%2Fweb%2Fmax-connections&ns=default&partition=default'
  await take('overview', '/ui/', 'light', shows(COMMITS))
  await take('overview-dark', '/ui/', 'dark', shows(COMMITS))
  await take('overview-phone', '/ui/', 'light', shows(COMMITS), PHONE)
  await take('token-summary', token, 'light', shows('Rotate token'))
  const showsValue = page => page.locator('.cm-content').getByText('600').waitFor()
  await take('key', key, 'light', showsValue)
  await take('key-history', `${key}&tab=history`, 'light', shows('SHOP-409'))
  await take('key-phone', key, 'dark', showsValue, PHONE)
  await take('services', '/ui/services', 'light', shows('shop-payments'))
  await take('time-travel', '/ui/config?at=22', 'light', shows('shop-web'))
} finally {
  for (const release of releases) await release()
}
