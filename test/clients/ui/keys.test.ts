// Keys, as the pages show and change them.
import test from 'ava'
import { barriers, signInTo, waitForText, show, goTo } from '../../support/browser-page.js'
import { ROOT } from '../../support/server.js'

/** Browsers complain of what the server does not find, such as keys in an empty folder, and of refusals that are meant. */
const seriousOf = (complaints: readonly string[]) => complaints.filter(text => !/status of 40[49]/.test(text))

test('keys are listed by their folders as they are now, found in all of them, and gone through by keys', async t => {
  const shown = await show(t, '/ui/keys', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await page.getByText('There are no keys').waitFor()
  for (const key of ['web/port', 'web/deep/port', 'top'])
    await server.send('PUT', `/v1/kv/${key}?flags=18446744073709551615`, { body: '8080' })
  await page.getByRole('row', { name: 'top 8080 4 B 18446744073709551615' }).waitFor()
  await waitForText(t, () => page.getByRole('row').count(), 1 + 2)
  t.deepEqual(await barriers(page), [])
  await page.getByRole('grid').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'deep/' }).waitFor()
  await server.send('PUT', '/v1/kv/web/port', { body: '8081' })
  await page.getByRole('row', { name: 'port 8081 4 B' }).waitFor()
  await server.send('DELETE', '/v1/kv/web/deep/port')
  await page.getByRole('link', { name: 'deep/' }).waitFor({ state: 'detached' })
  await page.getByRole('grid').focus()
  await page.keyboard.press('Backspace')
  await page.getByRole('link', { name: 'top' }).waitFor()
  await page.getByLabel('Search in Keys').fill('por')
  await page.getByText('1 found in 2 keys').waitFor()
  await page.getByRole('link', { name: 'web/port' }).click()
  await page.getByLabel('Value', { exact: true }).waitFor()
  t.deepEqual(seriousOf(complaints), [])
})

test('a key that somebody else changed meanwhile is not written over, and both changes come together', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const flags = '3304740253564472344'
  const write = (body: string) => server.send('PUT', `/v1/kv/web/port?flags=${flags}`, { body })
  await write('a: 1\nb: 2\nc: 3\nd: 4\ne: 5\nf: 6\n')
  await page.goto(`${server.base}/ui/keys/one?key=web/port&ns=default&partition=default`)
  const value = page.getByLabel('Value', { exact: true })
  await value.fill('a: 0\nb: 2\nc: 3\nd: 4\ne: 5\nf: 6\n')
  await write('a: 1\nb: 2\nc: 3\nd: 4\ne: 5\nf: 7\n')
  const conflict = page.getByRole('group', { name: 'Conflict' })
  await waitForText(
    t,
    () => conflict.innerText(),
    /Before \+ Theirs[^]*- f: 6[^]*\+ f: 7[^]*Yours[^]*\+ a: 0/
  )
  await waitForText(t, () => page.getByRole('button', { name: 'Save' }).isDisabled(), true)
  t.deepEqual(await barriers(page), [])
  await conflict.getByRole('button', { name: 'Merge both' }).click()
  await page.getByLabel('Flags').fill('18446744073709551615')
  await page.getByLabel('Reason').fill('OPS-12')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('q', { hasText: 'OPS-12' }).waitFor()
  const { text } = await server.send('GET', '/v1/kv/web/port')
  t.regex(text, /"Flags":18446744073709551615\b/)
  t.is(Buffer.from(JSON.parse(text)[0].Value, 'base64').toString(), 'a: 0\nb: 2\nc: 3\nd: 4\ne: 5\nf: 7\n')
  await page.getByRole('tab', { name: 'Raw' }).click()
  await page.locator('.payload', { hasText: '18446744073709551615' }).waitFor()
  t.deepEqual(complaints, [])
})

test('a value is edited as what it is: JSON, text of other systems, and bytes that are no text', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const open = async (Key: string, bytes: Uint8Array): Promise<void> => {
    const Value = Buffer.from(bytes).toString('base64')
    await server.send('PUT', '/v1/txn', { body: [{ KV: { Verb: 'set', Key, Value } }] })
    await page.goto(`${server.base}/ui/keys/one?key=${Key}&ns=default&partition=default`)
    await value.waitFor()
  }
  const value = page.getByLabel('Value', { exact: true })
  const shownAs = page.getByLabel('Format')
  const save = page.getByRole('button', { name: 'Save' })
  const stored = async (key: string) =>
    Buffer.from(JSON.parse((await server.send('GET', `/v1/kv/${key}`)).text)[0].Value, 'base64').toString(
      'latin1'
    )
  await open('json', Buffer.from('{"port":8080}'))
  await waitForText(t, () => shownAs.inputValue(), 'json')
  await value.fill('{"port":}')
  await page.getByRole('button', { name: 'Line 1' }).waitFor()
  await open('lines', Buffer.from('a\r\nb\r\n'))
  await value.fill('a\nc\n')
  await save.click()
  await page.getByText('Saved.').waitFor()
  t.is(await stored('lines'), 'a\r\nc\r\n')
  await open('bytes', Uint8Array.of(0, 255, 16))
  await waitForText(t, () => shownAs.inputValue(), 'hex')
  await waitForText(t, () => value.innerText(), '00 ff 10')
  await shownAs.selectOption('text')
  await page.getByText('The value is not text').waitFor()
  await value.fill('00 ff 1')
  await page.getByText('Hex is two digits').waitFor()
  await value.fill('00 ff 11')
  await shownAs.selectOption('base64')
  await waitForText(t, () => value.innerText(), 'AP8R')
  await save.click()
  await page.getByText('Saved.').waitFor()
  t.is(await stored('bytes'), '\0\u00ff\u0011')
  await open('large', Buffer.alloc(300_000, 'x'))
  await page.getByText('300,000 of 524,288 bytes').waitFor()
  t.deepEqual(complaints, [])
})

test('keys are made, copied, renamed and deleted, and a folder with all that is in it', async t => {
  const shown = await show(t, '/ui/keys', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const confirm = async (deed: string, name?: string): Promise<void> => {
    await page.getByRole('button', { name: deed, exact: true }).click()
    const dialog = page.getByRole('dialog')
    if (name !== undefined) await dialog.getByLabel('New name').fill(name)
    await dialog.getByLabel('Reason').fill('OPS-12')
    t.deepEqual(await barriers(page), [])
    await dialog.getByRole('button', { name: deed, exact: true }).click()
  }
  await page.getByRole('link', { name: 'Create key' }).click()
  await page.getByLabel('Name', { exact: true }).fill('web/port')
  await page.getByLabel('Value', { exact: true }).fill('8080')
  t.deepEqual(await barriers(page), [])
  await page.getByRole('button', { name: 'Create key' }).click()
  await confirm('Copy key', 'web/copy')
  await page.getByRole('heading', { name: 'web/copy' }).waitFor()
  await confirm('Rename key', 'web/moved')
  await page.getByRole('heading', { name: 'web/moved' }).waitFor()
  await confirm('Rename key', 'web/port')
  await page.getByRole('alert').filter({ hasText: 'web/port' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await confirm('Delete key')
  await page.getByRole('link', { name: 'port' }).waitFor()
  await page.getByRole('link', { name: 'Create key' }).click()
  await page.getByLabel('Name', { exact: true }).fill('web/empty/')
  await page.getByRole('button', { name: 'Create folder' }).click()
  await page.getByRole('link', { name: 'web', exact: true }).click()
  await page.getByRole('link', { name: 'empty/', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Delete folder' }).click()
  await page.getByText('2 keys visible to this token would be deleted').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete folder' }).click()
  await page.getByText('There are no keys').waitFor()
  t.is((await server.send('GET', '/v1/kv/?recurse')).status, 404)
  t.deepEqual(seriousOf(complaints), [])
})

test('a limited token sees the permitted keys, and the missing permissions for reading and writing', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server } = shown
  for (const key of ['web/port', 'db/port']) await server.send('PUT', `/v1/kv/${key}`, { body: '8080' })
  await server.send('PUT', '/v1/acl/policy', {
    body: { Name: 'web', Rules: 'key_prefix "web/" { policy = "read" }' }
  })
  const made = await server.send('PUT', '/v1/acl/token', { body: { Policies: [{ Name: 'web' }] } })
  await signInTo(page, server, JSON.parse(made.text).SecretID)
  await goTo(page, 'Keys')
  await page.getByRole('note').filter({ hasText: "'key:read'" }).waitFor()
  await page.getByRole('link', { name: 'web/' }).waitFor()
  await waitForText(t, () => page.getByRole('row').count(), 1 + 1)
  await page.getByRole('link', { name: 'web/' }).click()
  await page.getByText('Changes require key:write.', { exact: true }).waitFor()
  await page.getByText('Changes require key:write-prefix on "web/".', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'port' }).click()
  const reason = page.getByText('Changes require key:write on "web/port".', { exact: true })
  await reason.waitFor()
  for (const name of ['Save', 'Copy key', 'Delete key'])
    await waitForText(t, () => page.getByRole('button', { name }).isDisabled(), true, name)
  await waitForText(t, () => page.getByLabel('Value', { exact: true }).getAttribute('aria-readonly'), 'true')
  t.deepEqual(await barriers(page), [])
  await page.getByRole('tab', { name: 'Raw' }).click()
  await page.getByLabel('Raw resource').waitFor()
  t.true(await reason.isVisible(), 'the actions above each tab are explained')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await goTo(page, 'Keys')
  await page.getByRole('note').filter({ hasText: "'key:read'" }).waitFor()
  await page.getByText('There are no keys').waitFor()
})

test('on a phone, folders and keys are lines, with the value beside the name', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server } = shown
  for (const key of ['web/port', `${'long-'.repeat(20)}name`])
    await server.send('PUT', `/v1/kv/${key}`, { body: '8080' })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${server.base}/ui/keys`)
  const value = await page.getByText('8080').boundingBox()
  const key = await page.getByRole('row', { name: '8080' }).boundingBox()
  const folder = await page.getByRole('row', { name: 'web/' }).boundingBox()
  t.deepEqual([key?.height, folder?.height], [40, 40])
  t.true(value !== null && key !== null && value.y > key.y && value.x + value.width <= key.x + key.width)
})
