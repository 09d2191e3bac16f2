// The pages for people in a real browser: what they show of a server, to whom, and how soon.
import test from 'ava'
import { barriers, signInTo, waitForText, show } from '../../support/browser-page.js'
import { ROOT } from '../../support/server.js'

test('a list shows what is there, and what happens to it while it is looked at', async t => {
  const shown = await show(t, '/ui/keys', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await page.getByText('There are no keys').waitFor()
  await server.send('PUT', '/v1/kv/web/port', { body: '8080' })
  await page.getByRole('link', { name: 'web/' }).click()
  await page.getByRole('link', { name: 'port', exact: true }).waitFor()
  await page.getByText('8080').waitFor()
  await server.send('DELETE', '/v1/kv/web/port')
  await page.getByText('There are no keys').waitFor()
  t.deepEqual(complaints, [])
})

test('a resource page shows each version with its origin', async t => {
  const shown = await show(t, '/ui/policies', ROOT)
  if (!shown) return
  const { page, server } = shown
  const made = await server.send('PUT', '/v1/acl/policy', { body: { Name: 'web', Rules: 'acl = "read"' } })
  const { ID } = JSON.parse(made.text)
  await page.getByRole('link', { name: 'web', exact: true }).click()
  await page.getByRole('tab', { name: 'History' }).click()
  await waitForText(t, () => page.locator('summary').count(), 1)
  await server.send('PUT', `/v1/acl/policy/${ID}`, { body: { Name: 'web', Rules: 'acl = "write"' } })
  await waitForText(t, () => page.locator('summary').count(), 2)
  await page.locator('summary').first().click()
  await waitForText(
    t,
    () => page.locator('details[open]').innerText(),
    /Initial Management Token[^]*- Rules: acl = "read"\s+\+ Rules: acl = "write"/
  )
})

test('the first load is at most 60 kB compressed, and search engines ignore it', async t => {
  const shown = await show(t, '/ui/sign-in')
  if (!shown) return
  const { page, server } = shown
  const sizes = (): Promise<readonly number[]> =>
    page.evaluate(() =>
      performance
        .getEntries()
        .flatMap(entry =>
          entry instanceof PerformanceResourceTiming && new URL(entry.name).pathname.startsWith('/ui')
            ? [entry.encodedBodySize]
            : []
        )
    )
  const isSmall = async (): Promise<void> => {
    const found = await sizes()
    t.true(found.length > 5)
    const sum = found.reduce((total, size) => total + size, 0)
    t.true(sum <= 60_000, `${sum} bytes`)
  }
  await page.getByLabel('Token secret').waitFor()
  t.is(await page.locator('meta[name=robots]').getAttribute('content'), 'noindex')
  await isSmall()
  await signInTo(page, server, ROOT)
  await page.goto(`${server.base}/ui`)
  await page.getByRole('heading', { name: 'Recent changes' }).waitFor()
  await isSmall()
})

test('the lines of the overview stay in place when the names of their authors arrive', async t => {
  const shown = await show(t, '/ui/keys', ROOT)
  if (!shown) return
  const { page, server } = shown
  for (let key = 0; key < 6; key++) await server.send('PUT', `/v1/kv/shop/${key}/connections`, { body: '1' })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.addInitScript(`window.shift = 0; new PerformanceObserver(list => {
    for (const { value } of list.getEntries()) window.shift += value
  }).observe({ type: 'layout-shift', buffered: true })`)
  await page.goto(`${server.base}/ui`)
  const changes = page.getByRole('region', { name: 'Recent changes' })
  await changes.getByRole('link', { name: 'Initial Management Token' }).first().waitFor()
  await changes.getByRole('link', { name: 'shop/0/connections' }).waitFor()
  const shift = Number(await page.evaluate('window.shift'))
  t.true(shift < 0.05, `${shift}`)
})

test('events are shown as they happen, newest first, until they are paused', async t => {
  const shown = await show(t, '/ui/events', ROOT)
  if (!shown) return
  const { page, server } = shown
  await page.getByRole('gridcell', { name: 'ACLBootstrapped', exact: true }).waitFor()
  await server.send('PUT', '/v1/kv/first', { body: '1' })
  await page.getByRole('link', { name: 'first' }).waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await server.send('PUT', '/v1/kv/second', { body: '1' })
  await page.getByRole('button', { name: 'Continue (1 more)' }).click()
  await page.getByRole('link', { name: 'second' }).waitFor()
  await waitForText(t, () => page.getByRole('row').nth(1).innerText(), /KVSet[^]*second/)
})

test('a denied list names the missing permission', async t => {
  const shown = await show(t, '/ui/tokens')
  if (!shown) return
  const { page } = shown
  await waitForText(t, () => page.getByRole('alert').innerText(), /Permission denied: .*acl:/)
  await waitForText(t, () => page.getByRole('gridcell').count(), 0)
})

test('a token that is none is refused, and the one before counts on', async t => {
  const shown = await show(t, '/ui/sign-in')
  if (!shown) return
  const { page } = shown
  await page.getByLabel('Token secret').fill('no such token')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await waitForText(
    t,
    () => page.getByRole('alert').innerText(),
    /does not know this token. It may have expired/
  )
  // It was disabled meanwhile.
  await waitForText(t, () => page.evaluate('document.activeElement.textContent'), 'Sign in')
})

test('the pages can be used by everybody', async t => {
  const shown = await show(t, '/ui/events', ROOT)
  if (!shown) return
  const { page, server } = shown
  for (const path of ['/ui/', '/ui/tokens', '/ui/policies', '/ui/sign-in']) {
    await page.goto(server.base + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    t.deepEqual(await barriers(page), [], path)
  }
})
