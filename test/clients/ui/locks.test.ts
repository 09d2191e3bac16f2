// Locks, sessions and semaphores, as the pages show and end them.
import test from 'ava'
import { barriers, signInTo, waitForText, show, goTo } from '../../support/browser-page.js'
import { ROOT, type TestServer } from '../../support/server.js'

const session = async (server: TestServer, Name: string, more: object = {}): Promise<string> =>
  JSON.parse((await server.send('PUT', '/v1/session/create', { body: { Name, ...more } })).text).ID

test('locks tell who holds them; they are released, and sessions destroyed, by hand', async t => {
  const shown = await show(t, '/ui/locks', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await server.send('PUT', '/v1/catalog/register', { body: { Node: 'n1', Address: '10.0.0.1' } })
  await server.send('PUT', '/v1/kv/free', { body: 'x' })
  const id = await session(server, 'worker 7', { Node: 'n1', NodeChecks: [], TTL: '3600s', LockDelay: 0 })
  const flags = '3304740253564472344'
  await server.send('PUT', `/v1/kv/jobs/leader?acquire=${id}&flags=${flags}`, { body: 'n1' })
  await page.getByRole('row', { name: 'jobs/leader worker 7 on n1, expires after 3600s' }).waitFor()
  await waitForText(t, () => page.getByRole('row').count(), 1 + 1)
  t.deepEqual(await barriers(page), [])
  await page.getByRole('link', { name: 'jobs/leader' }).click()
  const lock = page.getByRole('group', { name: 'Lock' })
  await lock.getByText('Acquired once so far').waitFor()
  await lock.getByRole('button', { name: 'Release lock' }).click()
  await page.getByRole('dialog').getByLabel('Reason').fill('stuck')
  await page.getByRole('dialog').getByRole('button', { name: 'Release lock' }).click()
  await page.locator('q', { hasText: 'stuck' }).waitFor()
  const [entry] = JSON.parse((await server.send('GET', '/v1/kv/jobs/leader')).text)
  t.is(entry.Session, undefined)
  t.is(Buffer.from(entry.Value, 'base64').toString(), 'n1')
  await server.send('PUT', `/v1/kv/jobs/leader?acquire=${id}&flags=${flags}`, { body: 'n1' })
  await goTo(page, 'Sessions')
  await page.getByRole('row', { name: `worker 7 ${id} n1 3600s release jobs/leader` }).waitFor()
  t.deepEqual(await barriers(page), [])
  await page.getByRole('link', { name: 'worker 7' }).click()
  await page.getByRole('group', { name: 'Locked keys' }).getByRole('link', { name: 'jobs/leader' }).waitFor()
  await page.getByText('Expires if it is not renewed for 3600s').waitFor()
  t.deepEqual(await barriers(page), [])
  await page.getByRole('button', { name: 'Destroy session' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Destroy session' }).click()
  await page.getByText('Deleted in commit').waitFor()
  await goTo(page, 'Locks')
  await page.getByText('There are no locks').waitFor()
  t.deepEqual(complaints, [])
})

test('a semaphore tells who has its slots', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server } = shown
  const id = await session(server, 'worker 7', { NodeChecks: [] })
  const body = { Limit: 3, Holders: { [id]: true } }
  await server.send('PUT', '/v1/kv/pool/.lock?flags=16210313421097356624', { body })
  await page.goto(`${server.base}/ui/keys/one?key=pool/.lock&ns=default&partition=default`)
  const semaphore = page.getByRole('group', { name: 'Semaphore' })
  await semaphore.getByText('1 of 3 slots are taken').waitFor()
  await semaphore.getByRole('link', { name: 'worker 7' }).waitFor()
  t.deepEqual(await barriers(page), [])
})

test('a limited token sees the permitted locks, and the missing permission', async t => {
  const shown = await show(t, '/ui/sign-in')
  if (!shown) return
  const { page, server } = shown
  const id = await session(server, 'worker 7', { NodeChecks: [] })
  for (const key of ['web/lock', 'db/lock'])
    await server.send('PUT', `/v1/kv/${key}?acquire=${id}`, { body: 'x' })
  await server.send('PUT', '/v1/acl/policy', {
    body: { Name: 'web', Rules: 'key_prefix "web/" { policy = "read" }' }
  })
  const made = await server.send('PUT', '/v1/acl/token', { body: { Policies: [{ Name: 'web' }] } })
  await goTo(page, 'Locks')
  await page.getByRole('note').filter({ hasText: "'key:read'" }).waitFor()
  await page.getByText('There are no locks').waitFor()
  await signInTo(page, server, JSON.parse(made.text).SecretID)
  await goTo(page, 'Locks')
  await page.getByRole('link', { name: `session ${id.slice(0, 8)}` }).waitFor()
  await waitForText(t, () => page.getByRole('row').count(), 1 + 1)
  await goTo(page, 'Sessions')
  await page.getByRole('note').filter({ hasText: 'hidden from this token' }).first().waitFor()
  t.deepEqual(await barriers(page), [])
})
