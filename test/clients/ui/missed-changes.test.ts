// Pages show a change that is made between their first read and the request that follows changes, and what a failed request would have hidden.
import test from 'ava'
import type { Page } from 'playwright-core'
import { type Held, holdResponses, show } from '../../support/browser-page.js'
import { ROOT } from '../../support/server.js'
import { until } from '../../support/wait.js'
import { createPolicy } from '../../http/support.js'

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
      await route.continue().catch(() => {})
    }
  )
  return { requested: () => until('a request is held', async () => held > 0), release }
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

test('a page asks for its permissions again when the network failed', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page } = shown
  let failures = 0
  await page.route('**/v1/internal/acl/authorize', route => {
    if (failures === 2) return route.continue()
    failures++
    return route.abort('connectionfailed')
  })
  await page.goto(new URL('/ui/', page.url()).href)
  await page.getByText('No problems.').waitFor()
  t.is(failures, 2)
})

test('the overview reports no absence of problems while it cannot read them, and recovers', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server } = shown
  const check = { Name: 'alive', Status: 'critical' }
  await server.send('PUT', '/v1/catalog/register', {
    body: { Node: 'n1', Address: '192.0.2.1', Checks: [check] }
  })
  let isReachable = false
  await page.route('**/v1/health/state/any*', route =>
    isReachable ? route.continue() : route.abort('connectionfailed')
  )
  await page.goto(new URL('/ui/', page.url()).href)
  await page.getByRole('alert').filter({ hasText: 'cannot be reached' }).waitFor()
  t.is(await page.getByText('No problems.').count(), 0)
  isReachable = true
  await page.getByRole('link', { name: 'alive' }).waitFor()
  t.is(await page.getByRole('alert').count(), 0)
})

test('an open overview shows later problems, and its times age', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server } = shown
  await page.clock.install()
  await page.goto(`${server.base}/ui/`)
  await page.getByText('No problems.').waitFor()
  const checks = ['alive', ...Array.from({ length: 6 }, (_, at) => `disk-${at}`)].map(Name => ({
    Name,
    CheckID: Name,
    Status: 'critical'
  }))
  await server.send('PUT', '/v1/catalog/register', {
    body: { Node: 'n1', Address: '192.0.2.1', Checks: checks }
  })
  const changes = page.getByRole('region', { name: 'Recent changes' })
  await changes.getByText('n1').first().waitFor()
  await page.clock.fastForward('10:00')
  await page.getByRole('region', { name: 'Problems' }).getByRole('link', { name: 'alive' }).waitFor()
  await page.getByRole('link', { name: '2 more checks' }).waitFor()
  await changes.getByText('10 min. ago').first().waitFor()
  await page.getByRole('button', { name: 'Services' }).click()
  await page.getByTitle('7 critical').waitFor()
  t.is(await page.getByText('No problems.').count(), 0)
})

test('a page whose program cannot be loaded says so', async t => {
  const shown = await show(t, '/ui/', ROOT)
  if (!shown) return
  const { page } = shown
  await page.getByText('No problems.').waitFor()
  await page.route('**/*.js', route => route.abort('connectionfailed'))
  await page.getByRole('button', { name: 'Keys & locks' }).click()
  await page.getByRole('link', { name: 'Locks' }).click()
  await page.getByRole('status').filter({ hasText: 'The page could not be loaded' }).waitFor()
  t.is(new URL(page.url()).pathname, '/ui/locks')
})
