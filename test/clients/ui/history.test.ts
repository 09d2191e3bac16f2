// Events and versions of a resource on its page, with their origin, changes and revert.
import test from 'ava'
import { barriers, signInTo, waitForText, show, goTo } from '../../support/browser-page.js'
import { ROOT } from '../../support/server.js'

test('an event tells in words what it changed, and opens with who made it and against what', async t => {
  const shown = await show(t, '/ui/events', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await page.getByRole('gridcell', { name: 'ACLBootstrapped', exact: true }).waitFor()
  await server.send('PUT', '/v1/kv/port', { body: '8080' })
  await page.getByRole('row', { name: 'port created' }).waitFor()
  await server.send('PUT', '/v1/kv/port', { body: '8081', headers: { 'X-Service-Reason': 'OPS-12' } })
  await page.getByRole('row', { name: 'Value: 8080 → 8081' }).getByRole('button').click()
  const opened = page.getByRole('region', { name: /^Event \d+/ })
  await opened.getByText('Initial Management Token').waitFor()
  await waitForText(t, () => opened.innerText(), /OPS-12[^]*- Value: 8080[^]*\+ Value: 8081/)
  t.deepEqual(await barriers(page), [])
  t.deepEqual(complaints, [])
})

test('events are filtered by topic', async t => {
  const shown = await show(t, '/ui/events', ROOT)
  if (!shown) return
  const { page, server } = shown
  await server.send('PUT', '/v1/kv/port', { body: '8080' })
  await page.getByRole('link', { name: 'port' }).waitFor()
  await page.getByLabel('Topic').fill('KV')
  await page.keyboard.press('Enter')
  await page.getByText('1 event').waitFor()
  await waitForText(t, () => page.getByRole('row').count(), 1 + 1)
  t.true(page.url().endsWith('?topic=KV'))
})

test('who may not know who made an event sees the event', async t => {
  const shown = await show(t, '/ui/sign-in')
  if (!shown) return
  const { page, server } = shown
  const SecretID = '0b6d7b9c-6c0b-4c5e-9a43-8d6a1c1d5a11'
  await server.send('PUT', '/v1/acl/policy', {
    body: { Name: 'look', Rules: 'key_prefix "" { policy = "read" }' }
  })
  await server.send('PUT', '/v1/acl/token', { body: { SecretID, Policies: [{ Name: 'look' }] } })
  await signInTo(page, server, SecretID)
  await goTo(page, 'Events')
  await page.getByText('Author and time require operator:read').waitFor()
  await server.send('PUT', '/v1/kv/port', { body: '8080' })
  await page.getByRole('link', { name: 'port' }).waitFor()
  await waitForText(t, () => page.getByRole('alert').count(), 0)
})

test('two versions are compared, and an older one is shown and restored', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const made = await server.send('PUT', '/v1/acl/policy', { body: { Name: 'web', Rules: 'acl = "read"' } })
  const { ID, CreateIndex } = JSON.parse(made.text)
  await server.send('PUT', `/v1/acl/policy/${ID}`, { body: { Name: 'web', Rules: 'acl = "write"' } })
  await page.goto(`${server.base}/ui/policies/one?key=${ID}&ns=default&partition=default&tab=history`)
  const versions = page.getByRole('region', { name: 'Compare versions' })
  await waitForText(t, () => versions.locator('pre del').first().innerText(), /Rules.*read/)
  await waitForText(t, () => versions.locator('pre ins').first().innerText(), /Rules.*write/)
  t.deepEqual(await barriers(page), [])

  await page.locator('summary').last().click()
  await page.getByRole('link', { name: 'Time travel to this commit' }).click()
  await page.getByText(`Version of commit ${CreateIndex}`).waitFor()
  t.true(page.url().endsWith(`&at=${CreateIndex}`))
  await page.getByRole('button', { name: 'Return to now' }).click()

  await page.getByRole('tab', { name: 'History' }).click()
  await page.locator('summary').last().click()
  await page.getByRole('button', { name: `Restore version ${CreateIndex}` }).click()
  const plan = page.getByRole('group', { name: `Restore version ${CreateIndex}` })
  await waitForText(t, () => plan.innerText(), /- Rules: acl = "write"\s+\+ Rules: acl = "read"/)
  await plan.getByLabel('Reason').fill('zurück')
  await plan.getByRole('button', { name: 'Restore' }).click()
  await page.locator('summary', { hasText: 'zurück' }).waitFor()
  t.is(JSON.parse((await server.send('GET', `/v1/acl/policy/${ID}`)).text).Rules, 'acl = "read"')
  t.deepEqual(complaints, [])
})

test('another tab of a resource keeps the focus, and reads nothing of the page again', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server } = shown
  await server.send('PUT', '/v1/kv/port', { body: '8080' })
  await page.goto(`${server.base}/ui/keys`)
  await page.getByRole('link', { name: 'port' }).click()
  await page.getByLabel('Flags', { exact: true }).waitFor()
  const asked: string[] = []
  page.on('request', request => asked.push(request.url()))
  await page.getByRole('tab', { name: 'Summary' }).press('ArrowRight')
  await page.getByRole('heading', { name: 'Compare versions' }).or(page.locator('summary')).first().waitFor()
  await page.getByRole('tab', { name: 'History' }).and(page.locator(':focus')).waitFor()
  t.deepEqual(
    asked.filter(url => url.includes('/v1/event/history')),
    []
  )
})
