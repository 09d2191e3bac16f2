// The UI of a server in a real browser.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { ExecutionContext } from 'ava'
import type { Locator, Page, Request } from 'playwright-core'
import { newPage } from './browser.js'
import { serverInProcess, type TestServer } from './server.js'
import { until } from './wait.js'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8')

export interface BrowserPage {
  readonly page: Page
  readonly server: TestServer
  /** Errors that the browser reports. */
  readonly complaints: readonly string[]
}

/** Signs in with another token. */
export const signInTo = async (
  page: Page,
  server: Pick<TestServer, 'base'>,
  token: string
): Promise<void> => {
  await page.goto(`${server.base}/ui/sign-in`)
  await page.getByLabel('Token secret').fill(token)
  await page.getByRole('region', { name: 'With a token' }).getByLabel('Stay signed in').check()
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  // With an earlier token, "Sign out" is there before.
  await page.waitForURL(`${server.base}/ui/`)
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
}

/** Follows a link of the navigation, whose group may be collapsed. */
export const goTo = async (page: Page, title: string): Promise<void> => {
  const link = page.locator('nav#places').getByRole('link', { name: title, exact: true })
  const closed = page.locator('nav#places button[aria-expanded="false"]')
  while ((await link.count()) === 0) await closed.first().click()
  await link.click()
}

/** Signs in with a new token of these rules. */
export const signInWith = async (page: Page, server: TestServer, rules: string): Promise<void> => {
  const SecretID = randomUUID()
  await server.send('PUT', '/v1/acl/policy', { body: { Name: SecretID, Rules: rules } })
  await server.send('PUT', '/v1/acl/token', { body: { SecretID, Policies: [{ Name: SecretID }] } })
  await signInTo(page, server, SecretID)
}

/** Opens the UI of a new server with this token; undefined if there is no browser. */
export const show = async (
  t: ExecutionContext,
  path: string,
  token?: string
): Promise<BrowserPage | undefined> => {
  const page = await newPage(t)
  if (!page) return undefined
  const server = await serverInProcess(t)
  const complaints: string[] = []
  page.on('pageerror', error => complaints.push(error.message))
  page.on('console', said => {
    if (said.type() === 'error') complaints.push(said.text())
  })
  if (token !== undefined) await signInTo(page, server, token)
  await page.goto(server.base + path)
  return { page, server, complaints }
}

/** Replaces the text of a code editor. On a busy machine, an editor takes over the selection of its text too late, and adds the new text to it. */
export const fillEditor = (editor: Locator, text: string): Promise<boolean> =>
  until('the editor has the text', async () => {
    await editor.fill(text)
    return (await editor.textContent()) === text
  })

/**
 * Asserts that a value of the page becomes this, or matches it, since the page follows changes asynchronously.
 * @param message of the assertion
 */
export const waitForText = async (
  t: ExecutionContext,
  ask: () => Promise<unknown>,
  expected: string | number | boolean | RegExp | null,
  message?: string
): Promise<void> => {
  let answer: unknown
  const isIt = (): boolean =>
    expected instanceof RegExp ? expected.test(String(answer)) : answer === expected
  await until('the page says it', async () => {
    answer = await ask()
    return isIt()
  }).catch((error: unknown) => {
    if (answer === undefined) throw error
  })
  if (expected instanceof RegExp) t.regex(String(answer), expected, message)
  else t.is(answer, expected, message)
}

export interface Held {
  /** Resolves when a request is held. */
  readonly requested: () => Promise<unknown>
  readonly release: () => void
}

/** Holds the responses to some requests. */
export const holdResponses = async (page: Page, isHeld: (url: URL) => boolean): Promise<Held> => {
  let release = (): void => {}
  const released = new Promise<void>(resolve => void (release = resolve))
  let held = 0
  await page.route(isHeld, async route => {
    const response = await route.fetch().catch(() => undefined)
    // The test has ended, and its server with it.
    if (!response) return
    held++
    await released
    // The page may have aborted the request.
    await route.fulfill({ response }).catch(() => {})
  })
  return { requested: () => until('a response is held', async () => held > 0), release }
}

/** Returns a wait until the page has received the next response, or aborted its request, and has drawn twice since. */
export const nextHandled = (page: Page, isMeant: (url: URL) => boolean): (() => Promise<void>) => {
  const predicate = (request: Request): boolean => isMeant(new URL(request.url()))
  const ended = Promise.race([
    page.waitForEvent('requestfinished', predicate),
    page.waitForEvent('requestfailed', predicate)
  ])
  return async () => {
    await ended
    await page.evaluate('new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  }
}

interface Found {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly html: string }[]
  }[]
}

/** Returns accessibility violations found by axe. @param rules default: all */
export const barriers = async (page: Page, rules?: readonly string[]): Promise<readonly string[]> => {
  // The flag exists until the page is reloaded.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE)
  const options = { resultTypes: ['violations'], ...(rules ? { runOnly: rules } : {}) }
  const found: Found = await page.evaluate(`axe.run(${JSON.stringify(options)})`)
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
