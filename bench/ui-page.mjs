// Shared by the programs that measure the UI: a page, actions on it, and its responsiveness.
import { chromium } from 'playwright-core'
import { cpuOf } from './measuring.mjs'
import { percentile } from './statistics.mjs'

export const ROOT = 'b1a6c7de-3c5a-4f0e-9d39-7d0c1a8f2e55'
/** The target for the longest task of a page's main thread, in ms. */
const TASK = 50

/** Runs in the page: records the times without a frame. */
const watch = () => {
  globalThis.gaps = []
  let last
  const frame = now => {
    if (last !== undefined) globalThis.gaps.push(now - last)
    last = now
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
}

export const number = value => Math.round(value).toLocaleString('en')

/** Returns the tasks of the page's main thread during an action: duration and CPU time, in ms. */
const tasksOf = async (page, deed) => {
  const session = await page.context().newCDPSession(page)
  const events = []
  session.on('Tracing.dataCollected', ({ value }) => events.push(...value))
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'disabled-by-default-devtools.timeline', '__metadata'] }
  })
  const said = await deed()
  const complete = new Promise(resolve => void session.once('Tracing.tracingComplete', resolve))
  await session.send('Tracing.end')
  await complete
  await session.detach()
  const of = thread => {
    const ids = events.filter(({ name, args }) => name === 'thread_name' && thread.test(args.name))
    const threads = new Set(ids.map(({ pid, tid }) => `${pid} ${tid}`))
    return events
      .filter(
        ({ name, ph, pid, tid }) => name.endsWith('RunTask') && ph === 'X' && threads.has(`${pid} ${tid}`)
      )
      .map(({ dur = 0, tdur = 0 }) => ({ wall: dur / 1000, cpu: tdur / 1000 }))
  }
  return { said, tasks: of(/^CrRendererMain$/), ofWorker: of(/DedicatedWorker/) }
}

/** Runs an action on a page, and prints its responsiveness. */
export const measured = async (page, server, what, deed) => {
  await page.evaluate('globalThis.gaps && (gaps.length = 0)')
  const cpuBefore = cpuOf(server.pid)
  const begin = performance.now()
  const { said, tasks, ofWorker } = await tasksOf(page, deed)
  const took = performance.now() - begin
  const gaps = (await page.evaluate('gaps')).toSorted((one, other) => one - other)
  const longest = Math.max(0, ...tasks.map(({ cpu }) => cpu))
  const verdict = longest > TASK ? 'NOT reached' : 'reached'
  const sum = list => number(list.reduce((all, { cpu }) => all + cpu, 0))
  console.log(
    `${what.padEnd(28)} ${number(took).padStart(7)} ms\n` +
      `  longest task ${number(longest)} ms of the processor (target <= ${TASK}: ${verdict}), ${number(Math.max(0, ...tasks.map(({ wall }) => wall)))} ms by the clock; ` +
      `all ${sum(tasks)} ms, of the worker ${sum(ofWorker)} ms; frames p50 ${number(percentile(gaps, 0.5))}, p99 ${number(percentile(gaps, 0.99))}, longest ${number(gaps.at(-1))} ms; ` +
      `server ${number(cpuOf(server.pid) - cpuBefore)} ms${said ? `\n  ${said}` : ''}`
  )
}

export const send = async (server, method, path, body) => {
  const headers = { 'X-Service-Token': ROOT }
  const answer = await fetch(server.base + path, { method, headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status} ${await answer.text()}`)
  return answer
}

export const opened = async (browser, server, path) => {
  const page = await browser.newPage()
  await page.addInitScript(watch)
  await page.addInitScript(token => sessionStorage.setItem('annals-token', token), ROOT)
  await page.goto(server.base + path)
  return page
}

export const shows = (page, text) => page.getByText(text).first().waitFor({ timeout: 600_000 })

/** Navigates to another page without reloading the document. */
export const go = (page, path) =>
  page.evaluate(to => {
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)

export const scroll = page =>
  page.evaluate(async () => {
    const box = document.querySelector('.rows')
    for (let step = 0; step < 100; step++) {
      box.scrollTop = (box.scrollHeight / 100) * step
      await new Promise(requestAnimationFrame)
    }
    box.scrollTop = 0
  })

/** Ends with the scope. */
export const launched = async scope => {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox']
  })
  scope.teardown(() => browser.close())
  return browser
}
