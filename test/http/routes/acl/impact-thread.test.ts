// The thread that compares rights for impacts: what the deciding thread does for it, its deaths, and its ends.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request as open } from 'node:http'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Worker } from 'node:worker_threads'
import test from 'ava'
import { DEFAULT_TENANCY } from '../../../../events/envelope.js'
import { POLICY_TOPIC } from '../../../../events/policy.js'
import { START_IMPACT_THREAD, startImpactThread } from '../../../../http/routes/acl/impact/impact-thread.js'
import { affectedGroups } from '../../../../projections/acl/impact/affected-groups.js'
import { postChange } from '../../../../projections/acl/impact/change-parts.js'
import { ChangedLinks } from '../../../../projections/acl/impact/changed-links.js'
import type { ChangePart } from '../../../../projections/acl/impact/compared-change.js'
import { prepareRules } from '../../../../projections/acl/rules/parsed-rules.js'
import { STEP_LENGTH } from '../../../../projections/acl/rules/syntax.js'
import { QuestionStore } from '../../../../projections/acl/usage/question-store.js'
import { DraftViews } from '../../../../projections/draft-views.js'
import { runAtOnce } from '../../../../projections/steps.js'
import { temporaryFolder, type Scope } from '../../../support/process.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { commit, event } from '../../stream/streams.js'
import { createPolicy, createToken } from '../../support.js'

const WRITE = 'key_prefix "config/" { policy = "write" }'
const READ = 'key_prefix "config/" { policy = "read" }'
const LONG_POLICIES = 2
/** Parsed in several steps. */
const LONG = 4 * STEP_LENGTH
/** Near the limit of a policy. */
const LARGE = 510 * 1024

const idOf = (n: number): string => `5ec51e41-0000-4000-8000-${String(n).padStart(12, '0')}`

/** Every one has another text, so that no test finds the rules of another one parsed. */
const longRules = (name: string, length: number): string => {
  const ruleOf = (n: number): string =>
    `key_prefix "${name}/${String(n).padStart(8, '0')}" { policy = "read" }\n`
  const count = Math.floor(length / ruleOf(0).length)
  return `key "config/db" { policy = "write" }\n${Array.from({ length: count }, (_, n) => ruleOf(n)).join('')}`
}

const policyEvent = (ID: string, Name: string, Rules: string) => {
  const ACLPolicy = { ID, Name, Rules, Description: '', Datacenters: [], Hash: '' }
  return event(POLICY_TOPIC, ID, {
    Payload: { ACLPolicy: { ...ACLPolicy, CreateIndex: 1, ModifyIndex: 1 } }
  })
}

/** Commits policies whose rules this thread does not parse, and a token with each of them and a short policy. */
const withLongPolicies = async (server: TestServer, name: string, length = LONG) => {
  const changed = await createPolicy(server, 'config', WRITE)
  const texts = Array.from({ length: LONG_POLICIES }, (_, n) => longRules(`${name}-${n}`, length))
  for (const [n, Rules] of texts.entries()) {
    commit(server, policyEvent(idOf(n), `long-${n}`, Rules))
    await createToken(server, { Policies: [{ ID: changed }, { ID: idOf(n) }] })
  }
  return { changed, texts }
}

const impactOf = (server: TestServer, ID: string) =>
  server.send('POST', `/v1/acl/policy/${ID}/impact`, { body: { Name: 'config', Rules: READ } })

/** Starts threads of a program, and notes them. */
const startsOf = (start: (count: number) => Worker) => {
  const workers: Worker[] = []
  const run = (): Worker => {
    const worker = start(workers.length)
    workers.push(worker)
    return worker
  }
  return { workers, run }
}

const serverWith = (t: Scope, start: () => Worker): Promise<TestServer> =>
  serverInProcess(t, {
    register: container => container.registerInstance(START_IMPACT_THREAD, start)
  })

/** Returns a start of threads that run this code, which has `parentPort`. */
const running = (t: Scope, code: string): (() => Worker) => {
  const program = join(temporaryFolder(t), 'program.mjs')
  writeFileSync(program, `import { parentPort } from 'node:worker_threads'\n${code}`)
  return () => new Worker(program)
}

const SILENT = "parentPort.on('message', () => {})"
const ENDING = "parentPort.on('message', () => process.exit())"

test('the deciding thread parses no rules of the tokens that it compares', async t => {
  const server = await serverInProcess(t)
  const { changed, texts } = await withLongPolicies(server, 'unparsed')
  const { status, text } = await impactOf(server, changed)
  t.is(status, 200, text)
  t.like(JSON.parse(text), { Tokens: LONG_POLICIES, Effects: [{ Tokens: LONG_POLICIES }] })
  for (const rules of texts) t.not(prepareRules(rules, DEFAULT_TENANCY), undefined)
})

test('a step posts one long text at most, and each once', async t => {
  const server = await serverInProcess(t)
  const { changed, texts } = await withLongPolicies(server, 'posted')
  for (let n = 0; n < 20; n++) await createToken(server, { Policies: [{ ID: changed }, { ID: idOf(0) }] })
  const before = server.app.views
  const after = new DraftViews(before)
  const change = { before, after, events: [policyEvent(changed, 'config', READ)] }
  after.draft(change.events, '2026-01-01T00:00:00Z')
  const links = new ChangedLinks(change)
  const groups = runAtOnce(affectedGroups(change, links, { now: 0, mayRead: () => true }))
  t.is(groups.length, LONG_POLICIES)
  const posted: (readonly ChangePart[])[] = []
  const steps = postChange(
    change,
    { changed: links.policies, groups, recorded: new QuestionStore(0) },
    parts => posted.push(parts)
  )
  let seen = 0
  for (let step = steps.next(); !step.done; step = steps.next()) {
    t.true(posted.length <= seen + 1)
    seen = posted.length
  }
  const longOnes = posted.map(parts =>
    parts.flatMap(part => (part.kind === 'policy' && part.id !== changed ? [part] : []))
  )
  t.true(longOnes.every(parts => parts.length <= 1))
  const sent = longOnes.flat().map(({ before: source }) => source?.policy.Rules)
  t.is(sent.length, texts.length)
  t.true(isDeepStrictEqual(new Set(sent), new Set(texts)))
  t.true(longOnes.flat().every(part => part.before === part.after))
})

test('a server that closes during an impact answers it, and ends the thread', async t => {
  const { workers, run } = startsOf(() => startImpactThread())
  let closed: Promise<void> | undefined
  const server = await serverWith(t, () => {
    closed = server.close()
    return run()
  })
  const { changed } = await withLongPolicies(server, 'closing')
  const { status, text } = await impactOf(server, changed)
  t.is(status, 200, text)
  await closed
  t.is(workers.length, 1)
  t.is(workers[0]?.threadId, -1)
})

test('an impact whose thread ends by itself is compared on another one', async t => {
  const ending = running(t, ENDING)
  const { workers, run } = startsOf(count => (count === 0 ? ending() : startImpactThread()))
  const server = await serverWith(t, run)
  const ID = await createPolicy(server, 'config', WRITE)
  await createToken(server, { Policies: [{ ID }] })
  t.like(JSON.parse((await impactOf(server, ID)).text), { Tokens: 1 })
  t.like(JSON.parse((await impactOf(server, ID)).text), { Tokens: 1 })
  t.is(workers.length, 2)
})

test('an impact whose thread ends twice is unavailable, and the next one is answered', async t => {
  const ending = running(t, ENDING)
  const { workers, run } = startsOf(count => (count < 2 ? ending() : startImpactThread()))
  const server = await serverWith(t, run)
  const ID = await createPolicy(server, 'config', WRITE)
  const { status, text } = await impactOf(server, ID)
  t.is(status, 503, text)
  t.regex(text, /retry later/)
  t.is((await impactOf(server, ID)).status, 200)
  t.is(workers.length, 3)
})

test('rules that do not fit into the memory of the thread are refused, and the next impact is answered', async t => {
  const { workers, run } = startsOf(count => startImpactThread(count === 0 ? 8 : undefined))
  const server = await serverWith(t, run)
  const { changed } = await withLongPolicies(server, 'large', LARGE)
  const refused = await impactOf(server, changed)
  t.is(refused.status, 413, refused.text)
  t.is(refused.headers['x-service-error-code'], 'acl.impact.too-large')
  t.is((await impactOf(server, changed)).status, 200)
  t.is(workers.length, 2)
})

test('the thread of a client that disconnects is ended, and the next impact has another one', async t => {
  const silent = running(t, SILENT)
  const { workers, run } = startsOf(count => (count === 0 ? silent() : startImpactThread()))
  const server = await serverWith(t, run)
  const ID = await createPolicy(server, 'config', WRITE)
  const body = JSON.stringify({ Name: 'config', Rules: READ })
  const client = open(`${server.base}/v1/acl/policy/${ID}/impact`, {
    method: 'POST',
    headers: { 'x-service-token': ROOT }
  })
  client.on('error', () => {})
  client.end(body)
  const [worker] = await until('the thread has started', () => workers.length > 0 && workers)
  const ended = worker && once(worker, 'exit')
  client.destroy()
  await ended
  t.is((await impactOf(server, ID)).status, 200)
})

test('a bounded number of impacts wait for their turn', async t => {
  const server = await serverWith(t, running(t, SILENT))
  const ID = await createPolicy(server, 'config', WRITE)
  const clients: ReturnType<typeof open>[] = []
  const answer = await new Promise<{ status: number | undefined; code: unknown }>(resolve => {
    for (let n = 0; n < 33; n++) {
      const client = open(
        `${server.base}/v1/acl/policy/${ID}/impact`,
        { method: 'POST', agent: false, headers: { 'x-service-token': ROOT } },
        response => resolve({ status: response.statusCode, code: response.headers['x-service-error-code'] })
      )
      client.on('error', () => {})
      client.end(JSON.stringify({ Name: 'config', Rules: READ }))
      clients.push(client)
    }
  })
  t.deepEqual(answer, { status: 429, code: 'acl.impact.too-many' })
  for (const client of clients) client.destroy()
})
