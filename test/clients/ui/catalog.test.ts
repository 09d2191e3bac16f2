// Services, instances, nodes and checks, as the pages show them to those who may see all, something, or nothing.
import test from 'ava'
import { barriers, waitForText, signInWith, show } from '../../support/browser-page.js'
import { ROOT, type TestServer } from '../../support/server.js'

interface Registered {
  readonly node: string
  readonly service: string
  readonly status?: string
  readonly output?: string
  readonly tag?: string
}

const register = (server: TestServer, { node, service, status, output = '', tag = 'v1' }: Registered) => {
  const ID = `${service}-${node}`
  const Checks = status
    ? [{ CheckID: `alive-${ID}`, Name: 'alive', Status: status, ServiceID: ID, Output: output }]
    : []
  return server.send('PUT', '/v1/catalog/register', {
    body: {
      Node: node,
      Address: '10.0.0.1',
      Service: { ID, Service: service, Port: 80, Tags: [tag] },
      Checks
    }
  })
}

test('a service has one line, which changes with its instances and their checks', async t => {
  const shown = await show(t, '/ui/services', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await register(server, { node: 'n1', service: 'web', status: 'passing' })
  await page.getByRole('row', { name: 'web 1 1 0 0 v1' }).waitFor()
  await register(server, { node: 'n2', service: 'web', status: 'critical', tag: 'v2' })
  await page.getByRole('row', { name: 'web 2 1 0 1 v1, v2' }).waitFor()
  // A check of the node counts for what is on it.
  const Check = { CheckID: 'disk', Name: 'disk', Status: 'warning', Output: 'almost full' }
  await server.send('PUT', '/v1/catalog/register', { body: { Node: 'n1', Address: '10.0.0.1', Check } })
  await page.getByRole('row', { name: 'web 2 0 1 1 v1, v2' }).waitFor()
  await register(server, { node: 'n3', service: 'api' })
  await page.getByRole('row', { name: 'api 1 1 0 0 v1' }).waitFor()
  const first = page.locator('main .rows .body a').first()
  await waitForText(t, () => first.innerText(), 'api')
  for (let click = 0; click < 2; click++) await page.getByRole('button', { name: 'Critical' }).click()
  await waitForText(t, () => first.innerText(), 'web', 'the unhealthy service is first')
  await page.getByLabel('Status').selectOption('critical')
  await page.getByText('1 of 3 services').waitFor()
  await page.getByLabel('Status').selectOption('')
  await page.getByLabel('Search in Services').fill('api')
  await page.getByText('1 of 3 services').waitFor()
  t.deepEqual(await barriers(page), [])
  await server.send('PUT', '/v1/catalog/deregister', { body: { Node: 'n3' } })
  await page.getByText('0 of 2 services').waitFor()
  t.deepEqual(complaints, [])
})

test('the page of a service has its instances and their checks, and takes filter expressions', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const output = Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\n')
  await register(server, { node: 'n1', service: 'web', status: 'passing' })
  await register(server, { node: 'n2', service: 'web', status: 'critical', output, tag: 'v2' })
  await register(server, { node: 'n2', service: 'api' })
  await page.goto(`${server.base}/ui/services`)
  await page.getByRole('link', { name: 'web', exact: true }).click()
  await page.getByText('2 instances').waitFor()
  await page.getByRole('button', { name: '1 checks of web-n2' }).click()
  const checks = page.getByRole('region', { name: 'Checks of web-n2' })
  await waitForText(t, () => checks.getByText('line 29').isVisible(), false)
  await checks.locator('summary').click()
  await waitForText(t, () => checks.getByText('line 29').isVisible(), true)
  const field = page.getByLabel('Filter expression')
  await field.fill('"v2" in Service.Tags')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByText('1 of 2 instances').waitFor()
  // What passes a filter is live as well.
  await register(server, { node: 'n3', service: 'web', tag: 'v2' })
  await page.getByText('2 of 3 instances').waitFor()
  await field.fill('Service.Tag == v2')
  await page.getByRole('button', { name: 'Filter' }).click()
  await waitForText(t, () => page.getByRole('alert').innerText(), /Selector "Service.Tag" is not valid/)
  await waitForText(t, () => field.getAttribute('aria-invalid'), 'true')
  t.deepEqual(await barriers(page), [])
  t.true(complaints.every(text => text.includes('400')))
})

test('an instance is deregistered when that is confirmed, with a reason', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await register(server, { node: 'n1', service: 'web', status: 'critical', output: 'refused' })
  await page.goto(`${server.base}/ui/service/one?name=web&ns=default&partition=default`)
  await page.getByRole('link', { name: 'web-n1' }).click()
  await page.getByRole('row', { name: 'critical alive web-n1 refused' }).waitFor()
  await page.getByRole('button', { name: 'Deregister' }).click()
  const dialog = page.getByRole('dialog', { name: 'Deregister web-n1?' })
  t.deepEqual(await barriers(page), [])
  await dialog.getByLabel('Reason').fill('moved')
  await dialog.getByRole('button', { name: 'Deregister' }).click()
  await page.getByText('Deleted in commit').waitFor()
  await page.getByText('moved').waitFor()
  t.is((await server.send('GET', '/v1/catalog/service/web')).text, '[]')
  t.deepEqual(complaints, [])
})

test('a node has its services, checks and sessions', async t => {
  const shown = await show(t, '/ui/nodes', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await register(server, { node: 'n1', service: 'web', status: 'warning', output: 'slow' })
  await server.send('PUT', '/v1/session/create', { body: { Node: 'n1', Name: 'lock', Checks: [] } })
  await page.getByRole('row', { name: 'n1 1 0 1 0 10.0.0.1' }).waitFor()
  await page.getByRole('link', { name: 'n1', exact: true }).click()
  await page.getByRole('row', { name: 'warning web-n1 web 80 v1 default' }).waitFor()
  await page.getByRole('row', { name: 'warning alive web-n1 slow' }).waitFor()
  await page.getByRole('row', { name: 'lock release' }).waitFor()
  t.deepEqual(await barriers(page), [])
  await page.goto(`${server.base}/ui/checks`)
  await page.getByRole('row', { name: 'warning alive web n1 slow' }).waitFor()
  await page.getByLabel('Filter expression').fill('Output contains "slow"')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByText(/^1 of \d checks/).waitFor()
  t.deepEqual(await barriers(page), [])
  await page.getByRole('link', { name: 'alive' }).click()
  await page.getByText('slow', { exact: true }).waitFor()
  t.deepEqual(await barriers(page), [])
  t.deepEqual(complaints, [])
})

test('the checks of a node count for its instances in every namespace', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await server.send('PUT', '/v1/namespace', { body: { Name: 'team' } })
  const Service = { ID: 'web-1', Service: 'web', Namespace: 'team', Port: 80 }
  const checks = [
    { Name: 'disk', Status: 'warning' },
    { Name: 'alive', CheckID: 'alive', ServiceID: 'web-1', Status: 'passing', Namespace: 'team' }
  ]
  for (const Check of checks)
    await server.send('PUT', '/v1/catalog/register', {
      body: { Node: 'n1', Address: '10.0.0.1', Service, Check }
    })
  await page.goto(`${server.base}/ui/service/one?name=web&ns=team&partition=default`)
  await page.getByRole('row', { name: /^warning web-1 n1 .* 2 checks of web-1/ }).waitFor()
  await page.getByRole('link', { name: 'web-1' }).click()
  await page.getByRole('row', { name: 'warning disk node n1' }).waitFor()
  await page.getByRole('row', { name: 'passing alive web-1' }).waitFor()
  await page.goto(`${server.base}/ui/checks`)
  await page.getByRole('row', { name: 'warning disk node n1' }).waitFor()
  await page.getByLabel('Filter expression').fill('Name == "disk"')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByText(/^1 of \d checks/).waitFor()
  await page.getByRole('link', { name: 'disk' }).click()
  await page.getByRole('heading', { level: 1, name: 'disk' }).waitFor()
  t.deepEqual(complaints, [])
})

test('a limited token sees the permitted part of the catalog, and the missing permission', async t => {
  const shown = await show(t, '/ui/sign-in')
  if (!shown) return
  const { page, server } = shown
  await register(server, { node: 'n1', service: 'web' })
  await register(server, { node: 'n1', service: 'hidden' })
  await signInWith(page, server, 'service "web" { policy = "read" } node "n1" { policy = "read" }')
  await page.goto(`${server.base}/ui/services`)
  await page.getByRole('row', { name: 'web 1 1 0 0 v1' }).waitFor()
  t.regex(
    await page.getByRole('note').innerText(),
    /Resources that require 'service:read' are hidden from this token/
  )
  await waitForText(t, () => page.getByText('hidden', { exact: true }).count(), 0)
  await register(server, { node: 'n1', service: 'web', tag: 'v2' })
  await page.getByRole('row', { name: 'web 1 1 0 0 v2' }).waitFor()
  await page.getByRole('link', { name: 'web', exact: true }).click()
  await page.getByRole('link', { name: 'web-n1' }).click()
  await page.getByText('Changes require service:write on "web"').waitFor()
  const deregister = page.getByRole('button', { name: 'Deregister' })
  await waitForText(t, () => deregister.isDisabled(), true)
  const instance = page.url()
  await signInWith(page, server, 'service_prefix "" { policy = "read" } node "n1" { policy = "write" }')
  await page.goto(instance)
  await deregister.waitFor()
  t.true(await deregister.isEnabled(), 'node:write suffices')
  await page.getByRole('button', { name: 'Sign out' }).click()
  for (const path of ['services', 'nodes', 'checks']) {
    await page.goto(`${server.base}/ui/${path}`)
    await page.getByText(`There are no ${path} visible to this token`).waitFor()
    await waitForText(t, () => page.getByRole('note').innerText(), /hidden from this token/)
    t.deepEqual(await barriers(page), [], path)
  }
})

test('a node is drained, and taken back', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await server.send('PUT', '/v1/catalog/register', {
    body: { Node: 'n1', Address: '10.0.0.1', Service: { ID: 'web-1', Service: 'web', Port: 80 } }
  })
  const passing = async () =>
    JSON.parse((await server.send('GET', '/v1/health/service/web?passing')).text).length
  await page.goto(`${server.base}/ui/nodes`)
  await page.getByRole('link', { name: 'n1', exact: true }).click()
  await page.getByRole('button', { name: 'Drain node' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('OPS-7')
  await dialog.getByRole('button', { name: 'Drain node' }).click()
  await page.getByRole('link', { name: 'Node Maintenance Mode' }).waitFor()
  t.is(await passing(), 0)
  t.deepEqual(await barriers(page), [])
  await page.getByRole('button', { name: 'End maintenance' }).click()
  await dialog.getByRole('button', { name: 'End maintenance' }).click()
  await page.getByRole('button', { name: 'Drain node' }).waitFor()
  t.is(await passing(), 1)
  t.deepEqual(complaints, [])
})
