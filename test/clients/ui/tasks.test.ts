// Ten tasks of an operator, and the number of clicks that each may cost. Enter counts as a click; typing, also of `g` and a letter, does not.
import test, { type ExecutionContext } from 'ava'
import type { Locator, Page } from 'playwright-core'
import { newPage } from '../../support/browser.js'
import { signInTo } from '../../support/browser-page.js'
import { ROOT, serverInProcess, type TestServer } from '../../support/server.js'
import { until } from '../../support/wait.js'
import { createPolicy, createToken, tokenOf } from '../../http/support.js'

/** A person who uses the pages. */
class Operator {
  clicks = 0

  constructor(
    readonly page: Page,
    readonly server: TestServer
  ) {}

  async click(target: Locator): Promise<void> {
    this.clicks++
    await target.click()
  }

  async choose(list: Locator, title: string): Promise<void> {
    this.clicks++
    await list.selectOption(title)
  }

  async enter(field: Locator, text: string): Promise<void> {
    this.clicks++
    await field.fill(text)
    await field.press('Enter')
  }

  /** Goes to a page by its keys. */
  async go(key: string, heading: string): Promise<void> {
    await this.page.keyboard.press('g')
    await this.page.keyboard.press(key)
    await this.heading(heading).waitFor()
  }

  heading(name: string): Locator {
    return this.page.getByRole('heading', { level: 1, name, exact: true })
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true })
  }

  link(name: string): Locator {
    return this.page.locator('main').getByRole('link', { name, exact: true }).first()
  }

  dialog(): Locator {
    return this.page.getByRole('dialog')
  }
}

const begin = async (t: ExecutionContext): Promise<Operator | undefined> => {
  const page = await newPage(t)
  if (!page) return undefined
  const server = await serverInProcess(t, { log: 'disk', config: { audit: { denials: true } } })
  await signInTo(page, server, ROOT)
  return new Operator(page, server)
}

/** Plays a task from the overview on. @param most clicks that it may cost */
const task = (
  title: string,
  most: number,
  prepare: (server: TestServer) => Promise<unknown>,
  play: (operator: Operator, t: ExecutionContext) => Promise<void>
): void =>
  test(`${title} in ${most} clicks`, async t => {
    const operator = await begin(t)
    if (!operator) return
    await prepare(operator.server)
    await operator.page.reload()
    await operator.heading('Overview').waitFor()
    await play(operator, t)
    t.true(operator.clicks <= most, `${operator.clicks} clicks`)
  })

const put = (server: TestServer, path: string, body: string | object) =>
  server.send('PUT', `/v1/${path}`, { body })

task(
  'find who deleted a key and restore it',
  4,
  async server => {
    await put(server, 'kv/banner', 'sale')
    await server.send('DELETE', '/v1/kv/banner', { headers: { 'X-Service-Reason': 'SHOP-415' } })
  },
  async (operator, t) => {
    await operator.page.getByText('deleted key').waitFor()
    await operator.click(operator.link('banner'))
    await operator.page
      .getByText(/Deleted in commit \d+ by Initial Management Token.*SHOP-415/)
      .first()
      .waitFor()
    await operator.click(operator.page.getByRole('button', { name: /^Restore version/ }))
    await operator.click(operator.button('Restore'))
    await operator.page.getByText('Deleted in commit').waitFor({ state: 'detached' })
    t.is((await operator.server.send('GET', '/v1/kv/banner?raw')).text, 'sale')
  }
)

task(
  'explain the denial of a colleague and open the policy that fixes it',
  3,
  async server => {
    const { SecretID } = await createToken(server, { Description: 'colleague' })
    await server.send('GET', '/v1/kv/banner', { token: SecretID })
    await until('the denial is recorded', async () =>
      (await server.send('GET', '/v1/event/audit?denials=true')).text.includes('banner')
    )
  },
  async operator => {
    await operator.click(operator.link('1 denied attempt'))
    await operator.click(operator.link('Explain'))
    await operator.page.getByText('Denied', { exact: true }).waitFor()
    await operator.link('colleague').waitFor()
    await operator.click(operator.link('Create this policy'))
    await operator.heading('Create policy').waitFor()
    await operator.page.getByLabel('Rules of the policy').getByText('key "banner"').waitFor()
  }
)

task(
  'see a configuration as of an earlier time',
  3,
  server => put(server, 'config', { Kind: 'service-defaults', Name: 'web', Protocol: 'http' }),
  async operator => {
    await operator.go('c', 'Configuration entries')
    await operator.click(operator.button('Time travel'))
    await operator.enter(operator.page.getByLabel('Time or commit'), '0s ago')
    await operator.page.getByText('State after commit').waitFor()
    await operator.page.getByRole('row', { name: 'web service-defaults http' }).waitFor()
  }
)

task(
  'rotate a token',
  3,
  server => createToken(server, { Description: 'deploys' }),
  async (operator, t) => {
    await operator.go('t', 'Tokens')
    await operator.click(operator.link('deploys'))
    await operator.click(operator.button('Rotate token'))
    await operator.click(operator.dialog().getByRole('button', { name: 'Rotate token' }))
    const secret = await operator.page.getByLabel('Secret', { exact: true }).inputValue()
    const own = await operator.server.send('GET', '/v1/acl/token/self', { token: secret })
    t.is(tokenOf(own).Description, 'deploys')
  }
)

task(
  'split traffic 90 to 10',
  4,
  async server => {
    for (const Name of ['web', 'next'])
      await put(server, 'config', { Kind: 'service-defaults', Name, Protocol: 'http' })
    await put(server, 'config', { Kind: 'service-splitter', Name: 'web', Splits: [{ Weight: 100 }] })
  },
  async (operator, t) => {
    await operator.click(operator.link('web'))
    const Splits = [{ Weight: 90 }, { Weight: 10, Service: 'next' }]
    await operator.page
      .getByLabel('Entry')
      .fill(JSON.stringify({ Kind: 'service-splitter', Name: 'web', Splits }))
    await operator.click(operator.button('Save'))
    await operator.page.getByText('Saved.').waitFor()
    const { text } = await operator.server.send('GET', '/v1/config/service-splitter/web')
    t.regex(text, /"Weight":10/)
  }
)

task(
  'find unhealthy instances with their output',
  2,
  server =>
    put(server, 'catalog/register', {
      Node: 'n1',
      Address: '10.0.0.1',
      Service: { ID: 'web-1', Service: 'web', Port: 80 },
      Checks: [{ Name: 'alive', Status: 'critical', ServiceID: 'web-1', Output: 'connection refused' }]
    }),
  async operator => {
    await operator.page.getByText('connection refused').waitFor()
    await operator.click(operator.link('alive'))
    await operator.link('web-1').waitFor()
  }
)

task(
  'find unused tokens',
  1,
  server => createToken(server, { Description: 'forgotten' }),
  async operator => {
    await operator.go('t', 'Tokens')
    await operator.choose(operator.page.getByLabel('Last use'), 'unused for 90 days')
    await operator.link('forgotten').waitFor()
  }
)

task(
  'check whether one service may reach another',
  2,
  server => put(server, 'connect/intentions/exact?source=a&destination=b', { Action: 'deny' }),
  async operator => {
    await operator.go('i', 'Intentions')
    await operator.click(operator.page.getByText('Check a connection'))
    await operator.page.getByLabel('From').fill('a')
    await operator.enter(operator.page.getByLabel('To', { exact: true }), 'b')
    await operator.page.getByRole('status').filter({ hasText: 'denied' }).waitFor()
  }
)

task(
  'prove a version',
  2,
  server => createPolicy(server, 'web', 'key "a" { policy = "read" }'),
  async operator => {
    await operator.click(operator.link('web'))
    await operator.click(operator.button('Verify'))
    await operator.page.getByText(/is in the log of \d+ commits whose checkpoint is signed/).waitFor()
  }
)

task(
  'list the changes of the last hour in a namespace',
  2,
  async server => {
    await put(server, 'namespace', { Name: 'team' })
    await put(server, 'kv/of-team?ns=team', '1')
    await put(server, 'kv/of-others', '1')
  },
  async operator => {
    await operator.go('e', 'Events')
    await operator.choose(operator.page.getByLabel('Namespace', { exact: true }), 'Namespace team')
    await operator.click(operator.button('1 hour'))
    await operator.link('of-team').waitFor()
    await operator.link('of-others').waitFor({ state: 'detached' })
  }
)
