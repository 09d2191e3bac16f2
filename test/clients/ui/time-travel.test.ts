// Time travel on all pages, and proofs of versions in the browser.
import test from 'ava'
import type { Route } from 'playwright-core'
import { barriers, signInTo, waitForText, show, type BrowserPage, goTo } from '../../support/browser-page.js'
import { ROOT } from '../../support/server.js'

const put = async ({ server }: BrowserPage, path: string, body: string | object): Promise<number> =>
  Number((await server.send('PUT', path, { body })).headers['x-service-index'])

test('all pages show what was at the moment in the address, and change nothing', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const made = await server.send('PUT', '/v1/acl/role', { body: { Name: 'web', Description: 'early' } })
  const first = Number(made.headers['x-service-index'])
  await put(shown, '/v1/kv/port', '8080')
  await put(shown, '/v1/acl/role', { Name: 'other' })
  const { ID } = JSON.parse(made.text)
  const last = await put(shown, `/v1/acl/role/${ID}`, { Name: 'web', Description: 'late' })
  await page.goto(`${server.base}/ui/roles?at=${first}`)
  await page.getByText('early').waitFor()
  const bar = page.getByRole('region', { name: 'Time travel' })
  await waitForText(
    t,
    () => bar.innerText(),
    new RegExp(`State after commit ${first} of ${last}.*Return to now`, 's')
  )
  t.deepEqual(await barriers(page), [])

  const asked: string[] = []
  page.on('request', request => asked.push(request.url()))
  await bar.getByRole('button', { name: 'One commit forward' }).click()
  await bar.getByRole('button', { name: 'One commit forward' }).click()
  await page.getByRole('link', { name: 'other' }).waitFor()
  await bar.getByRole('slider', { name: 'Commit' }).fill(String(last))
  await page.getByText('late').waitFor()
  await bar.getByRole('button', { name: 'One commit back' }).click()
  await page.getByText('early').waitFor()
  // All of it was there.
  t.deepEqual(
    asked.filter(url => /event\/(?:state|stream)/.test(url)),
    []
  )

  await page.getByRole('link', { name: 'web' }).click()
  await page.locator('dd', { hasText: 'early' }).waitFor()
  t.is(new URL(page.url()).searchParams.get('at'), String(last - 1))
  await goTo(page, 'Policies')
  await page.getByText('global-management').waitFor()
  t.is(new URL(page.url()).searchParams.get('at'), String(last - 1))
  await page.goto(`${server.base}/ui/policies/one?key=00000000-0000-0000-0000-000000000001&at=${last}`)
  await page.getByRole('button', { name: 'Save' }).waitFor()
  await waitForText(t, () => page.getByRole('button', { name: 'Save' }).isDisabled(), true)
  await page.goto(`${server.base}/ui/keys?at=${last}`)
  await page.getByRole('link', { name: 'port' }).waitFor()
  await waitForText(t, () => page.getByText('Create key').isVisible(), false)

  const [, version] = JSON.parse((await server.send('GET', `/v1/history/acl/role/${ID}`)).text)
  await page.goto(`${server.base}/ui/roles?at=${version.Time}`)
  await page.waitForURL(/at=\d+$/)
  await page.getByText('early').waitFor()
  await bar.getByRole('button', { name: 'Return to now' }).click()
  await page.getByText('late').waitFor()
  t.is(new URL(page.url()).searchParams.get('at'), null)
  await page.getByRole('button', { name: 'Time travel' }).click()
  const dialog = page.getByRole('dialog', { name: 'Time travel' })
  await dialog.getByLabel('Time or commit').fill('whenever')
  await dialog.getByRole('button', { name: 'Go' }).click()
  await dialog.getByText('Enter a time such as').waitFor()
  t.deepEqual(await barriers(page), [])
  await dialog.getByLabel('Time or commit').fill(String(last))
  await page.keyboard.press('Enter')
  await page.getByText(`State after commit ${last} of ${last}`).waitFor()

  t.deepEqual(complaints, [])
  await page.goto(`${server.base}/ui/roles?at=${last + 10}`)
  await bar.getByText('is newer than the log').waitFor()
  await page.goto(`${server.base}/ui/roles?at=2001-01-01T00:00:00Z`)
  await page.getByText('is before the first commit of the log').waitFor()
  await page.getByLabel('Time or commit').fill(String(last))
  await page.keyboard.press('Enter')
  await page.getByText('late').waitFor()
})

test('what was needs the rights of now, and says which is missing', async t => {
  const shown = await show(t, '/ui/sign-in')
  if (!shown) return
  const { page, server } = shown
  const SecretID = '0b6d7b9c-6c0b-4c5e-9a43-8d6a1c1d5a11'
  const index = await put(shown, '/v1/kv/port', '8080')
  await put(shown, '/v1/acl/policy', { Name: 'look', Rules: 'key_prefix "" { policy = "read" }' })
  await put(shown, '/v1/acl/token', { SecretID, Policies: [{ Name: 'look' }] })
  await page.goto(`${server.base}/ui/keys?at=${index}`)
  await page.getByText(/Resources that require 'key:read' are hidden from this token/).waitFor()
  await page.goto(`${server.base}/ui/keys/one?key=port&at=${index}`)
  await waitForText(
    t,
    () => page.locator('main').getByRole('alert').first().innerText(),
    /Permission denied: .*key:read/
  )

  await signInTo(page, server, SecretID)
  await page.goto(`${server.base}/ui/keys?at=${index}`)
  await page.getByText('1 key').waitFor()
  await page.getByRole('link', { name: 'port' }).click()
  await page.getByRole('tab', { name: 'History' }).click()
  await page.getByText('Author and time require operator:read').waitFor()
  await page.locator('summary').first().click()
  await page.getByRole('button', { name: 'Verify' }).last().click()
  const proof = page.getByRole('region', { name: `Proof of commit ${index}` })
  await proof.getByText(`Commit ${index} is in the log`).waitFor()
  await waitForText(
    t,
    () => proof.innerText(),
    /The time and the content of this version are in the commit.*1 withheld/s
  )
  await page.goto(`${server.base}/ui/policies?at=${index}`)
  await waitForText(t, () => page.locator('main').getByRole('alert').innerText(), /Permission denied: .*acl:/)
})

/** Another text of the same form, as somebody would write it who tampers. */
const flipped = (base64: string): string => (base64.startsWith('A') ? 'B' : 'A') + base64.slice(1)

test('the browser verifies a version, and reports tampering', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const first = await put(shown, '/v1/kv/port?flags=3304740253564472344', '8080')
  const last = await put(shown, '/v1/kv/port', '9090')
  await page.goto(`${server.base}/ui/keys/one?key=port&tab=history`)
  const prove = async (index: number): Promise<string> => {
    await page.reload()
    const row = page.locator('details', { has: page.locator('.index', { hasText: String(index) }) })
    await row.locator('summary').click()
    await row.getByRole('button', { name: 'Verify' }).click()
    const proof = page.getByRole('region', { name: `Proof of commit ${index}` })
    await proof.locator('.notice, [role=alert]').waitFor()
    return proof.innerText()
  }
  const key = (await server.send('GET', '/v1/event/checkpoint/key')).text.trim()
  const text = await prove(first)
  t.regex(
    text,
    new RegExp(`Commit ${first} is in the log of \\d+ commits whose checkpoint is signed by annals/`)
  )
  t.regex(text, /The time, the author and the content of this version are in the commit/)
  t.true(text.includes(key))
  t.deepEqual(await barriers(page), [])
  await put(shown, '/v1/kv/port', '9091')
  t.regex(await prove(last), /The log has only grown since the proof at .+, when it had \d+ commits/)
  t.deepEqual(complaints, [])

  const tampered = async (
    path: string,
    change: (text: string) => string,
    expected: RegExp
  ): Promise<void> => {
    const tamper = async (route: Route): Promise<void> => {
      const response = await route.fetch()
      await route.fulfill({ response, body: change(await response.text()) })
    }
    // Not the reads that wait for a change.
    await page.route(
      ({ pathname, searchParams }) => pathname.startsWith(path) && !searchParams.has('wait'),
      tamper
    )
    t.regex(await prove(first), expected, path)
    await page.unrouteAll({ behavior: 'wait' })
  }
  await tampered(
    '/v1/event/leaf',
    body => body.replace(/\\"Value\\":\\"[^\\]+/, '\\"Value\\":\\"ODA4MQ=='),
    /Not proved: the parts are not those that the leaf commits to/
  )
  await tampered(
    '/v1/event/leaf',
    body => {
      const leaf = JSON.parse(body)
      return JSON.stringify({ ...leaf, Leaf: leaf.Leaf.slice(0, -4) + flipped(leaf.Leaf.slice(-4)) })
    },
    /Not proved/
  )
  await tampered(
    '/v1/event/proof/inclusion',
    body => {
      const { Hashes, ...proof } = JSON.parse(body)
      return JSON.stringify({ ...proof, Hashes: Hashes.map(flipped) })
    },
    /Not proved: the log of \d+ commits does not have this commit there/
  )
  await tampered(
    '/v1/event/checkpoint',
    body => body.replace(/\n(\d+)\n/, (_, size: string) => `\n${Number(size) + 1}\n`),
    /Not proved: the signature of the checkpoint does not hold/
  )
  await put(shown, '/v1/kv/port', '9092')
  await tampered(
    '/v1/event/proof/consistency',
    body => {
      const { Hashes, ...proof } = JSON.parse(body)
      return JSON.stringify({ ...proof, Hashes: Hashes.map(flipped) })
    },
    /Not proved: the log of \d+ commits does not begin with the \d+ commits/
  )
  await tampered(
    '/v1/event/history',
    body => body.replaceAll('ODA4MA==', 'ODA4MQ=='),
    /Not proved: the page shows something else than the commit says: Value is different/
  )
  await tampered(
    '/v1/event/history',
    body => body.replaceAll('"Address":"127.0.0.1"', '"Address":"192.0.2.7"'),
    /Not proved: the page says Address "192.0.2.7", and the commit "127.0.0.1"/
  )
})

test('more versions than a page has are there when they are asked for, and what is gone comes back', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const first = await put(shown, '/v1/kv/port', '0')
  for (let value = 1; value < 105; value++) await server.send('PUT', '/v1/kv/port', { body: String(value) })
  await server.send('DELETE', '/v1/kv/port')
  await page.goto(`${server.base}/ui/keys/one?key=port`)
  await page.getByText('Deleted in commit').waitFor()
  await page.getByRole('tab', { name: 'History' }).click()
  await waitForText(t, () => page.locator('summary').count(), 100)
  await page.getByRole('button', { name: 'Load older versions' }).click()
  await page.locator('summary .index').getByText(String(first), { exact: true }).waitFor()
  await waitForText(t, () => page.locator('summary').count(), 106)
  await page.goto(`${server.base}/ui/keys/one?key=port&at=${first}`)
  await waitForText(t, () => page.getByLabel('Value', { exact: true }).innerText(), '0')
  await page.goto(`${server.base}/ui/keys/one?key=port`)
  await page.getByRole('button', { name: /^Restore version/ }).click()
  await page.getByRole('button', { name: 'Restore', exact: true }).click()
  await page.getByText('Deleted in commit').waitFor({ state: 'detached' })
  t.is((await server.send('GET', '/v1/kv/port?raw')).text, '104')

  await server.app.log.erase([{ index: first, who: true, events: [0] }])
  await page.getByRole('tab', { name: 'History' }).click()
  await page.reload()
  await page.getByRole('button', { name: 'Load older versions' }).click()
  await page.getByText('The content of this version was erased.').waitFor()
  t.deepEqual(complaints, [])
})
