// Configuration entries, discovery chains and intentions, as the pages show and change them.
import test from 'ava'
import { fillEditor, barriers, waitForText, signInWith, show, goTo } from '../../support/browser-page.js'
import { ROOT, type TestServer } from '../../support/server.js'
import { until } from '../../support/wait.js'

const write = (server: TestServer, entry: object) => server.send('PUT', '/v1/config', { body: entry })

const withHttp = async (server: TestServer, ...names: readonly string[]): Promise<void> => {
  for (const Name of names) await write(server, { Kind: 'service-defaults', Name, Protocol: 'http' })
}

test('a chain is a picture and a table, follows its entries, and is compiled with overrides', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await withHttp(server, 'web', 'next', 'backup')
  await write(server, {
    Kind: 'service-resolver',
    Name: 'web',
    Subsets: { v1: { Filter: '"v1" in Service.Tags' } },
    Failover: { '*': { Service: 'backup' } }
  })
  await page.goto(`${server.base}/ui/service/one?name=web&ns=default&partition=default&view=chain`)
  const picture = page.getByRole('group', { name: 'Discovery chain of web', exact: true })
  await picture.locator('text', { hasText: 'failover' }).waitFor()
  await write(server, {
    Kind: 'service-splitter',
    Name: 'web',
    Splits: [
      { Weight: 90, ServiceSubset: 'v1' },
      { Weight: 10, Service: 'next' }
    ]
  })
  await write(server, {
    Kind: 'service-router',
    Name: 'web',
    Routes: [{ Match: { HTTP: { PathPrefix: '/next', Methods: ['GET'] } }, Destination: { Service: 'next' } }]
  })
  await picture.locator('text', { hasText: 'GET, /next*' }).waitFor()
  await page.getByText('Show as table').click()
  await page.getByRole('row', { name: /^splitter web.default 90 % resolver v1.web.default.dc1/ }).waitFor()
  await page.getByRole('row', { name: /failover target backup$/ }).waitFor()
  t.deepEqual(await barriers(page), [])
  await waitForText(
    t,
    () => picture.getByRole('link', { name: 'splitter web.default' }).getAttribute('href'),
    '/ui/config/one?key=service-splitter%2Fweb&ns=default&partition=default'
  )
  const whole = await picture.getAttribute('viewBox')
  for (const width of [390, 800, 1440]) {
    await page.setViewportSize({ width, height: 844 })
    await waitForText(
      t,
      () => picture.evaluate(svg => svg.clientWidth <= (svg.parentElement?.clientWidth ?? 0)),
      true
    )
  }
  // The layout follows the width later.
  await waitForText(t, () => picture.getAttribute('viewBox'), whole)
  await page.getByRole('button', { name: 'Zoom in' }).click()
  await picture.press('ArrowRight')
  await until('it is larger', async () => (await picture.getAttribute('viewBox')) !== whole)
  await page.getByRole('button', { name: 'Fit' }).click()
  await waitForText(t, () => picture.getAttribute('viewBox'), whole)
  await page.getByLabel('Protocol').selectOption('tcp')
  await page.getByText('Compiled with these parameters.').waitFor()
  await waitForText(t, () => page.locator('text', { hasText: '90 %' }).count(), 0)
  await page.getByLabel('Connect timeout').fill('soon')
  await page.getByLabel('Connect timeout').press('Enter')
  await page.getByRole('alert').filter({ hasText: 'soon' }).waitFor()
  t.true(complaints.every(text => text.includes('400')))
})

test('an entry is made, and one that somebody else changed meanwhile is not written over', async t => {
  const shown = await show(t, '/ui/config', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await page.getByText('There are no configuration entries').waitFor()
  await page.getByRole('link', { name: 'Create configuration entry' }).click()
  await page.getByLabel('Kind').selectOption('service-resolver')
  await page.getByRole('textbox', { name: 'Name' }).fill('web')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('It would be stored').waitFor()
  t.deepEqual(await barriers(page), [])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'web', exact: true }).waitFor()
  const editor = page.getByLabel('Entry')
  await fillEditor(editor, '{"Kind": "service-resolver", "Name": "web", "ConnectTimeout": "7s"}')
  await write(server, { Kind: 'service-resolver', Name: 'web', ConnectTimeout: '9s' })
  const conflict = page.getByRole('group', { name: 'Conflict' })
  await waitForText(t, () => conflict.innerText(), /9s[^]*7s/)
  await waitForText(t, () => page.getByRole('button', { name: 'Save' }).isDisabled(), true)
  await conflict.getByRole('button', { name: 'Keep your version' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Delete entry' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete entry' }).click()
  await page.getByText('Deleted in commit').waitFor()
  await withHttp(server, 'api')
  await goTo(page, 'Configuration entries')
  await page.getByRole('row', { name: 'api service-defaults http default' }).waitFor()
  await page.getByLabel('Kind').selectOption('service-router')
  await page.getByText('There are no configuration entries').waitFor()
  t.deepEqual(await barriers(page), [])
  // The entry was looked at until it was deleted.
  t.true(complaints.every(text => text.includes('404')))
})

test('intentions are listed, made, asked and deleted', async t => {
  const shown = await show(t, '/ui/intentions', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await page.getByRole('button', { name: 'Create intention' }).click()
  const form = page.getByRole('region', { name: 'Create intention' })
  await form.getByLabel('Source').fill('api')
  await form.getByLabel('Destination').fill('web')
  await form.getByLabel('Reason').fill('they talk')
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: 'api web allow 9' }).waitFor()
  const exact = '/v1/connect/intentions/exact?destination=web&source='
  await server.send('PUT', `${exact}*`, { body: { Action: 'deny' } })
  const Permissions = [{ Action: 'allow', HTTP: { PathPrefix: '/v1', Methods: ['GET'] } }]
  await withHttp(server, 'web')
  await server.send('PUT', `${exact}shop`, { body: { Permissions } })
  await page.getByRole('row', { name: 'shop web allow GET, /v1*' }).waitFor()
  await page.getByText('Check a connection').click()
  for (const [source, answer] of [
    ['api', /allowed The intention from api to \S+ decides: allow/],
    ['stranger', /denied The intention from \* to \S+ decides: deny/],
    ['shop', /by request The intention from shop to \S+ decides: allow GET, \/v1\*/]
  ] as const) {
    await page.getByLabel('From').fill(source)
    await page.getByLabel('To', { exact: true }).fill('web')
    await page.getByRole('button', { name: 'Check connection' }).click()
    await page.getByRole('status').filter({ hasText: answer }).waitFor()
  }
  t.deepEqual(await barriers(page), [])
  await page.getByRole('button', { name: 'api', exact: true }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('2 intentions').waitFor()
  const field = page.getByLabel('Filter expression')
  await field.fill('SourceName == shop')
  await field.press('Enter')
  await page.getByText('1 intention').waitFor()
  t.deepEqual(complaints, [])
})

test('weights of a splitter stay 100 %, and a dry run marks the differences in one diagram', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await withHttp(server, 'web', 'next', 'third')
  const Splits = [{ Weight: 80 }, { Weight: 15, Service: 'next' }, { Weight: 5, Service: 'third' }]
  await write(server, { Kind: 'service-splitter', Name: 'web', Splits })
  await page.goto(`${server.base}/ui/config/one?key=service-splitter/web&ns=default&partition=default`)
  await page.getByRole('slider', { name: 'next' }).fill('60')
  const weights = page.getByRole('spinbutton')
  const values = () =>
    weights.evaluateAll(found => found.map(each => Reflect.get(each, 'valueAsNumber')).join())
  await waitForText(t, values, '37.65,60,2.35')
  await page.getByLabel('Weight of third in percent').fill('100')
  await page.getByLabel('Weight of third in percent').press('Tab')
  await waitForText(t, values, '0,0,100')
  await page.getByRole('slider', { name: 'this service' }).fill('50')
  await page.getByRole('button', { name: 'Preview' }).click()
  const difference = page.getByRole('group', { name: 'Changes of the discovery chain of web', exact: true })
  await difference.locator('.edge.changed', { hasText: '80 % → 50 %' }).waitFor()
  t.deepEqual(await barriers(page), [])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  const { text } = await server.send('GET', '/v1/config/service-splitter/web')
  const stored: { readonly Splits: readonly { readonly Weight: number }[] } = JSON.parse(text)
  t.is(
    stored.Splits.reduce((sum, { Weight }) => sum + Weight, 0),
    100
  )
  t.deepEqual(complaints, [])
})

test('intentions are a matrix, and the topology of a service, two steps deep', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const Sources = Array.from({ length: 300 }, (_, at) => ({ Name: `caller-${at}`, Action: 'allow' }))
  await write(server, { Kind: 'service-intentions', Name: 'many', Sources })
  const intend = (source: string, destination: string, Action: string) =>
    server.send('PUT', `/v1/connect/intentions/exact?source=${source}&destination=${destination}`, {
      body: { Action }
    })
  await intend('web', 'api', 'allow')
  await intend('api', 'db', 'allow')
  await intend('db', 'disk', 'allow')
  await intend('*', 'db', 'deny')
  await page.goto(`${server.base}/ui/intentions`)
  await page.getByRole('button', { name: 'Matrix' }).click()
  const matrix = page.getByRole('grid', { name: 'Intentions by pair' })
  await matrix.getByRole('gridcell', { name: 'caller-1 to many: allow' }).waitFor()
  t.is(await matrix.getAttribute('aria-rowcount'), '305')
  t.true((await matrix.getByRole('gridcell').count()) < 400, 'only visible cells are in the document')
  t.deepEqual(await barriers(page), [])
  await page.getByLabel('Search in Intentions').fill('web')
  await matrix.getByRole('gridcell', { name: 'web to db: deny, by * to db' }).waitFor()
  await matrix.focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'web to api' }).waitFor()

  await page.goto(`${server.base}/ui/service/one?name=web&ns=default&partition=default&view=topology`)
  const picture = page.getByRole('group', { name: 'Topology of web' })
  await picture.getByRole('link', { name: 'service db' }).waitFor()
  t.is(await picture.getByRole('link', { name: 'service disk' }).count(), 0, 'it is three steps away')
  t.deepEqual(await barriers(page), [])
  await picture.getByRole('link', { name: 'service api' }).click()
  await page.getByRole('heading', { level: 1, name: 'api' }).waitFor()
  t.deepEqual(complaints, [])
})

test('a limited token sees the permitted part of the mesh, and the missing permission', async t => {
  const shown = await show(t, '/ui/sign-in')
  if (!shown) return
  const { page, server } = shown
  await withHttp(server, 'web', 'hidden')
  for (const destination of ['web', 'hidden'])
    await server.send('PUT', `/v1/connect/intentions/exact?source=api&destination=${destination}`, {
      body: { Action: 'allow' }
    })
  await signInWith(page, server, 'service "web" { policy = "read" }')
  await page.goto(`${server.base}/ui/config`)
  await page.getByRole('row', { name: 'web service-defaults http default' }).waitFor()
  await waitForText(
    t,
    () => page.getByRole('note').innerText(),
    /Resources that require '.*' are hidden from this token/
  )
  await waitForText(t, () => page.getByText('hidden', { exact: true }).count(), 0)
  await page.goto(`${server.base}/ui/config/one?key=service-defaults/web&ns=default&partition=default`)
  await page.getByText('Changes require service:write on "web"').waitFor()
  await waitForText(t, () => page.getByRole('button', { name: 'Delete entry' }).isDisabled(), true)
  await page.goto(`${server.base}/ui/config/one?key=service-intentions/web&tab=permissions`)
  await page.getByText('service "web" { policy = "read" intentions = "write" }').waitFor()
  await page.goto(`${server.base}/ui/intentions`)
  await page.getByRole('row', { name: 'api web allow 9' }).waitFor()
  await waitForText(t, () => page.getByText('hidden', { exact: true }).count(), 0)
  await page.getByText('Changes require intention:write.').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.goto(`${server.base}/ui/intentions`)
  await page.getByText('There are no intentions visible to this token').waitFor()
  await page.goto(`${server.base}/ui/config`)
  await page.getByText('There are no configuration entries visible to this token').waitFor()
  await waitForText(t, () => page.getByRole('note').innerText(), /hidden from this token/)
  await page.goto(`${server.base}/ui/service/one?name=web&ns=default&partition=default&view=chain`)
  await page
    .getByRole('alert')
    .filter({ hasText: /Permission denied: .*service:read/ })
    .waitFor()
  t.deepEqual(await barriers(page), [])
})
