// Pages show a change that is made between their first read and the request that follows changes.
import test from 'ava'
import type { Page, Response } from 'playwright-core'
import { show } from '../../support/browser-page.js'
import { ROOT } from '../../support/server.js'
import { until } from '../../support/wait.js'
import { createPolicy } from '../../http/support.js'

interface Held {
  /** Resolves when a request is held. */
  readonly requested: () => Promise<unknown>
  readonly release: () => void
}

/** Holds all streams and blocking reads. */
const holdFollowing = async (page: Page): Promise<Held> => {
  let release = (): void => {}
  const released = new Promise<void>(resolve => void (release = resolve))
  let held = 0
  await page.route(
    ({ pathname, searchParams }) => pathname === '/v1/event/stream' || searchParams.has('wait'),
    async route => {
      held++
      await released
      await route.continue()
    }
  )
  return { requested: () => until('a request is held', async () => held > 0), release }
}

/** Holds the responses to some requests. */
const holdResponses = async (page: Page, isHeld: (url: URL) => boolean): Promise<Held> => {
  let release = (): void => {}
  const released = new Promise<void>(resolve => void (release = resolve))
  let held = 0
  await page.route(isHeld, async route => {
    const response = await route.fetch()
    held++
    await released
    await route.fulfill({ response })
  })
  return { requested: () => until('a response is held', async () => held > 0), release }
}

/** Resolves when the page has handled a response: it has drawn twice. */
const handled = async (page: Page, response: Promise<Response>): Promise<void> => {
  await (await response).finished()
  await page.evaluate('new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
}

test('the page of a resource shows a change before it follows the history', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await server.send('PUT', '/v1/kv/port', { body: '8080' })
  const { requested, release } = await holdFollowing(page)
  await page.goto(`${server.base}/ui/keys/one?key=port&ns=default&partition=default`)
  const value = page.getByLabel('Value', { exact: true })
  await value.getByText('8080').waitFor()
  await requested()
  await server.send('PUT', '/v1/kv/port', { body: '8081' })
  release()
  await value.getByText('8081').waitFor()
  t.deepEqual(complaints, [])
})

test('the page of a policy shows a token that links it before it follows tokens', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const ID = await createPolicy(server, 'web', 'key "a" { policy = "read" }')
  const { requested, release } = await holdFollowing(page)
  await page.goto(`${server.base}/ui/policies/one?key=${ID}&ns=default&partition=default`)
  await page.getByRole('heading', { name: '0 tokens' }).waitFor()
  await requested()
  await server.send('PUT', '/v1/acl/token', { body: { Description: 'deploys', Policies: [{ ID }] } })
  release()
  await page.getByRole('heading', { name: '1 token' }).waitFor()
  t.deepEqual(complaints, [])
})

test('the page of a resource shows a change during its first read', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await server.send('PUT', '/v1/kv/port', { body: '8080' })
  const { requested, release } = await holdResponses(
    page,
    ({ pathname, searchParams }) => pathname === '/v1/event/history' && searchParams.get('limit') === '100'
  )
  await page.goto(`${server.base}/ui/keys/one?key=port&ns=default&partition=default`)
  await requested()
  await server.send('PUT', '/v1/kv/port', { body: '8081' })
  release()
  await page.getByLabel('Value', { exact: true }).getByText('8081').waitFor()
  t.deepEqual(complaints, [])
})

test('the audit shows what was chosen last, although the response to an earlier choice comes later', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await server.send('PUT', '/v1/kv/port', { body: '8080' })
  const { release } = await holdResponses(
    page,
    ({ pathname, searchParams }) => pathname === '/v1/event/audit' && !searchParams.has('topic')
  )
  await page.goto(`${server.base}/ui/audit`)
  await page.getByLabel('Kind').selectOption('key (1)')
  const lines = page.locator('.timeline li')
  await lines.first().waitFor()
  const late = page.waitForResponse(response => new URL(response.url()).pathname === '/v1/event/audit')
  release()
  await handled(page, late)
  t.is(await lines.count(), 1)
  t.deepEqual(complaints, [])
})

test('the impact of an edit is not shown for a later edit', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const ID = await createPolicy(server, 'web', 'key "a" { policy = "write" }')
  const isImpact = ({ pathname }: URL): boolean => pathname.endsWith('/impact')
  const { requested, release } = await holdResponses(page, isImpact)
  const late = page.waitForResponse(response => isImpact(new URL(response.url())))
  await page.goto(`${server.base}/ui/policies/one?key=${ID}&ns=default&partition=default`)
  const rules = page.getByLabel('Rules of the policy')
  const impact = page.getByRole('region', { name: 'Impact' })
  await rules.fill('key "a" { policy = "read" }')
  await page.getByRole('button', { name: 'Show impact' }).click()
  await requested()
  await rules.fill('key "a" { policy = "deny" }')
  release()
  await handled(page, late)
  t.is(await impact.count(), 0)
  await page.getByRole('button', { name: 'Show impact' }).click()
  await impact.waitFor()
  t.deepEqual(complaints, [])
})

test('permissions are shown of the token that was chosen last, although the response for an earlier one comes later', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await server.send('PUT', '/v1/kv/port', { body: '8080' })
  const ID = await createPolicy(server, 'ports', 'key "port" { policy = "read" }')
  for (const Description of ['deploys', 'watches'])
    await server.send('PUT', '/v1/acl/token', {
      body: { Description, Policies: Description === 'watches' ? [{ ID }] : [] }
    })
  const isExplained = ({ pathname }: URL): boolean => pathname === '/v1/acl/explain'
  let isHeld = true
  const { requested, release } = await holdResponses(page, url => isHeld && isExplained(url))
  await page.goto(`${server.base}/ui/keys/one?key=port&ns=default&partition=default`)
  await page.getByRole('tab', { name: 'Permissions' }).click()
  const choose = async (token: string): Promise<void> => {
    await page.getByRole('combobox', { name: 'Token', exact: true }).fill(token)
    await page.getByRole('option', { name: token }).click()
  }
  await choose('deploys')
  await requested()
  isHeld = false
  await choose('watches')
  const read = page.getByRole('heading', { name: 'watches: read' })
  await read.waitFor()
  const before = await page.locator('main').innerText()
  let left = 2
  const late = page.waitForResponse(response => isExplained(new URL(response.url())) && --left === 0)
  release()
  await handled(page, late)
  t.is(await page.locator('main').innerText(), before)
  t.deepEqual(complaints, [])
})
